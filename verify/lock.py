"""What uv.lock says, as typed records that keep their key paths."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote

from .document import Document, Key, describe
from .files import InputError
from .requirement import normal_name
from .source import Source, SourceError, locked_source

if TYPE_CHECKING:
    from .graph import Graph

# No part of such a path begins with a dot or an escape, so none of them is `..`.
_PART = r"[A-Za-z0-9_~+!@=:,()-][A-Za-z0-9._~+%!@=:,()-]*"
_PLAIN = re.compile(rf"https://([a-z0-9.-]*[a-z-])/(?:{_PART}/)*({_PART})")
KNOWN_VERSION = 1
"""The lock schema version that uv writes; another one may mean anything."""


class Edge(NamedTuple):
    """One dependency edge of a package: `group` is the extra or group it belongs to, `kind` says which.

    `array` is the key path of the list that it stands in, at `number`. `name` is the normalised name of the package
    that it leads to.
    """

    array: tuple[Key, ...]
    number: int
    table: dict[str, Any]
    kind: str
    group: str
    name: str

    @property
    def keys(self) -> tuple[Key, ...]:
        return (*self.array, self.number)


class Recorded(NamedTuple):
    """One recorded requirement. `kind`: requires-dist, requires-dev, or a list of the manifest."""

    keys: tuple[Key, ...]
    table: dict[str, Any]
    kind: str
    group: str = ""

    @property
    def name(self) -> str:
        return normal_name(str(self.table.get("name", "")))


class File:
    """One file of a package: the source distribution or a wheel.

    A plain class, for a lock has thousands of them, and several checks ask each for its name.

    Attributes:
        package: the entry that it belongs to.
        keys: key path of its table.
        table: what the lock says of it.
        kind: sdist or wheel.
        url: the URL or local path; empty where the entry has neither.
        plain_host: the host of a URL that needs no second look: https, no port, and nothing that hides where it leads;
            empty for every other.
        name: the file name: the last part of the URL or path, decoded.
    """

    __slots__ = ("keys", "kind", "name", "package", "plain_host", "table", "url")

    def __init__(self, package: Package, keys: tuple[Key, ...], table: dict[str, Any], kind: str) -> None:
        self.package = package
        self.keys = keys
        self.table = table
        self.kind = kind
        url = table.get("url")
        self.url = url = url if isinstance(url, str) and url else str(url or table.get("path") or "")
        plain = _PLAIN.fullmatch(url)
        self.plain_host, name = plain.groups() if plain and "xn--" not in url else ("", _last_part(url))
        self.name = unquote(name) if "%" in name else name
        if "filename" in table and isinstance(table["filename"], str):
            self.name = table["filename"]


def _last_part(url: str) -> str:
    return url.partition("#")[0].partition("?")[0].rstrip("/").rpartition("/")[2]


@dataclass(frozen=True)
class Package:
    """One `[[package]]` entry."""

    keys: tuple[Key, ...]
    table: dict[str, Any]

    @cached_property
    def name(self) -> str:
        return normal_name(str(self.table.get("name", "")))

    @property
    def version(self) -> str:
        return str(self.table.get("version", ""))

    @cached_property
    def source(self) -> Source | SourceError:
        """The source, or what is wrong with it."""
        table = self.table.get("source")
        if not isinstance(table, dict):
            return SourceError("no source table")
        try:
            return locked_source(table)
        except SourceError as error:
            return error

    @cached_property
    def source_kind(self) -> str:
        """git, registry, url, path or directory; empty where the source cannot be read."""
        return self.source.kind if isinstance(self.source, Source) else ""

    @cached_property
    def origin(self) -> str:
        """The index of a released package; for others the kind of source."""
        source = self.source
        return source.location if isinstance(source, Source) and source.kind == "registry" else self.source_kind

    @property
    def source_keys(self) -> tuple[Key, ...]:
        return (*self.keys, "source")

    @cached_property
    def files(self) -> tuple[File, ...]:
        """The source distribution and the wheels that the entry names."""
        return tuple(self._files())

    def _files(self) -> Iterator[File]:
        sdist = self.table.get("sdist")
        if isinstance(sdist, dict):
            yield File(self, (*self.keys, "sdist"), sdist, "sdist")
        wheels = self.table.get("wheels")
        for number, table in enumerate(wheels if isinstance(wheels, list) else ()):
            if isinstance(table, dict):
                yield File(self, (*self.keys, "wheels", number), table, "wheel")

    @cached_property
    def edges(self) -> tuple[Edge, ...]:
        """Its dependency edges, those of the extras and groups included."""
        return tuple(self._all_edges())

    def _all_edges(self) -> Iterator[Edge]:
        yield from self._edges(("dependencies",), "dependencies", "")
        for kind in ("optional-dependencies", "dev-dependencies"):
            groups = self.table.get(kind)
            for group in groups if isinstance(groups, dict) else ():
                yield from self._edges((kind, group), kind, str(group))

    def _edges(self, path: tuple[str, ...], kind: str, group: str) -> Iterator[Edge]:
        entries: Any = self.table
        for key in path:
            entries = entries.get(key) if isinstance(entries, dict) else None
        array = (*self.keys, *path)
        for number, table in enumerate(entries if isinstance(entries, list) else ()):
            if isinstance(table, dict):
                yield Edge(array, number, table, kind, group, normal_name(str(table.get("name", ""))))

    def recorded(self) -> Iterator[Recorded]:
        metadata = self.table.get("metadata")
        if not isinstance(metadata, dict):
            return
        yield from _recorded(metadata.get("requires-dist"), (*self.keys, "metadata", "requires-dist"), "requires-dist")
        groups = metadata.get("requires-dev")
        for group, entries in (groups if isinstance(groups, dict) else {}).items():
            keys = (*self.keys, "metadata", "requires-dev", group)
            yield from _recorded(entries, keys, "requires-dev", str(group))


def _recorded(entries: object, keys: tuple[Key, ...], kind: str, group: str = "") -> Iterator[Recorded]:
    for number, table in enumerate(entries if isinstance(entries, list) else ()):
        if isinstance(table, dict):
            yield Recorded((*keys, number), table, kind, group)


class Lock:
    """uv.lock: its packages, by name and in order, and its manifest."""

    def __init__(self, document: Document) -> None:
        """Raises `InputError` when the schema version is unknown or the packages are not tables."""
        self.document = document
        version = document.data.get("version")
        if version != KNOWN_VERSION or isinstance(version, bool):
            found = "no `version`" if version is None else f"schema version {version!r}"
            raise document.error(
                ("version",), f"has {found}, expected {KNOWN_VERSION}", hint="re-lock with uv, or update pinproof"
            )
        key = "package" if "package" in document.data else "distribution"
        entries = document.data.get(key, [])
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            raise InputError(document.path, f"`{key}` is {describe(entries)}, expected an array of tables")
        self.packages = tuple(Package((key, number), table) for number, table in enumerate(entries))

    @cached_property
    def members(self) -> frozenset[str]:
        """Normalised names of the workspace's members, as the manifest lists them."""
        listed = self.document.get("manifest", "members")
        return frozenset(normal_name(str(name)) for name in listed) if isinstance(listed, list) else frozenset()

    @cached_property
    def files(self) -> tuple[File, ...]:
        """Every file of every package, in order."""
        return tuple(file for package in self.packages for file in package.files)

    @cached_property
    def graph(self) -> Graph:
        """Its packages as a graph, made once for all checks."""
        from .graph import Graph

        return Graph(self)

    @cached_property
    def by_name(self) -> dict[str, list[Package]]:
        names: dict[str, list[Package]] = {}
        for package in self.packages:
            names.setdefault(package.name, []).append(package)
        return names

    def manifest(self, kind: str) -> Iterator[Recorded]:
        """Yield the recorded requirements of one list of the manifest: constraints, overrides, requirements, ..."""
        yield from _recorded(self.document.get("manifest", kind), ("manifest", kind), kind)

    def manifest_groups(self) -> Iterator[Recorded]:
        groups = self.document.get("manifest", "dependency-groups")
        for group, entries in (groups if isinstance(groups, dict) else {}).items():
            keys = ("manifest", "dependency-groups", group)
            yield from _recorded(entries, keys, "dependency-groups", str(group))
