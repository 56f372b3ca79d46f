"""Every locked version satisfies the specifiers that apply to it.

uv does not compare a locked version with the requirement that led to it once the lock is written: a version outside of
what was declared is installed as it stands. Compared are the requirements that the lock records for local packages and
those that `dependency-metadata` states, each where its marker and that of the edge can be true together, and the
constraints and overrides of the manifest. Released packages' own requirements are not in the lock: they show with
`--online`.

Example: pyproject.toml declares `packaging>=24,<27`, and the lock has `packaging` 23.0.

Fix: `uv lock`, and look at what changes.

How to allow: change the specifier, or state an override in `[tool.uv] override-dependencies`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from packaging.version import Version

from ..context import Context
from ..lock import Package, Recorded
from ..markers import CannotTellError, Condition, condition
from ..model import Finding, Related, Tally
from ..project import Project
from ..requirement import specifiers
from ..scopes import marker_of
from ..words import counted

CODE = "LCK012"
_HINT = "run `uv lock`, and look at what changes; if the version is wanted, change the specifier"


def run(context: Context) -> Iterator[Finding | Tally]:
    project = context.project
    compared = 0
    for entry, package, when, why in (*_required(project), *_for_all(project)):
        compared += 1
        specifier = str(entry.table["specifier"])
        if satisfies(package.version, specifier) is not False or not _possible(project, when):
            continue
        yield Finding(
            code=CODE,
            message=f"{package.name} is locked at {package.version}, {why} {specifier}",
            location=project.lock_document.locate(*package.keys, "version"),
            related=(Related(project.lock_document.locate(*entry.keys), f"{why} {specifier}"),),
            hint=_HINT,
            package=package.name,
        )
    yield Tally(detail=f"{counted(compared, 'specifier')} compared with locked versions")


def _required(project: Project) -> Iterator[tuple[Recorded, Package, Condition, str]]:
    """Yield requirements with the entries that their edges lead to."""
    graph = project.lock.graph
    overridden = {entry.name for entry in project.lock.manifest("overrides")}
    for package in project.lock.packages:
        for scope in graph.scopes(package) or ():
            for name in (scope.wanted.keys() & scope.edges.keys()) - overridden:
                for edge in scope.edges[name]:
                    for target in graph.targets(edge)[:1]:
                        led = condition(marker_of(edge.table))
                        if len(scope.edges[name]) == 1 and not _can_tell(project, led):
                            led = ()  # one edge serves the requirement wherever it applies
                        for wanted in scope.wanted[name]:
                            if "specifier" in wanted.entry.table:
                                yield wanted.entry, target, (*wanted.when, *led), f"required by {package.name} is"


def _for_all(project: Project) -> Iterator[tuple[Recorded, Package, Condition, str]]:
    """Yield constraints and overrides with the released entries of their names, in each fork that has them."""
    for kind, word in (("constraints", "the constraint is"), ("overrides", "the override is")):
        for entry in project.lock.manifest(kind):
            if "specifier" not in entry.table:
                continue
            stated = condition(marker_of(entry.table))
            for package in project.lock.by_name.get(entry.name, ()):
                if package.source_kind != "registry":
                    continue
                forks = package.table.get("resolution-markers")
                known = [fork for fork in forks if isinstance(fork, str)] if isinstance(forks, list) else []
                if stated and not known:
                    continue  # where this entry is installed is not said
                for fork in known or [""]:
                    yield entry, package, (*stated, *condition(fork)), word


@lru_cache(maxsize=65536)
def satisfies(version: str, specifier: str) -> bool | None:
    """Return whether a version satisfies a specifier; None where one of them cannot be read."""
    try:
        return specifiers(specifier).contains(Version(version), prereleases=True)
    except ValueError:
        return None


def _can_tell(project: Project, when: Condition) -> bool:
    try:
        project.lock.graph.universe.possible(when)
    except CannotTellError:
        return False
    return True


def _possible(project: Project, when: Condition) -> bool:
    try:
        return project.lock.graph.universe.possible(when)
    except CannotTellError:
        return False
