"""Which indexes and hosts a project declares."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

from .context import Context
from .document import Document
from .source import same_place


def declared_indexes(context: Context) -> Iterator[str]:
    """Yield every URL that the project declares as an index or flat index, in pyproject.toml or uv.toml."""
    for document, keys in _documents(context):
        yield from _indexes(document, keys)


def _documents(context: Context) -> Iterator[tuple[Document, tuple[str, ...]]]:
    """Yield every file with settings of uv, and the keys of the table that holds them."""
    yield context.project.pyproject, ("tool", "uv")
    for member in context.project.members.values():
        if member.document is not None:
            yield member.document, ("tool", "uv")
    if context.project.uv_toml is not None:
        yield context.project.uv_toml, ()


def declared_hosts(context: Context) -> frozenset[str]:
    """Return the hosts of the declared indexes, and those that `[tool.pinproof] hosts` allows, in lower case."""
    return frozenset(host_of(url) for url in declared_indexes(context)) | frozenset(context.config.hosts)


def host_of(url: str) -> str:
    """Return the host of a URL in lower case, without user information and port; empty where there is none."""
    try:
        return (urlsplit(url).hostname or "").lower()
    except ValueError:
        return ""


def without_user(url: str) -> str:
    """Return a URL without user information."""
    scheme, separator, rest = url.partition("://")
    authority, slash, path = rest.partition("/")
    return f"{scheme}{separator}{authority.rpartition('@')[2]}{slash}{path}" if separator else url


def flat_indexes(context: Context) -> frozenset[tuple[str, ...]]:
    """Return the places that the project declares as one page of files: `format = "flat"`, and `find-links`."""
    found = set()
    for document, keys in _documents(context):
        entries = document.get(*keys, "index")
        for entry in entries if isinstance(entries, list) else ():
            if isinstance(entry, dict) and entry.get("format") == "flat":
                found.add(same_place(str(entry.get("url"))))
        for section in (keys, (*keys, "pip")):
            value = document.get(*section, "find-links")
            found |= {same_place(item) for item in (value if isinstance(value, list) else ()) if isinstance(item, str)}
    return frozenset(found)


def _indexes(document: Document, keys: tuple[str, ...]) -> Iterator[str]:
    entries = document.get(*keys, "index")
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict) and isinstance(entry.get("url"), str):
            yield entry["url"]
    for section in (keys, (*keys, "pip")):
        for name in ("index-url", "extra-index-url", "find-links"):
            value = document.get(*section, name)
            yield from (item for item in (value if isinstance(value, list) else [value]) if isinstance(item, str))
