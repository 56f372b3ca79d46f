"""Declarations that have no effect, or that no lock can hold.

uv accepts in silence a PEP 508 URL that `[tool.uv.sources]` beats, an override's URL that a source beats, sources and
overrides in uv.toml, and a git reference in `build-system.requires`, which uv.lock does not hold at all. A reader who
reviews the line that has no effect reviews the wrong commit. A source that nobody depends on is information: it is
common practice to keep one for members.

Example: `dependencies = ["flashinfer-python @ git+https://…@7bb37d6…"]` beside a source that names another commit.

Fix: keep one of the two lines; for a build requirement, use a released version with `build-constraint-dependencies`.

How to allow: `[[tool.pinproof.ignore]]` with `code = "PIN003"`, the `package` and a `reason`.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..agreement import difference
from ..context import Context
from ..declared import SOURCES, UV, Declaration, Declared
from ..document import Document
from ..model import Finding, Related, Severity, Tally
from ..requirement import normal_name, parse_requirement
from ..source import direct_url
from ..words import counted

CODE = "PIN003"


def run(context: Context) -> Iterator[Finding | Tally]:
    project = context.project
    declared = project.declared
    yield from _beaten(declared)
    yield from _unused(declared)
    for member in project.members.values():
        if member.document is not None:
            yield from _build_requirements(member.document)
    if project.uv_toml is not None:
        yield from _uv_toml(project.uv_toml)
    yield Tally(detail=counted(len(declared.all), "declared requirement"))


def _beaten(declared: Declared) -> Iterator[Finding]:
    for declaration in declared.all:
        if not declaration.requirement.url or not declaration.origins:
            continue
        written = direct_url(declaration.requirement.url)
        winner = declaration.origins[0]
        if winner.keys == declaration.keys or winner.source is None:
            continue
        if any(o.source and difference(written, o.source) is None for o in declaration.origins):
            continue
        yield Finding(
            code=CODE,
            message=f"{declaration.name}: the URL in the {_words(declaration)} has no effect, a source beats it",
            severity=Severity.WARNING,
            location=declaration.document.locate(*declaration.keys),
            related=(Related(winner.document.locate(*winner.keys), f"what counts: {winner.source}"),),
            hint="keep one of the two lines",
            package=declaration.name,
        )


def _words(declaration: Declaration) -> str:
    return declaration.kind if declaration.kind in ("override", "constraint") else "requirement"


def _unused(declared: Declared) -> Iterator[Finding]:
    document = declared.project.pyproject
    table = document.get(*SOURCES)
    locked = declared.project.lock.by_name
    for name in table if isinstance(table, dict) else ():
        normal = normal_name(name)
        if normal not in declared.by_name and normal not in locked and not declared.dynamic_members:
            yield Finding(
                code=CODE,
                message=f"the source of {normal} has no effect: nothing depends on it",
                severity=Severity.INFO,
                location=document.locate(*SOURCES, name),
                hint="remove it, or add the dependency",
                package=normal,
            )


def _build_requirements(document: Document) -> Iterator[Finding]:
    requires = document.get("build-system", "requires")
    for number, text in enumerate(requires if isinstance(requires, list) else ()):
        requirement = parse_requirement(text) if isinstance(text, str) else None
        if requirement is not None and requirement.url:
            yield Finding(
                code=CODE,
                message=f"the build requirement {requirement.name} comes from {requirement.url}, and no lock holds it",
                severity=Severity.WARNING,
                location=document.locate("build-system", "requires", number),
                hint="use a released version; what a build fetches is outside uv.lock",
                package=normal_name(requirement.name),
            )


def _uv_toml(document: Document) -> Iterator[Finding]:
    for key in ("sources", "override-dependencies", "constraint-dependencies", "dependency-metadata"):
        if key in document.data:
            yield Finding(
                code=CODE,
                message=f"`{key}` in uv.toml has no effect on uv.lock",
                severity=Severity.WARNING,
                location=document.locate(key),
                hint=f"move it to [{'.'.join(UV)}] in pyproject.toml",
            )
