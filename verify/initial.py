"""The first `[tool.pinproof]` of a project: the pins and hosts that its files name, appended in its own style."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit, urlunsplit

import tomlkit
from tomlkit.items import Table

from .config import ROOT, Config
from .document import Document
from .files import InputError
from .lock import Package
from .project import Project
from .source import Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Initial:
    """What `pinproof init` adds: `section` is the new text, `raw` the whole new file.

    `notes` name the git sources that are not stated as pins, with the reason.
    """

    section: str
    raw: bytes
    notes: tuple[str, ...]


def initial(project: Project) -> Initial:
    """Return `[tool.pinproof]` for `project`, which has none.

    Raises:
        InputError: there is one already, the places of a pin disagree, or nothing can be appended to the file.
    """
    document = project.pyproject
    if document.get(*ROOT) is not None:
        raise document.error(ROOT, "has [tool.pinproof] already", hint="edit it; docs/configuration.md names every key")
    pins, notes = _pins(project)
    section = _section(pins, hosts(project))
    raw = _appended(document.raw, section)
    _require_clean(document, raw)
    return Initial(section=section, raw=raw, notes=tuple(notes))


def _pins(project: Project) -> tuple[dict[str, Source], list[str]]:
    pins: dict[str, Source] = {}
    notes: list[str] = []
    declared = project.declared
    for name, packages in sorted(project.lock.by_name.items()):
        locked = [source for source in map(_git, packages) if source is not None]
        if not locked:
            continue
        origins = [o.source for d in declared.by_name.get(name, []) for o in d.direct if o.source is not None]
        if len({(source.location, source.commit) for source in locked}) > 1:
            notes.append(f"{name} is locked at several commits, and is not stated")
        elif not any(origin.kind == "git" and origin.reference.is_full_commit for origin in origins):
            notes.append(f"{name} is not declared by a full commit, and is not stated; write one as `rev` to pin it")
        else:
            pins[name] = locked[0]
    return pins, notes


def _git(package: Package) -> Source | None:
    source = package.source
    return source if isinstance(source, Source) and source.kind == "git" and source.commit else None


def hosts(project: Project) -> list[str]:
    """Return the hosts of registries and files in the lock, without those that `tool.uv.index` names."""
    known = set(_hosts_of_indexes(project.pyproject)) | set(_hosts_of_indexes(project.uv_toml))
    found = {host for package in project.lock.packages for host in _hosts_of(package)}
    return sorted(found - known)


def _hosts_of_indexes(document: Document | None) -> Iterator[str]:
    for keys in (("tool", "uv", "index"), ("index",)) if document else ():
        entries = document.get(*keys) if document else None
        for entry in entries if isinstance(entries, list) else ():
            if isinstance(entry, dict):
                yield from _host(entry.get("url"))


def _hosts_of(package: Package) -> Iterator[str]:
    if isinstance(package.source, Source) and package.source.kind in ("registry", "url"):
        yield from _host(package.source.location)
        for file in (package.table.get("sdist"), *(package.table.get("wheels") or ())):
            yield from _host(file.get("url") if isinstance(file, dict) else None)


def _host(url: object) -> Iterator[str]:
    if isinstance(url, str) and url.startswith(("https://", "http://")):
        name = urlsplit(url).hostname
        if name:
            yield name


def _section(pins: dict[str, Source], names: list[str]) -> str:
    own = tomlkit.table()
    if names:
        listed = tomlkit.array()
        listed.extend(names)
        own["hosts"] = listed.multiline(multiline=len(names) > 3)
    stated = tomlkit.table(is_super_table=True)
    for name, source in pins.items():
        entry: Table = tomlkit.table()
        entry["git"] = _without_credentials(source.location)
        entry["rev"] = source.commit
        stated[name] = entry
    if pins:
        own["pins"] = stated
    tool = tomlkit.table(is_super_table=True)
    tool["pinproof"] = own
    document = tomlkit.document()
    document["tool"] = tool
    return tomlkit.dumps(document).strip() + "\n"


def _without_credentials(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https"):
        return url
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def _appended(raw: bytes, section: str) -> bytes:
    newline = b"\r\n" if b"\r\n" in raw else b"\n"
    end = b"" if raw.endswith(b"\n") else newline
    return raw + end + newline + section.encode().replace(b"\n", newline)


def _require_clean(before: Document, raw: bytes) -> None:
    hint = "`tool` may be an inline table; write it as [tool.…] headers first"
    try:
        after = Document(before.path, raw)
    except InputError as error:
        raise InputError(before.path, f"cannot take a table [tool.pinproof]: {error}", hint=hint) from None
    problems = Config.load(after).problems
    if problems:
        raise InputError(before.path, f"would not be clean: {problems[0].message}", hint=hint)
