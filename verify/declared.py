"""What pyproject.toml declares: every requirement with the sources that uv would use for it."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from packaging.requirements import Requirement

from .document import Document, Key
from .project import Member, Project
from .requirement import normal_name, parse_requirement
from .source import Source, SourceError, declared_source, direct_url

UV = ("tool", "uv")
SOURCES = (*UV, "sources")


class Origin(NamedTuple):
    """One place from which a requirement is taken: `source` is None for the registry."""

    source: Source | None
    keys: tuple[Key, ...]
    document: Document
    marker: str = ""


class Declaration(NamedTuple):
    """One requirement string, and the origins that apply to it.

    Attributes:
        name: normalised.
        member: folder of the project that declares it; `.` is the root.
        kind: dependencies, extra, group, override, constraint, build-constraint or dependency-metadata.
        group: name of the extra or group; of the package, for dependency metadata.
        keys: where the string stands in `document`.
        origins: where the package comes from; several where sources are split by marker.
        complete: the origins cover every environment, so the registry is not one of them.
    """

    name: str
    member: str
    kind: str
    group: str
    requirement: Requirement
    document: Document
    keys: tuple[Key, ...]
    origins: tuple[Origin, ...]
    complete: bool

    @property
    def direct(self) -> tuple[Origin, ...]:
        """The origins that are not the registry."""
        return tuple(origin for origin in self.origins if origin.source and origin.source.kind != "registry")


class Unreadable(NamedTuple):
    """A requirement or source that cannot be read."""

    document: Document
    keys: tuple[Key, ...]
    message: str


class Declared:
    """Every declaration of the root, its members and its path dependencies, as far as they are in the checkout."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.unreadable: list[Unreadable] = []
        self._root_sources = _Sources(project.pyproject, ".", self.unreadable, place=project.tree.place)

    @cached_property
    def all(self) -> tuple[Declaration, ...]:
        found: list[Declaration] = []
        for member in self.project.members.values():
            if member.document is not None:
                found.extend(self._of_member(member, member.document))
        found.extend(self._of_root())
        return tuple(found)

    @cached_property
    def by_name(self) -> dict[str, list[Declaration]]:
        names: dict[str, list[Declaration]] = {}
        for declaration in self.all:
            names.setdefault(declaration.name, []).append(declaration)
        return names

    @cached_property
    def dynamic(self) -> frozenset[tuple[str, str]]:
        """(member, key) of `[project]` keys that only a build can tell: dependencies or optional-dependencies."""
        found = set()
        for member in self.project.members.values():
            names = member.document.get("project", "dynamic") if member.document else None
            found |= {(member.folder, str(name)) for name in (names if isinstance(names, list) else ())}
        return frozenset(found)

    @cached_property
    def dynamic_members(self) -> frozenset[str]:
        """Folders of the projects whose dependencies only a build can tell."""
        return frozenset(folder for folder, key in self.dynamic if key in ("dependencies", "optional-dependencies"))

    def sources_of(self, member: str) -> _Sources:
        """Return the sources that apply in the project of the folder `member`."""
        if member == ".":
            return self._root_sources
        document = self.project.members[member].document
        assert document is not None  # noqa: S101 - only members in the checkout declare anything
        fallback = self._root_sources if self._inherits(member) else None
        return _Sources(document, member, self.unreadable, place=self.project.tree.place, fallback=fallback)

    def _inherits(self, member: str) -> bool:
        """Whether the root's sources reach this project: a member of its workspace, not a path dependency.

        Nor a member inside the folder of another project: uv (0.13.9) looks for the workspace from there.
        """
        if self.project.members[member].name not in self.project.lock.members:
            return False
        above = PurePosixPath(member).parents
        return not any(str(folder) in self.project.members for folder in above if str(folder) != ".")

    def _of_member(self, member: Member, document: Document) -> Iterator[Declaration]:
        sources = self.sources_of(member.folder)
        for kind, group, keys, text in _requirements(document, self.unreadable):
            yield from self._declare(text, kind, group, keys, document, sources)

    def _of_root(self) -> Iterator[Declaration]:
        document = self.project.pyproject
        for kind in ("override", "constraint", "build-constraint"):
            keys = (*UV, f"{kind}-dependencies")
            for number, text in _numbered(document.get(*keys)):
                # uv applies sources to overrides and constraints of the root, not to build constraints.
                sources = _NO_SOURCES if kind == "build-constraint" else self._root_sources
                yield from self._declare(text, kind, "", (*keys, number), document, sources)
        metadata = document.get(*UV, "dependency-metadata")
        for number, entry in enumerate(metadata if isinstance(metadata, list) else ()):
            if not isinstance(entry, dict):
                continue
            for position, text in _numbered(entry.get("requires-dist")):
                place = (*UV, "dependency-metadata", number, "requires-dist", position)
                group = normal_name(str(entry.get("name", "")))
                yield from self._declare(text, "dependency-metadata", group, place, document, _NO_SOURCES)

    def _declare(
        self, text: str, kind: str, group: str, keys: tuple[Key, ...], document: Document, sources: _Sources
    ) -> Iterator[Declaration]:
        requirement = parse_requirement(text)
        if requirement is None:
            self.unreadable.append(Unreadable(document, keys, f"the requirement `{text}` cannot be read"))
            return
        name = normal_name(requirement.name)
        origins, complete = sources.origins(name, kind, group)
        if not origins and requirement.url:
            place = Origin(_from(sources, direct_url(requirement.url)), keys, document)
            origins, complete = (place,), True
        yield Declaration(name, sources.folder, kind, group, requirement, document, keys, origins, complete)


