"""The manifest and the options of uv.lock are what pyproject.toml sets.

The lock repeats under `[manifest]` what shaped its resolution beside the requirements: constraints, overrides, build
constraints, exclusions, `dependency-metadata`, the groups of a workspace without a project, and its members; under
`[options]` how versions were chosen. An override or a constraint that is only in the lock was never declared; one that
is only in pyproject.toml has no effect yet. Options can also come from the command line or a user's own configuration,
so for these it is a warning, and for `exclude-newer` information.

Example: `[tool.uv] override-dependencies = ["numpy<2"]`, and the manifest has no overrides.

Fix: `uv lock`.

How to allow: for options, an ignore with its reason.
"""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterable, Iterator
from fnmatch import fnmatchcase

from ..context import Context
from ..declared import UV, Declared
from ..document import Key
from ..lock import Recorded
from ..model import Finding, Related, Severity, Tally
from ..project import Project
from ..requirement import normal_name, normal_specifier
from ..stated import Statement, statements
from ..words import counted

CODE = "LCK015"
_HINT = "run `uv lock`"
_LISTS = {"constraint": "constraints", "override": "overrides", "build-constraint": "build-constraints"}
_DIRECT = ("git", "url", "path", "directory", "editable", "virtual")
_OPTIONS = {
    "resolution-mode": ("resolution", "highest"),
    "prerelease-mode": ("prerelease", "if-necessary-or-explicit"),
    "fork-strategy": ("fork-strategy", "requires-python"),
}
"""Option of the lock -> setting of `[tool.uv]`, and its default."""

_Said = dict[tuple[str, str], tuple[Key, ...]]
"""Name and specifier of each entry, and where it stands."""


def run(context: Context) -> Iterator[Finding | Tally]:
    project = context.project
    declared = project.declared
    compared = 0
    for kind, name in _LISTS.items():
        ours: _Said = {}
        for one in declared.all:
            if one.kind == kind:
                direct = bool(one.direct or one.requirement.url)
                ours[one.name, "" if direct else normal_specifier(str(one.requirement.specifier))] = one.keys
        compared += len(ours)
        yield from _differences(project, name, ours, _said(project.lock.manifest(name)))
    yield from _differences(project, "excludes", _declared_excludes(project), _excludes(project))
    yield from _metadata(project)
    if project.root_package is None:
        yield from _groups(project, declared)
    yield from _members(project)
    yield from _options(project)
    yield Tally(detail=f"{counted(compared, 'override or constraint', 'overrides and constraints')}, options")


def _said(entries: Iterable[Recorded]) -> _Said:
    return {
        (
            entry.name,
            ""
            if any(kind in entry.table for kind in _DIRECT)
            else normal_specifier(str(entry.table.get("specifier", ""))),
        ): entry.keys
        for entry in entries
    }


def _differences(project: Project, kind: str, ours: _Said, theirs: _Said) -> Iterator[Finding]:
    for (name, what), keys in ours.items():
        if (name, what) not in theirs:
            yield Finding(
                code=CODE,
                message=f"pyproject.toml sets {name}{what} among its {kind}, and the lock does not repeat it",
                location=project.pyproject.locate(*keys),
                related=(Related(project.lock_document.locate("manifest", kind), f"{kind} of the lock"),),
                hint=_HINT,
                package=name,
            )
    for (name, what), keys in theirs.items():
        if (name, what) not in ours:
            yield Finding(
                code=CODE,
                message=f"the lock has {name}{what} among its {kind}, and pyproject.toml does not set it",
                location=project.lock_document.locate(*keys),
                related=(Related(project.pyproject.locate(*UV), "what pyproject.toml sets"),),
                hint=_HINT,
                package=name,
            )


def _declared_excludes(project: Project) -> _Said:
    value = project.pyproject.get(*UV, "exclude-dependencies")
    return {
        (normal_name(str(name)), ""): (*UV, "exclude-dependencies", number)
        for number, name in enumerate(value if isinstance(value, list) else ())
    }


def _excludes(project: Project) -> _Said:
    value = project.lock_document.get("manifest", "excludes")
    return {
        (normal_name(str(name)), ""): ("manifest", "excludes", number)
        for number, name in enumerate(value if isinstance(value, list) else ())
    }


def _metadata(project: Project) -> Iterator[Finding]:
    declared, locked = (*UV, "dependency-metadata"), ("manifest", "dependency-metadata")
    ours = list(statements(project.pyproject.get(*declared), declared))
    theirs = list(statements(project.lock_document.get(*locked), locked))
    yield from _differences(project, "dependency-metadata", _unmatched(ours, theirs), _unmatched(theirs, ours))


