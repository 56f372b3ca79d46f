"""The requirements that uv.lock records are those that pyproject.toml declares.

The lock repeats for the project and each member what it requires, with its version and its extras. uv compares them
with pyproject.toml, unless it is told not to: `revision = 0` makes it skip the extras, `--frozen` all. A lock that lags
behind its pyproject.toml is stale; one that is ahead was edited. Compared are names, specifiers, extras and
markers, for the project, each extra and each group, both ways. What only a build can tell is left out, and members
whose pyproject.toml is not in the checkout.

Example: pyproject.toml declares `httpx>=0.28`, and `requires-dist` still has `httpx` with `>=0.27`.

Fix: `uv lock`.

How to allow: not at all.
"""

from __future__ import annotations

from collections.abc import Iterator

from packaging.version import Version

from ..context import Context
from ..declared import Declaration, Declared
from ..document import Document
from ..group_python import group_python
from ..lock import Package, Recorded
from ..markers import ALWAYS, CannotTellError, Universe, condition
from ..model import Finding, Related, Tally
from ..project import Member, Project
from ..requirement import normal_name, normal_specifier
from ..scopes import Scope, Wanted, recorded_scopes
from ..words import counted

CODE = "LCK014"
_HINT = "run `uv lock`"
_KINDS = {"dependencies": "dependencies", "extra": "optional-dependencies", "group": "dev-dependencies"}
_DIRECT = ("git", "url", "path", "directory", "editable", "virtual")

_Place = tuple[str, str]
"""Kind and name of a scope."""


def run(context: Context) -> Iterator[Finding | Tally]:
    project = context.project
    declared = project.declared
    compared = 0
    for member in project.members.values():
        if member.package is None or member.document is None:
            continue
        yield from _version(project, member.package, member.document)
        if "metadata" not in member.package.table:
            continue
        compared += 1
        yield from _provided(project, member.package, member.document)
        grouped = member.folder == "." or member.name in project.lock.members
        yield from _member(project, declared, member, member.package, grouped=grouped)
    yield Tally(detail=f"{counted(compared, 'project')} with recorded requirements")


def _version(project: Project, package: Package, document: Document) -> Iterator[Finding]:
    version = document.get("project", "version")
    if not isinstance(version, str) or not package.version or _same_version(version, package.version):
        return
    yield Finding(
        code=CODE,
        message=f"{package.name} has the version {version}, and {package.version} in the lock",
        location=document.locate("project", "version"),
        related=(Related(project.lock_document.locate(*package.keys, "version"), "locked"),),
        hint=_HINT,
        package=package.name,
    )


def _same_version(one: str, other: str) -> bool:
    try:
        return Version(one) == Version(other)
    except ValueError:
        return one == other


def _provided(project: Project, package: Package, document: Document) -> Iterator[Finding]:
    metadata = package.table["metadata"]
    provided = metadata.get("provides-extras") if isinstance(metadata, dict) else None
    dynamic = document.get("project", "dynamic")
    if not isinstance(provided, list) or (isinstance(dynamic, list) and "optional-dependencies" in dynamic):
        return
    extras = document.get("project", "optional-dependencies")
    ours = {normal_name(name) for name in extras} if isinstance(extras, dict) else set()
    theirs = {normal_name(str(name)) for name in provided}
    for name in sorted(ours ^ theirs):
        where = ("declares", "does not list") if name in ours else ("does not declare", "lists")
        yield Finding(
            code=CODE,
            message=f"pyproject.toml {where[0]} the extra {name} of {package.name}, and the lock {where[1]} it",
            location=document.locate("project", "optional-dependencies", name),
            related=(Related(project.lock_document.locate(*package.keys, "metadata", "provides-extras"), "locked"),),
            hint=_HINT,
            package=package.name,
        )


def _member(
    project: Project, declared: Declared, member: Member, package: Package, *, grouped: bool
) -> Iterator[Finding]:
    """Compare one project; the groups of a local dependency that is no member are not `grouped`: nobody locks them."""
    skipped = {kind for folder, kind in declared.dynamic if folder == member.folder}
    universe = Universe()  # uv records requirements as they are declared, whatever the lock is for
    found = _recorded(recorded_scopes(package, universe, expand=False), skipped)
    wanted: dict[tuple[_Place, str], list[Declaration]] = {}
    for one in declared.all:
        if one.member == member.folder and one.kind in _KINDS:
            name = one.group if one.kind != "dependencies" else ""
            wanted.setdefault(((_KINDS[one.kind], name), one.name), []).append(one)
    unclear = {name for scope in found.values() for name in scope.unclear}
    if member.folder in declared.dynamic_members:
        wanted = {key: ones for key, ones in wanted.items() if key[0][0] == "dev-dependencies"}
    if not grouped:
        wanted = {key: ones for key, ones in wanted.items() if key[0][0] != "dev-dependencies"}
        found = {place: scope for place, scope in found.items() if place[0] != "dev-dependencies"}
    ours, theirs = set(wanted), {(place, name) for place, scope in found.items() for name in scope.wanted}
    for place, name in sorted(ours ^ theirs):
        if name in unclear:
            continue
        if (place, name) in ours:
            yield _not_recorded(project, package, place, wanted[place, name][0])
        else:
            yield _not_declared(project, package, place, found[place].wanted[name][0].entry, member)
    for place, name in sorted(ours & theirs):
        if name not in unclear:
            yield from _compare(project, package, place, wanted[place, name], found[place].wanted[name], universe)


