"""Every place that says where a package comes from agrees.

Four places do: pyproject.toml (*declared*), the requirements that uv.lock repeats (*recorded*), the source of the
`[[package]]` entry (*locked*), which is what gets installed, and the dependency *edges*, which repeat it where a name
has several entries. `[tool.pinproof.pins.NAME]` states the reviewed commit as a fifth. uv compares the first two and
never the last two with them: a lock whose `[[package]]` names another commit, another host or a registry instead of
git passes `uv lock --check`, and `uv sync --locked` installs it. Compared are repository, commit or reference,
subdirectory and kind of source, for every git, url, path and directory source.

Example: pyproject.toml has `rev = "7bb37d6…"`, and the `source` of the package in uv.lock ends in `#5e79811…`.

Fix: find out which place is right. If it is pyproject.toml, run `uv lock`; if the lock was edited on purpose, change
the declaration and let uv write the lock. Then review the commit again.

How to allow: not at all; a disagreement means that what was reviewed is not what is installed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ..agreement import difference
from ..config import Pin
from ..context import Context
from ..declared import Declaration, Origin
from ..document import Document, Key
from ..lock import Edge, Lock, Recorded
from ..model import Fact, Finding, Location, Related, Tally
from ..project import Member, Project
from ..requirement import normal_name
from ..source import Source, SourceError, locked_source, recorded_source, same_place
from ..words import counted

CODE = "PIN001"
DIRECT = ("git", "url", "path", "directory", "workspace")
_HINT = "find out which place is right; then `uv lock` writes the lock anew, and the commit has to be reviewed again"


class Place(NamedTuple):
    """One of the places that name a source: its role in words, where it stands, and what it says."""

    role: str
    document: Document
    keys: tuple[Key, ...]
    source: Source

    def related(self) -> Related:
        return Related(self.location(), f"{self.role}: {self.source}")

    def location(self) -> Location:
        return self.document.locate(*self.keys)


def run(context: Context) -> Iterator[Finding | Tally]:
    places = _Places(context.project)
    yield from places.broken()
    names = sorted(places.names() | set(context.config.pins))
    packages = [_Package(name, places, context.config.pins.get(name)) for name in names]
    for package in packages:
        yield from package.findings()
    root = context.project.root_package
    detail = _detail(places, len(names) - (root is not None and root.name in names))
    yield Tally(detail=detail, facts=tuple(fact for package in packages for fact in package.facts()))


def _detail(places: _Places, count: int) -> str:
    notes = []
    if places.project.lock.packages and not places.has_metadata:
        notes.append("the lock records no requirements")
    if places.declared.dynamic_members:
        notes.append(f"{counted(len(places.declared.dynamic_members), 'project')} with dynamic dependencies")
    absent = sum(member.document is None for member in places.project.members.values())
    if absent:
        notes.append(f"incomplete checkout, {counted(absent, 'member')} absent")
    return f"{counted(count, 'package')} with git, url or local sources" + "".join(f"; {note}" for note in notes)


class _Places:
    """All places of one project, by package."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.lock: Lock = project.lock
        self.declared = project.declared
        self.recorded: dict[str, list[tuple[str, Recorded, Source]]] = {}
        self.edges: dict[str, list[Edge]] = {}
        self._broken: list[Finding] = []
        self.has_metadata = any("metadata" in package.table for package in self.lock.packages)
        self._read_recorded()
        self._read_edges()

    def names(self) -> set[str]:
        """Names with a source beside the registry, declared, recorded or locked."""
        declared = {d.name for d in self.declared.all if d.direct}
        locked = {p.name for p in self.lock.packages if isinstance(p.source, Source) and p.source.kind in DIRECT}
        return declared | set(self.recorded) | locked

    def broken(self) -> Iterator[Finding]:
        """Yield what cannot be read as a source at all."""
        yield from self._broken
        for package in self.lock.packages:
            if isinstance(package.source, SourceError):
                message = f"the locked source of {package.name} cannot be trusted: {package.source}"
                yield self._finding(message, self.lock.document, package.source_keys, package.name)
        self.declared.all  # noqa: B018 - collects what is unreadable
        for problem in self.declared.unreadable:
            yield self._finding(problem.message, problem.document, problem.keys, None)

    def _read_recorded(self) -> None:
        for member in self.project.members.values():
            for entry in member.package.recorded() if member.package else ():
                self._record(member.folder, entry)
        for kind in ("overrides", "constraints", "build-constraints", "requirements"):
            for entry in self.lock.manifest(kind):
                self._record(kind, entry)
        for entry in self.lock.manifest_groups():
            self._record(".", entry)

    def _record(self, where: str, entry: Recorded) -> None:
        try:
            source = recorded_source(entry.table)
        except SourceError as error:
            message = f"the recorded source of {entry.name} cannot be trusted: {error}"
            self._broken.append(self._finding(message, self.lock.document, entry.keys, entry.name))
            return
        if source is not None and source.kind in DIRECT:
            self.recorded.setdefault(entry.name, []).append((where, entry, source))

    def _read_edges(self) -> None:
        for package in self.lock.packages:
            for edge in package.edges:
                if "source" in edge.table:
                    self.edges.setdefault(edge.name, []).append(edge)

    def _finding(self, message: str, document: Document, keys: tuple[Key, ...], package: str | None) -> Finding:
        return Finding(code=CODE, message=message, location=document.locate(*keys), hint=_HINT, package=package)