def _unmatched(some: Iterable[Statement], others: Iterable[Statement]) -> _Said:
    by_name: dict[tuple[str, str], list[Statement]] = {}
    for other in others:
        by_name.setdefault((other.name, other.version), []).append(other)
    return {
        (one.name, str(one)): one.keys
        for one in some
        if not any(one.same(other) for other in by_name.get((one.name, one.version), ()))
    }


def _groups(project: Project, declared: Declared) -> Iterator[Finding]:
    """Compare the groups of a workspace without a project, by name of the package."""
    ours: dict[str, _Said] = {}
    for one in declared.all:
        if one.kind == "group" and one.member == ".":
            ours.setdefault(one.group, {})[one.name, ""] = one.keys
    theirs: dict[str, _Said] = {}
    for entry in project.lock.manifest_groups():
        theirs.setdefault(normal_name(entry.group), {})[entry.name, ""] = entry.keys
    for group in sorted(ours.keys() | theirs.keys()):
        yield from _differences(project, "dependency-groups", ours.get(group, {}), theirs.get(group, {}))


def _members(project: Project) -> Iterator[Finding]:
    listed = project.lock_document.get("manifest", "members")
    for number, name in enumerate(listed if isinstance(listed, list) else ()):
        entries = project.lock.by_name.get(normal_name(str(name)), [])
        if not any(entry.source_kind == "directory" for entry in entries):
            yield Finding(
                code=CODE,
                message=f"the lock lists the member {name}, and has no local entry of that name",
                location=project.lock_document.locate("manifest", "members", number),
                hint=_HINT,
                package=normal_name(str(name)),
            )
    names = {normal_name(str(name)) for name in listed} if isinstance(listed, list) else set()
    yield from _unlisted(project, names)


def _unlisted(project: Project, listed: Collection[str]) -> Iterator[Finding]:
    """Report local entries in the folders of the workspace that the lock does not list as its members."""
    patterns = project.pyproject.get(*UV, "workspace", "members")
    excluded = project.pyproject.get(*UV, "workspace", "exclude")
    inside = {
        folder: member
        for folder, member in project.members.items()
        if member.package and _matches(folder, patterns) and (folder == "." or not _matches(folder, excluded))
    }
    if not listed and inside.keys() <= {"."}:
        return  # uv lists no members where the root is the only one
    for folder, member in inside.items():
        if member.package is None or member.name in listed:
            continue
        yield Finding(
            code=CODE,
            message=f"{member.name} is a member of the workspace, and the lock does not list it as one",
            location=project.lock_document.locate("manifest", "members"),
            related=(
                Related(project.pyproject.locate(*UV, "workspace", "members"), f"covers {folder}"),
                Related(project.lock_document.locate(*member.package.source_keys), f"entry {member.name}"),
            ),
            hint=_HINT,
            package=member.name,
        )


def _matches(folder: str, patterns: object) -> bool:
    """Whether a pattern of the workspace covers the folder; the root is always a member where it is a project."""
    if folder == ".":
        return isinstance(patterns, list)
    parts = folder.split("/")
    texts = (
        [posixpath.normpath(text) for text in patterns if isinstance(text, str)] if isinstance(patterns, list) else []
    )
    return any(
        len(parts) == len(wanted) and all(map(fnmatchcase, parts, wanted))
        for wanted in (text.split("/") for text in texts)
    )


def _options(project: Project) -> Iterator[Finding]:
    options = project.lock_document.get("options")
    if not isinstance(options, dict):
        return
    for option, (setting, default) in _OPTIONS.items():
        locked = options.get(option)
        wanted = _setting(project, setting) or default
        if isinstance(locked, str) and locked != wanted:
            yield _option(project, option, f"{locked}, and the project sets {wanted}", Severity.WARNING)
    if "exclude-newer" in options and _setting(project, "exclude-newer") is None:
        yield _option(project, "exclude-newer", "set, and the project does not set it", Severity.INFO)


def _setting(project: Project, name: str) -> object:
    value = project.uv_toml.get(name) if project.uv_toml else None
    return value if value is not None else project.pyproject.get(*UV, name)


def _option(project: Project, option: str, what: str, severity: Severity) -> Finding:
    return Finding(
        code=CODE,
        message=f"the lock was made with {option} {what}",
        severity=severity,
        location=project.lock_document.locate("options", option),
        related=(Related(project.pyproject.locate(*UV), "settings of the project"),),
        hint="run `uv lock` without that option, or set it in [tool.uv]",
    )