def _recorded(scopes: list[Scope], skipped: set[str]) -> dict[_Place, Scope]:
    dropped = {
        kind
        for kind in ("dependencies", "optional-dependencies")
        if skipped & {"dependencies", "optional-dependencies"}
    }
    return {(scope.kind, scope.name): scope for scope in scopes if scope.kind not in dropped}


def _words(place: _Place) -> str:
    return str(Scope(*place))


def _not_recorded(project: Project, package: Package, place: _Place, one: Declaration) -> Finding:
    return Finding(
        code=CODE,
        message=f"{package.name} declares {one.requirement} in its {_words(place)}, and the lock does not record it",
        location=one.document.locate(*one.keys),
        related=(Related(project.lock_document.locate(*package.keys, "metadata"), "recorded requirements"),),
        hint=_HINT,
        package=one.name,
    )


def _not_declared(project: Project, package: Package, place: _Place, entry: Recorded, member: Member) -> Finding:
    document = member.document
    return Finding(
        code=CODE,
        message=f"the lock records {entry.name} in the {_words(place)} of {package.name}, "
        "and pyproject.toml does not declare it there",
        location=project.lock_document.locate(*entry.keys),
        related=(Related(document.locate("project"), "declared"),) if document else (),
        hint=_HINT,
        package=entry.name,
    )


def _compare(
    project: Project,
    package: Package,
    place: _Place,
    declared: list[Declaration],
    recorded: list[Wanted],
    universe: Universe,
) -> Iterator[Finding]:
    for what, ours, theirs in (
        ("specifiers", _specifiers(declared), _recorded_specifiers(recorded)),
        ("extras", _extras(declared), _recorded_extras(recorded)),
    ):
        if ours is not None and ours != theirs:
            yield _differs(project, package, place, declared, recorded, f"other {what} ({_listed(theirs)})")
            return
    python = group_python(declared[0].document, place[1]) if place[0] == "dev-dependencies" else ALWAYS
    ours_when = [(*condition(str(one.requirement.marker or "")), *python) for one in declared]
    theirs_when = [one.when for one in recorded]
    try:
        differs = universe.apart(ours_when, theirs_when) or universe.apart(theirs_when, ours_when)
    except CannotTellError:
        return
    if differs:
        yield _differs(project, package, place, declared, recorded, f"another marker (they differ for {differs})")


def _differs(
    project: Project, package: Package, place: _Place, declared: list[Declaration], recorded: list[Wanted], what: str
) -> Finding:
    one = declared[0]
    return Finding(
        code=CODE,
        message=f"{package.name} declares {one.requirement} in its {_words(place)}, and the lock records {what}",
        location=one.document.locate(*one.keys),
        related=tuple(Related(project.lock_document.locate(*wanted.entry.keys), "recorded") for wanted in recorded[:5]),
        hint=_HINT,
        package=one.name,
    )


def _specifiers(declared: list[Declaration]) -> frozenset[str] | None:
    """Return the specifiers as written anew; None where a source from elsewhere takes their place."""
    if any(one.direct or one.requirement.url for one in declared):
        return None
    return frozenset(normal_specifier(str(one.requirement.specifier)) for one in declared)


def _recorded_specifiers(recorded: list[Wanted]) -> frozenset[str]:
    return frozenset(normal_specifier(str(one.entry.table.get("specifier", ""))) for one in recorded)


def _extras(declared: list[Declaration]) -> frozenset[str]:
    return frozenset(normal_name(extra) for one in declared for extra in one.requirement.extras)


def _recorded_extras(recorded: list[Wanted]) -> frozenset[str]:
    found = (one.entry.table.get("extras") for one in recorded)
    return frozenset(normal_name(str(e)) for extras in found if isinstance(extras, list) for e in extras)


def _listed(names: frozenset[str]) -> str:
    return ", ".join(sorted(name or "none" for name in names)) or "none"
