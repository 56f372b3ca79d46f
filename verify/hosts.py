"""Which indexes and hosts a project declares."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

from .context import Context
from .document import Document


def declared_indexes(context: Context) -> Iterator[str]:
    """Yield every URL that the project declares as an index or flat index, in pyproject.toml or uv.toml."""
    documents: list[tuple[Document, tuple[str, ...]]] = [(context.project.pyproject, ("tool", "uv"))]
    documents += [(m.document, ("tool", "uv")) for m in context.project.members.values() if m.document is not None]
    if context.project.uv_toml is not None:
        documents.append((context.project.uv_toml, ()))
    for document, keys in documents:
        yield from _indexes(document, keys)


def declared_hosts(context: Context) -> frozenset[str]:
    """Return the hosts of the declared indexes, and those that `[tool.pinproof] hosts` allows, in lower case."""
    return frozenset(host_of(url) for url in declared_indexes(context)) | frozenset(context.config.hosts)


def host_of(url: str) -> str:
    """Return the host of a URL in lower case, without user information and port; empty where there is none."""
    try:
        return (urlsplit(url).hostname or "").lower()
    except ValueError:
        return ""


def _indexes(document: Document, keys: tuple[str, ...]) -> Iterator[str]:
    entries = document.get(*keys, "index")
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict) and isinstance(entry.get("url"), str):
            yield entry["url"]
    for section in (keys, (*keys, "pip")):
        for name in ("index-url", "extra-index-url", "find-links"):
            value = document.get(*section, name)
            yield from (item for item in (value if isinstance(value, list) else [value]) if isinstance(item, str))