class _Sources:
    """`[tool.uv.sources]` of one project; names that it lacks come from the workspace root."""

    def __init__(
        self,
        document: Document | None,
        folder: str,
        unreadable: list[Unreadable],
        *,
        place: str = ".",
        fallback: _Sources | None = None,
    ) -> None:
        self.folder = folder
        self.place = place
        self.entries: dict[str, list[tuple[dict[str, Any], Origin]]] = {}
        self._fallback = fallback
        table = document.get(*SOURCES) if document else None
        for name, value in (table if isinstance(table, dict) else {}).items():
            several = isinstance(value, list)
            for number, entry in enumerate(value if several else [value]):
                keys: tuple[Key, ...] = (*SOURCES, name, number) if several else (*SOURCES, name)
                if not isinstance(entry, dict) or document is None:
                    continue
                try:
                    source = declared_source(entry)
                except SourceError as error:
                    unreadable.append(Unreadable(document, keys, f"the source of {name} cannot be read: {error}"))
                    continue
                if source is None and isinstance(entry.get("index"), str):
                    source = Source("registry", entry["index"])
                origin = Origin(_from(self, source), keys, document, str(entry.get("marker", "")))
                self.entries.setdefault(normal_name(name), []).append((entry, origin))

    def origins(self, name: str, kind: str, group: str) -> tuple[tuple[Origin, ...], bool]:
        """Return the origins for a requirement of this kind and group, and whether they cover every environment."""
        if name not in self.entries:
            return self._fallback.origins(name, kind, group) if self._fallback else ((), False)
        found = [
            origin
            for entry, origin in self.entries[name]
            if ("extra" not in entry or (kind == "extra" and normal_name(str(entry["extra"])) == group))
            and ("group" not in entry or (kind == "group" and normal_name(str(entry["group"])) == group))
        ]
        return tuple(found), any(not origin.marker for origin in found)


_NO_SOURCES = _Sources(None, ".", [])


def _requirements(document: Document, unreadable: list[Unreadable]) -> Iterator[tuple[str, str, tuple[Key, ...], str]]:
    """Yield kind, group, key path and text of the requirements of one pyproject.toml."""
    dynamic = _strings(document.get("project", "dynamic"))
    if "dependencies" not in dynamic:
        for number, text in _numbered(document.get("project", "dependencies")):
            yield "dependencies", "", ("project", "dependencies", number), text
    extras = document.get("project", "optional-dependencies")
    if isinstance(extras, dict) and "optional-dependencies" not in dynamic:
        for extra, texts in extras.items():
            for number, text in _numbered(texts):
                keys: tuple[Key, ...] = ("project", "optional-dependencies", extra, number)
                yield "extra", normal_name(extra), keys, text
    groups = document.get("dependency-groups")
    if isinstance(groups, dict):
        for group in groups:
            for keys, text in _group(document, groups, group, (), unreadable):
                yield "group", normal_name(group), keys, text
    for number, text in _numbered(document.get(*UV, "dev-dependencies")):
        yield "group", "dev", (*UV, "dev-dependencies", number), text


def _group(
    document: Document, groups: dict[str, Any], name: str, above: tuple[str, ...], unreadable: list[Unreadable]
) -> Iterator[tuple[tuple[Key, ...], str]]:
    """Yield the requirements of a dependency group (PEP 735), included groups among them."""
    entries = groups.get(name)
    for number, entry in enumerate(entries if isinstance(entries, list) else ()):
        keys: tuple[Key, ...] = ("dependency-groups", name, number)
        if isinstance(entry, str):
            yield keys, entry
            continue
        included = entry.get("include-group") if isinstance(entry, dict) else None
        wanted = normal_name(included) if isinstance(included, str) else ""
        target = next((group for group in groups if normal_name(group) == wanted), None)
        if target is None or target in (*above, name):
            what = "includes itself" if target else "is not there"
            unreadable.append(Unreadable(document, keys, f"the included group `{included}` {what}"))
            continue
        yield from _group(document, groups, target, (*above, name), unreadable)


def _strings(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _numbered(value: object) -> Iterator[tuple[int, str]]:
    """Yield the strings of an array with their positions; what else stands there is not a requirement."""
    for number, item in enumerate(value if isinstance(value, list) else ()):
        if isinstance(item, str):
            yield number, item


def _from(sources: _Sources, source: Source | None) -> Source | None:
    """Return a local source relative to the project's root instead of the folder that declares it."""
    if source is None or source.kind not in ("path", "directory") or source.location.startswith(("/", "~")):
        return source
    # By way of the top of all that can be read: `../app`, seen from the folder `app` itself, is that folder.
    there = posixpath.normpath(posixpath.join(sources.place, sources.folder, source.location))
    return source._replace(location=posixpath.relpath(there, sources.place))
