"""What one local package requires, scope by scope, as the lock records it and as its edges have it.

A scope is the package itself, one of its extras, or one of its dependency groups.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from .lock import Edge, Lock, Package, Recorded
from .markers import CannotTellError, Condition, Universe, condition
from .requirement import normal_name, parse_requirement


class Wanted(NamedTuple):
    """A recorded requirement that applies in a scope, and when."""

    entry: Recorded
    when: Condition


@dataclass(slots=True)
class Scope:
    """`kind` is dependencies, optional-dependencies or dev-dependencies; `name` that of the extra or group.

    `wanted` and `edges` are by normalised name of the package. `unclear` holds the names of which it cannot be told
    whether, or when, they are required here.
    """

    kind: str
    name: str
    wanted: dict[str, list[Wanted]] = field(default_factory=dict)
    edges: dict[str, list[Edge]] = field(default_factory=dict)
    unclear: set[str] = field(default_factory=set)

    def __str__(self) -> str:
        words = {"optional-dependencies": "extra", "dev-dependencies": "group"}
        return f"{words[self.kind]} {self.name}" if self.name else "dependencies"

    def want(self, wanted: Wanted) -> None:
        self.wanted.setdefault(wanted.entry.name, []).append(wanted)

    def lead(self, edge: Edge) -> None:
        self.edges.setdefault(edge.name, []).append(edge)


def marker_of(table: dict[str, object]) -> str:
    """Return the marker of a recorded requirement or an edge, empty where it has none."""
    marker = table.get("marker")
    return marker if isinstance(marker, str) else ""


def recorded_scopes(package: Package, universe: Universe, *, expand: bool = True) -> list[Scope]:
    """Return the scopes of `package` that record a requirement or have an edge.

    A recorded requirement belongs to the package itself where its marker can be true without any extra, else to each
    extra with which it can be. With `expand`, a package that requires an extra of its own has what that extra requires.
    """
    found: dict[tuple[str, str], Scope] = {}

    def scope(kind: str, name: str) -> Scope:
        return found.setdefault((kind, name), Scope(kind, name))

    extras = _extras(package)
    for entry in package.recorded():
        if entry.kind == "requires-dev":
            when = condition(marker_of(entry.table))
            scope("dev-dependencies", normal_name(entry.group)).want(Wanted(entry, when))
            continue
        try:
            for kind, name, when in _places(marker_of(entry.table), extras, universe):
                scope(kind, name).want(Wanted(entry, when))
        except CannotTellError:
            for extra in ("", *extras):
                scope("optional-dependencies" if extra else "dependencies", extra).unclear.add(entry.name)
    for edge in package.edges:
        scope(edge.kind, normal_name(edge.group) if edge.group else "").lead(edge)
    for one in found.values():
        if expand and package.name in one.wanted and one.kind != "dev-dependencies":
            _add_own_extras(package, found, one)
    return list(found.values())


def _add_own_extras(package: Package, found: dict[tuple[str, str], Scope], scope: Scope) -> None:
    """Add to `scope` what the extras require that it asks of its own package."""
    waiting = [(wanted, wanted.when) for wanted in scope.wanted.pop(package.name)]
    done: set[str] = set()
    while waiting:
        asked, when = waiting.pop()
        extras = asked.entry.table.get("extras")
        for extra in map(normal_name, map(str, extras if isinstance(extras, list) else ())):
            inner = found.get(("optional-dependencies", extra))
            if inner is None or inner is scope or extra in done:
                continue
            done.add(extra)
            scope.unclear |= inner.unclear
            for name, several in inner.wanted.items():
                for one in several:
                    both = Wanted(one.entry, (*when, *one.when))
                    if name == package.name:
                        waiting.append((one, both.when))
                    else:
                        scope.want(both)


_OF_EXTRA = re.compile(r"(?:(?P<rest>[^()]*|\(.*\)) and )?extra == '(?P<extra>[^']*)'")
"""The form that uv writes: what else the marker says, then the extra."""


def _places(marker: str, extras: list[str], universe: Universe) -> Iterator[tuple[str, str, Condition]]:
    """Yield the scopes in which `marker` can be true, and when it is. Raises `CannotTellError`."""
    if "extra" not in marker:
        yield "dependencies", "", condition(marker)
        return
    usual = _OF_EXTRA.fullmatch(marker)
    if usual and "extra" not in (usual["rest"] or "") and " or " not in re.sub(r"\(.*\)", "", usual["rest"] or ""):
        yield "optional-dependencies", normal_name(usual["extra"]), condition(usual["rest"] or "")
        return
    if marker.count("extra") > 1 or "extra !=" in marker:
        raise CannotTellError("it depends on several extras at once")
    if universe.possible(condition(marker)):
        yield "dependencies", "", condition(marker)
        return
    for extra in extras:
        if universe.possible(condition(marker, extra)):
            yield "optional-dependencies", extra, condition(marker, extra)


def _extras(package: Package) -> list[str]:
    """Return every extra that the entry speaks of."""
    metadata = package.table.get("metadata")
    provided = metadata.get("provides-extras") if isinstance(metadata, dict) else None
    names = [name for name in provided if isinstance(name, str)] if isinstance(provided, list) else []
    optional = package.table.get("optional-dependencies")
    names += [str(name) for name in optional] if isinstance(optional, dict) else []
    for entry in package.recorded():
        marker = marker_of(entry.table)
        if "extra" in marker:
            names += marker.replace('"', "'").split("'")[1::2]
    return list(dict.fromkeys(normal_name(name) for name in names))


def stated_scope(lock: Lock, package: Package) -> Scope | None:
    """Return what the manifest's `dependency-metadata` states for `package`; None where it states nothing for it.

    Only for a package without extras: their requirements are not told apart here.
    """
    entries = lock.document.get("manifest", "dependency-metadata")
    for number, entry in enumerate(entries if isinstance(entries, list) else ()):
        if not isinstance(entry, dict) or normal_name(str(entry.get("name"))) != package.name:
            continue
        version = entry.get("version")
        if (version is not None and version != package.version) or "optional-dependencies" in package.table:
            continue
        scope = Scope("dependencies", "")
        requires = entry.get("requires-dist")
        for position, text in enumerate(requires if isinstance(requires, list) else ()):
            requirement = parse_requirement(str(text))
            if requirement is None:
                return None
            marker = str(requirement.marker or "")
            if "extra" in marker:
                scope.unclear.add(normal_name(requirement.name))
                continue
            table: dict[str, object] = {"name": requirement.name, "extras": sorted(requirement.extras)}
            table |= {"specifier": str(requirement.specifier)} if requirement.specifier else {}
            table |= {"marker": marker} if marker else {}
            keys = ("manifest", "dependency-metadata", number, "requires-dist", position)
            scope.want(Wanted(Recorded(keys, table, "dependency-metadata"), condition(marker)))
        for edge in package.edges:
            if edge.kind == "dependencies":
                scope.lead(edge)
        return scope
    return None
