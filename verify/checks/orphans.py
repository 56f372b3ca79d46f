"""Every entry of uv.lock can be reached from the project.

An entry that nothing depends on is not installed. uv leaves some behind, so this is a warning; but an entry that was
added by hand, and waits for an edge, looks the same. Roots are the project, its members, and what the manifest lists
(requirements and groups of a workspace without a project).

Example: `[[package]] name = "zzz-orphan"`, and no edge leads to it.

Fix: `uv lock`; if the entry stays, uv has left it behind.

How to allow: an ignore with its reason.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..context import Context
from ..lock import Package
from ..model import Finding, Severity, Tally
from ..project import Project
from ..words import counted

CODE = "LCK013"


def run(context: Context) -> Iterator[Finding | Tally]:
    project = context.project
    lock = project.lock
    reached = lock.graph.reachable(_roots(project))
    for number, package in enumerate(lock.packages):
        if number not in reached:
            yield Finding(
                code=CODE,
                message=f"nothing leads to {package.name} {package.version}",
                severity=Severity.WARNING,
                location=lock.document.locate(*package.keys),
                hint="run `uv lock`; if it stays, uv has left it behind",
                package=package.name,
            )
    yield Tally(detail=f"{counted(len(lock.packages), 'entry', 'entries')}, {len(reached)} of them reached")


def _roots(project: Project) -> Iterator[Package]:
    lock = project.lock
    for package in lock.packages:
        if package is project.root_package or (package.name in lock.members and package.source_kind == "directory"):
            yield package
    for entry in (*lock.manifest("requirements"), *lock.manifest_groups()):
        yield from lock.by_name.get(entry.name, ())