class _Package:
    """The places of one package, compared."""

    def __init__(self, name: str, places: _Places, pin: Pin | None) -> None:
        self.name = name
        self.places = places
        self.pin = pin
        self.document = places.lock.document
        self.locked = [
            Place("locked", self.document, (*p.source_keys, p.source.kind), p.source)
            for p in places.lock.by_name.get(name, [])
            if isinstance(p.source, Source)
        ]
        self.declared = [
            self._declared(d, origin) for d in places.declared.by_name.get(name, []) for origin in d.direct
        ]

    def findings(self) -> Iterator[Finding]:
        yield from self._stated()
        locked = list(self._locked_agree())
        yield from locked
        told = {finding.location for finding in locked}
        # A finding about the lock names the recorded places too: the same line is told once.
        yield from (finding for finding in self._recorded_agree() if finding.location not in told)
        yield from self._edges_agree()

    def facts(self) -> Iterator[Fact]:
        """Yield what each place says about a git source or a stated pin."""
        if self.pin is not None:
            stated = ", ".join(filter(None, [self.pin.git, self.pin.rev and f"rev {self.pin.rev}"]))
            yield Fact(subject=self.name, role="reviewed", value=stated or "no commit is stated")
        for place in (*self.declared, *self.locked):
            if self.pin is not None or place.source.kind == "git":
                yield Fact(subject=self.name, role=place.role, value=str(place.source))

    # ---- stated ----

    def _stated(self) -> Iterator[Finding]:
        if self.pin is None or (self.pin.rev is None and self.pin.git is None):
            return
        git = [place for place in (*self.declared, *self._recorded(), *self.locked) if place.source.kind == "git"]
        for role in ("declared", "locked"):
            if not any(place.role.startswith(role) for place in git):
                yield self._finding(f"{self.name} is stated as a git pin, and not {role} as one", [], self._stated_keys)
        wrong = [place for place in git if self._differs_from_stated(place.source)]
        if wrong:
            what = self._differs_from_stated(wrong[0].source)
            yield self._finding(f"{self.name}: another {what} than the reviewed one", wrong, self._stated_keys)

    @property
    def _stated_keys(self) -> tuple[Key, ...]:
        assert self.pin is not None  # noqa: S101 - only called for a stated pin
        return (*self.pin.keys, "rev" if self.pin.rev else "git")

    def _differs_from_stated(self, source: Source) -> str | None:
        assert self.pin is not None  # noqa: S101 - only called for a stated pin
        if self.pin.git and same_place(self.pin.git) != same_place(source.location):
            return "repository"
        if not self.pin.rev:
            return None
        asked = source.reference.value.lower()
        if source.reference.is_full_commit and asked != self.pin.rev:
            return "commit"
        if source.commit and source.commit.lower() != self.pin.rev:
            return "commit"
        return "commit" if source.reference.is_short_commit and not self.pin.rev.startswith(asked) else None

    # ---- declared and recorded ----

    def _recorded_agree(self) -> Iterator[Finding]:
        for folder, member in self.places.project.members.items():
            if self.places.has_metadata and member.document is not None and self._comparable(member):
                yield from self._member_agrees(folder)
        for kind, manifest in (
            ("override", "overrides"),
            ("constraint", "constraints"),
            ("build-constraint", "build-constraints"),
        ):
            declared = [p for p in self.declared if p.role == f"declared as {kind}"]
            yield from self._both_ways(declared, self._recorded(manifest))

    def _comparable(self, member: Member) -> bool:
        if member.folder == ".":
            return True
        return member.package is not None and "metadata" in member.package.table

    def _member_agrees(self, folder: str) -> Iterator[Finding]:
        dynamic = self.places.declared.dynamic
        unknown = (folder, "dependencies") in dynamic or (folder, "optional-dependencies") in dynamic
        declared = [
            self._declared(d, origin)
            for d in self.places.declared.by_name.get(self.name, [])
            if d.member == folder and d.kind in ("dependencies", "extra", "group")
            for origin in d.direct
        ]
        if unknown:
            # What is required is known to a build only, but its sources stand in the file.
            origins, _ = self.places.declared.sources_of(folder).origins(self.name, "dependencies", "")
            declared += [self._place("declared", o) for o in origins if o.source and o.source.kind in DIRECT]
        recorded = self._recorded(folder)
        yield from self._both_ways(declared, recorded, one_way=unknown)

    def _both_ways(self, declared: list[Place], recorded: list[Place], *, one_way: bool = False) -> Iterator[Finding]:
        unrecorded = [d for d in declared if not any(_agree(d.source, r.source) for r in recorded)]
        undeclared = [r for r in recorded if not any(_agree(d.source, r.source) for d in declared)]
        if unrecorded and not (one_way and not undeclared):
            what = self._what(unrecorded[0], undeclared)
            yield self._finding(
                f"{self.name}: {what}", [*unrecorded[1:], *undeclared, *self._locked_places()], unrecorded[0]
            )
        elif undeclared and not (one_way and not declared):
            message = f"{self.name}: uv.lock records a source that pyproject.toml does not declare"
            yield self._finding(message, [*undeclared[1:], *declared], undeclared[0])

    # ---- declared and locked ----

    def _locked_agree(self) -> Iterator[Finding]:
        effective, optional = self._effective()
        if not effective:
            return
        unlocked = [e for e in effective if not any(difference(e.source, p.source) is None for p in self.locked)]
        known = [*effective, *optional]
        foreign = [
            p
            for p in self.locked
            if p.source.kind in DIRECT and not any(difference(k.source, p.source) is None for k in known)
        ]
        if not self.locked:
            yield from self._absent()
        elif unlocked:
            others = foreign or [p for p in self.locked if not any(_agree(k.source, p.source) for k in known)]
            what = self._what(unlocked[0], others)
            related = [*unlocked[1:], *others, *self._recorded(), *self._edge_places(others)]
            yield self._finding(f"{self.name}: {what}", related, unlocked[0])
        elif foreign:
            message = f"{self.name}: locked from a source that nothing declares"
            yield self._finding(message, [*foreign[1:], *known, *self._edge_places(foreign)], foreign[0])

    def _absent(self) -> Iterator[Finding]:
        """Report a source of the root that is needed in every environment, and recorded, and has no entry at all."""
        if any(entry == self.name for entry in _excluded(self.places.project)):
            return
        for declaration in self.places.declared.by_name.get(self.name, []):
            plain = declaration.member == "." and declaration.kind in ("dependencies", "extra", "group")
            needed = [o for o in declaration.direct if plain and not o.marker and not declaration.requirement.marker]
            if needed and self._recorded("."):
                place = self._declared(declaration, needed[0])
                message = f"{self.name}: declared and recorded, and uv.lock has no entry for it"
                yield self._finding(message, self._recorded("."), place)
                return

    def _effective(self) -> tuple[list[Place], list[Place]]:
        """Return the declared sources that must be locked, and those that may be instead."""
        declarations = self.places.declared.by_name.get(self.name, [])
        overrides = [d for d in declarations if d.kind == "override"]
        if overrides:
            return [self._declared(d, o) for d in overrides for o in d.direct], []
        must: list[Place] = []
        may: list[Place] = []
        for declaration in declarations:
            if declaration.kind == "build-constraint":
                continue
            binding = declaration.member == "." and declaration.kind in ("dependencies", "extra", "group")
            for origin in declaration.direct:
                target = must if binding or declaration.kind == "constraint" else may
                target.append(self._declared(declaration, origin))
        if not must:
            must, may = self._members_bind(may)
        return must, [*may, *self._recorded_elsewhere()]

    def _members_bind(self, members: list[Place]) -> tuple[list[Place], list[Place]]:
        """Where the root says nothing, members that agree among themselves bind the lock."""
        agreed = [p for p in members if p.role != "declared as dependency-metadata"]
        if agreed and all(_agree(agreed[0].source, place.source) for place in agreed):
            return agreed, members
        return [], members

    def _recorded_elsewhere(self) -> list[Place]:
        """Recorded sources of members whose own files are absent or dynamic: what they declare is not known here."""
        folders = {m.folder for m in self.places.project.members.values() if m.document is None}
        folders |= self.places.declared.dynamic_members
        return [place for folder in folders for place in self._recorded(folder)]

    # ---- edges ----

    def _edges_agree(self) -> Iterator[Finding]:
        for edge in self.places.edges.get(self.name, []):
            try:
                source = locked_source(edge.table["source"]) if isinstance(edge.table["source"], dict) else None
            except SourceError as error:
                message = f"{self.name}: the source of a dependency edge cannot be trusted: {error}"
                yield self._finding(message, self.locked, edge.keys)
                continue
            if source is None or any(_identical(source, place.source) for place in self.locked):
                continue
            place = Place("edge", self.document, edge.keys, source)
            yield self._finding(f"{self.name}: a dependency edge names a source that no entry has", self.locked, place)

    def _edge_places(self, wrong: list[Place]) -> list[Place]:
        found = []
        for edge in self.places.edges.get(self.name, []):
            try:
                source = locked_source(edge.table["source"])
            except (SourceError, TypeError, AttributeError):
                continue
            if any(_identical(source, place.source) for place in wrong):
                found.append(Place("edge", self.document, edge.keys, source))
        return found

    # ---- places and findings ----

    def _declared(self, declaration: Declaration, origin: Origin) -> Place:
        plain = declaration.kind in ("dependencies", "extra", "group")
        return self._place("declared" if plain else f"declared as {declaration.kind}", origin)

    def _place(self, role: str, origin: Origin) -> Place:
        assert origin.source is not None  # noqa: S101 - callers pass direct origins
        return Place(role, origin.document, self._key(origin), origin.source)

    def _key(self, origin: Origin) -> tuple[Key, ...]:
        assert origin.source is not None  # noqa: S101 - callers pass direct origins
        if origin.keys[:3] != ("tool", "uv", "sources"):
            return origin.keys
        kind = origin.source.reference.kind or origin.source.kind
        return (*origin.keys, "path" if kind == "directory" else kind)

    def _recorded(self, where: str | None = None) -> list[Place]:
        return [
            Place("recorded", self.document, entry.keys, source)
            for folder, entry, source in self.places.recorded.get(self.name, [])
            if where is None or folder == where
        ]

    def _locked_places(self) -> list[Place]:
        return [*self.locked, *self._edge_places(self.locked)]

    def _what(self, wanted: Place, others: list[Place]) -> str:
        if not others:
            return f"{wanted.role} as {wanted.source}, and uv.lock has no such source"
        closest = min(others, key=lambda place: place.source.kind != wanted.source.kind)
        what = difference(wanted.source, closest.source)
        return f"another {what} is {closest.role} than {wanted.role}"

    def _finding(self, message: str, places: list[Place], at: Place | tuple[Key, ...]) -> Finding:
        related = []
        if isinstance(at, Place):
            location = at.location()
            related.append(at.related())
        else:
            location = self._config_location(at)
        related += [place.related() for place in places]
        unique = tuple(dict.fromkeys(related))
        return Finding(code=CODE, message=message, location=location, related=unique, hint=_HINT, package=self.name)

    def _config_location(self, keys: tuple[Key, ...]) -> Location:
        document = self.places.project.pyproject if keys[:2] == ("tool", "pinproof") else self.document
        return document.locate(*keys)


def _excluded(project: Project) -> list[str]:
    names = project.lock_document.get("manifest", "excludes")
    return [normal_name(str(name)) for name in (names if isinstance(names, list) else ())]


def _agree(one: Source, other: Source) -> bool:
    """Whether two sources that name no commit of their own ask for the same thing."""
    return difference(one, other) is None


def _identical(edge: Source, locked: Source) -> bool:
    return edge.kind == locked.kind and edge.location == locked.location and edge.commit == locked.commit
