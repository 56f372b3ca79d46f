"""The edges of the project, its members and its local dependencies are those that their requirements ask for.

The lock records for each local package what it requires (`requires-dist`, `requires-dev`), and beside it the
dependency edges that are installed. uv compares the first with pyproject.toml and takes the second as they are: an edge
that was removed, added, led to another package or given another marker is installed just so. Compared are names,
extras and markers, for the package itself, each extra and each group, both ways. Markers are compared as sets of
environments: uv drops from an edge what `requires-python` implies. Requirements that `dependency-metadata` states for a
package are compared likewise. Overridden and excluded names are left out, and markers on conflicting extras.

Example: `requires-dist` has `{ name = "tomlkit", specifier = ">=0.12" }`, and `dependencies` has no `tomlkit`.

Fix: `uv lock`, and look at what changes.

How to allow: not at all; uv never writes such a lock.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..context import Context
from ..graph import Graph
from ..lock import Package
from ..markers import ALWAYS, CannotTellError, condition
from ..model import Finding, Related, Tally
from ..project import Project
from ..requirement import normal_name
from ..scopes import Scope, Wanted, marker_of
from ..words import counted

CODE = "LCK011"
_HINT = "run `uv lock`, and look at what changes"


def run(context: Context) -> Iterator[Finding | Tally]:
    project = context.project
    graph = project.lock.graph
    left_out = _left_out(project)
    members = _members(project)
    judged = 0
    for package in project.lock.packages:
        found = graph.scopes(package)
        if found is None:
            continue
        judged += 1
        for scope in found:
            yield from _scope(project, graph, package, scope, left_out, root=package.name in members)
    yield Tally(detail=f"the edges of {counted(judged, 'package')} with recorded requirements")


def _scope(
    project: Project, graph: Graph, package: Package, scope: Scope, left_out: set[str], *, root: bool
) -> Iterator[Finding]:
    known = scope.wanted.keys() | left_out | scope.unclear
    for name, edges in scope.edges.items():
        if name not in known:
            yield Finding(
                code=CODE,
                message=f"{package.name} has an edge to {name} in its {scope}, and requires no such package there",
                location=project.lock_document.locate(*edges[0].keys),
                related=(Related(project.lock_document.locate(*package.keys, "metadata"), "what it requires"),),
                hint=_HINT,
                package=name,
            )
    # Of a local dependency that is no member only what the others use is locked.
    whole = root or scope.kind == "dependencies"
    for name in sorted(scope.wanted.keys() - left_out - {package.name}):
        if name in scope.edges:
            yield from _markers(project, graph, package, scope, name, root=root)
            yield from _extras(project, package, scope, name)
        elif whole and name not in scope.unclear:
            # What is reached in some environments only has edges for these alone; members are reached in all.
            wanted = [one for one in scope.wanted[name] if root or one.when == ALWAYS]
            yield from _missing(project, graph, package, scope, wanted)


def _missing(project: Project, graph: Graph, package: Package, scope: Scope, wanted: list[Wanted]) -> Iterator[Finding]:
    try:
        if not any(graph.universe.possible(one.when) for one in wanted):
            return
    except CannotTellError:
        return
    entry = wanted[0].entry
    yield Finding(
        code=CODE,
        message=f"{package.name} requires {entry.name} in its {scope}, and has no edge to it: it is not installed",
        location=project.lock_document.locate(*entry.keys),
        related=(Related(project.lock_document.locate(*package.keys, scope.kind, *_group(scope)), "the edges"),),
        hint=_HINT,
        package=entry.name,
    )


def _group(scope: Scope) -> tuple[str, ...]:
    return (scope.name,) if scope.name else ()


def _markers(
    project: Project, graph: Graph, package: Package, scope: Scope, name: str, *, root: bool
) -> Iterator[Finding]:
    wanted, edges = scope.wanted[name], scope.edges[name]
    if name in scope.unclear:
        return
    required = [one.when for one in wanted]
    led = [condition(marker_of(edge.table)) for edge in edges]
    try:
        missed = graph.universe.apart(required, led) if root else None
        added = graph.universe.apart(led, required)
    except CannotTellError:
        return
    if missed or added:
        place = f"has no edge to it for {missed}" if missed else f"has an edge to it for {added}, too"
        yield Finding(
            code=CODE,
            message=f"{package.name} requires {name} in its {scope} by another marker: it {place}",
            location=project.lock_document.locate(*edges[0].keys),
            related=tuple(
                Related(
                    project.lock_document.locate(*one.entry.keys),
                    f"required: {marker_of(one.entry.table) or 'everywhere'}",
                )
                for one in wanted
            ),
            hint=_HINT,
            package=name,
        )


def _extras(project: Project, package: Package, scope: Scope, name: str) -> Iterator[Finding]:
    asked = {extra for one in scope.wanted[name] for extra in _names(one.entry.table.get("extras"))}
    for edge in scope.edges[name]:
        more = set(_names(edge.table.get("extra"))) - asked
        if more and name not in scope.unclear:
            yield Finding(
                code=CODE,
                message=f"{package.name} has an edge to {name} with the extra {min(more)} in its {scope}, "
                "and requires it without",
                location=project.lock_document.locate(*edge.keys),
                related=(Related(project.lock_document.locate(*scope.wanted[name][0].entry.keys), "required"),),
                hint=_HINT,
                package=name,
            )


def _names(value: object) -> list[str]:
    return [normal_name(str(name)) for name in value] if isinstance(value, list) else []


def _left_out(project: Project) -> set[str]:
    """Names whose requirements are not what the edges follow: overridden and excluded ones."""
    excluded = project.lock_document.get("manifest", "excludes")
    return {entry.name for entry in project.lock.manifest("overrides")} | set(_names(excluded))


def _members(project: Project) -> set[str]:
    root = project.root_package
    return set(project.lock.members) | ({root.name} if root else set())
