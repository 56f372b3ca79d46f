"""What a mutation is, and where in a project it is made."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .projects import Project
from .text import FIRST_PARTY, FOREIGN, LockText, changed_lines, edge_names, halves, kind_of

DIRECT, TRANSITIVE, EXTRA, GROUP, MEMBER, PIN = "direct", "transitive", "extra", "group", "member", "pin"
LOCAL = "local"
"""Needed by a project in a folder that is no member of the workspace."""
RELEASED = (DIRECT, TRANSITIVE, EXTRA, GROUP, MEMBER)
REQUIRED = (DIRECT, EXTRA, GROUP, MEMBER)
_SECTIONS = {
    DIRECT: "dependencies",
    MEMBER: "dependencies",
    LOCAL: "dependencies",
    TRANSITIVE: "dependencies",
    EXTRA: "optional-dependencies",
    GROUP: "dev-dependencies",
}


@dataclass(frozen=True)
class Target:
    """One place in a project: the entry that is edited, and the entry that depends on it."""

    project: Project
    lock: LockText
    place: str
    number: int
    owner: int

    @property
    def name(self) -> str:
        return str(self.lock.packages[self.number]["name"])

    @property
    def version(self) -> str:
        return str(self.lock.packages[self.number].get("version", ""))

    @property
    def entry(self) -> str:
        return self.lock.entries[self.number]

    @property
    def edges(self) -> str:
        """What the owner's entry locks."""
        return halves(self.lock.entries[self.owner])[0]

    @property
    def recorded(self) -> str:
        """What the owner's entry records."""
        return halves(self.lock.entries[self.owner])[1]

    def with_entry(self, text: str | None) -> str | None:
        return None if text is None or text == self.entry else self.lock.replaced({self.number: text})

    def with_edges(self, text: str | None) -> str | None:
        return None if text is None else self.lock.replaced({self.owner: text + self.recorded})

    def with_recorded(self, text: str | None) -> str | None:
        return None if text is None else self.lock.replaced({self.owner: self.edges + text})


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One way to change a lock.

    Attributes:
        name: what is done, in words.
        edit: returns the changed uv.lock, None where the place has nothing of the sort.
        places: where it is done.
        codes: the checks of which at least one has to find it in the two files; empty where they cannot show it.
        only: what shows it otherwise: `base`, or `online` where only the index or repository itself does.
        at: a text of which one occurrence must stand on a named line; without it a changed line must be named.
    """

    name: str
    edit: Callable[[Target], str | None]
    places: tuple[str, ...] = RELEASED
    codes: tuple[str, ...] = ()
    only: str = ""
    at: Callable[[Target], str] | None = None


@dataclass(frozen=True, slots=True)
class Mutation:
    """A kind at a place of a project."""

    kind: Kind
    target: Target
    lock: str

    @property
    def files(self) -> Mapping[str, str]:
        return {**self.target.project.files, "uv.lock": self.lock}

    @property
    def changed(self) -> range:
        return changed_lines(self.target.lock.text, self.lock)

    def __str__(self) -> str:
        return f"{self.target.project.name}, {self.target.place}: {self.kind.name}"


def targets(project: Project) -> Iterator[Target]:
    """Yield one target for each place that the project has."""
    lock = LockText(project.files["uv.lock"])
    packages = lock.packages
    owners = [number for number, package in enumerate(packages) if _is_own(project, package)]
    root = next((n for n in owners if _folder(packages[n]) == "."), None)
    taken: set[str] = set()
    members = re.findall(r'"([^"]*)"', next(iter(re.findall(r"(?ms)^members = \[(.*?)\]", lock.head)), ""))
    for place in (*RELEASED, LOCAL):
        candidates = range(len(packages)) if place == TRANSITIVE else owners
        found = next(
            (
                (lock.number(name), owner)
                for owner in candidates
                if _owns(place, packages[owner], members, is_root=owner == root)
                for name in sorted(edge_names(packages[owner], _SECTIONS[place]))
                if name not in taken and _suits(place, name, lock, owners, owner)
            ),
            None,
        )
        if found is not None:
            taken.add(lock.packages[found[0]]["name"])
            yield Target(project, lock, place, *found)
    yield from _pins(project, lock, owners)


def _folder(package: dict[str, Any]) -> str:
    return str(package["source"][kind_of(package)])


def _is_own(project: Project, package: dict[str, Any]) -> bool:
    """Whether the entry is the project's own, or a member's of which the declarations are at hand."""
    folder = _folder(package) if kind_of(package) in FIRST_PARTY else ""
    return folder == "." or (f"{folder}/pyproject.toml" in project.files and kind_of(package) != "directory")


def _owns(place: str, package: dict[str, Any], members: list[str], *, is_root: bool) -> bool:
    if place == TRANSITIVE:
        return kind_of(package) == "registry"
    if place == DIRECT:
        return is_root
    if place in (MEMBER, LOCAL):
        return not is_root and (package["name"] in members) == (place == MEMBER)
    return True


def _suits(place: str, name: str, lock: LockText, owners: list[int], owner: int) -> bool:
    """Whether `name` is a released package of one version with files, and needed from that place alone."""
    entries = [package for package in lock.packages if package["name"] == name]
    if len(entries) != 1 or kind_of(entries[0]) != "registry":
        return False
    if len(entries[0].get("wheels", [])) < 2 and place != TRANSITIVE and "sdist" not in entries[0]:
        return False
    if any(name in edge_names(package, "dependencies") for package in lock.packages if kind_of(package) in FOREIGN):
        return False  # it may come from wherever that dependent says, and the two files do not tell
    others = {
        other
        for number in owners
        for section in set(_SECTIONS.values())
        if not (number == owner and section == _SECTIONS[place])
        for other in edge_names(lock.packages[number], section)
    }
    return place == DIRECT or name not in others


def _pins(project: Project, lock: LockText, owners: list[int]) -> Iterator[Target]:
    for number, package in enumerate(lock.packages):
        if kind_of(package) != "git" or "rev=" not in package["source"]["git"]:
            continue
        for owner in owners:
            if any(package["name"] in edge_names(lock.packages[owner], section) for section in _SECTIONS.values()):
                yield Target(project, lock, PIN, number, owner)
                return


def mutations(project: Project, kinds: tuple[Kind, ...]) -> Iterator[Mutation]:
    """Yield every mutation of the project that changes it."""
    for target in targets(project):
        for kind in kinds:
            if target.place in kind.places:
                lock = kind.edit(target)
                if lock is not None and lock != target.lock.text:
                    yield Mutation(kind, target, lock)
