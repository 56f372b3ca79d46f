"""No package comes from a kind of source that nobody declared.

A package that only released packages and the project itself depend on comes from an index: released packages cannot
name a git repository, a URL or a folder, and the project's own declarations are in the files. A lock that takes such a
package from git, a URL or a folder all the same was edited. Where a dependent comes from git, a URL or a folder
itself, its own declarations are not in the two files; unless the lock records them or `dependency-metadata` states
them, nothing is said.

Example: `click`, which pytest needs, has `source = { url = "https://evil.example/click-8.5.1-py3-none-any.whl" }`.

Fix: `uv lock`; if the source is wanted, declare it in `[tool.uv.sources]`.

How to allow: declare the source.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..context import Context
from ..declared import Declared
from ..lock import Package, Recorded
from ..model import Finding, Related, Tally
from ..project import Project
from ..requirement import normal_name
from ..source import Source
from ..words import counted

CODE = "LCK024"
_DIRECT = ("git", "url", "path", "directory")


def run(context: Context) -> Iterator[Finding | Tally]:
    project = context.project
    declared = project.declared
    known = {d.name for d in declared.all if d.direct} | _recorded(project)
    beside = _beside(project)
    first_party = {m.package.keys for m in project.members.values() if m.package and m.package.keys not in beside}
    judged = 0
    parents = _parents(project)
    for package in project.lock.packages:
        if package.source_kind not in _DIRECT or package.name in known or package.keys in first_party:
            continue
        dependents = parents.get(package.name, [])
        judged += 1
        if dependents and all(_tells_all(project, declared, parent, package.name) for parent in dependents):
            yield _finding(project, package, dependents)
    words = counted(judged, "package")
    yield Tally(detail=f"{words} from git, a URL or a folder without a declaration of the project")


def _recorded(project: Project) -> set[str]:
    """Names for which the lock records a direct source; whether that is declared is another check's business."""
    entries = [e for m in project.members.values() if m.package for e in m.package.recorded()]
    for kind in ("overrides", "constraints", "requirements"):
        entries += project.lock.manifest(kind)
    entries += project.lock.manifest_groups()
    return {entry.name for entry in entries if _is_direct(entry)}


def _is_direct(entry: Recorded) -> bool:
    return any(kind in entry.table for kind in (*_DIRECT, "editable", "virtual"))


def _beside(project: Project) -> set[tuple[str | int, ...]]:
    """Entries from folders that are neither the root nor a listed member: a declaration has to name them."""
    return {
        member.package.keys
        for folder, member in project.members.items()
        if member.package and folder != "." and member.package.name not in project.lock.members
    }


def _parents(project: Project) -> dict[str, list[Package]]:
    found: dict[str, list[Package]] = {}
    for package in project.lock.packages:
        for name in {edge.name for edge in package.edges}:
            found.setdefault(name, []).append(package)
    return found


def _tells_all(project: Project, declared: Declared, parent: Package, name: str) -> bool:
    """Whether the two files tell every direct source of `name` that `parent` could bring in."""
    if isinstance(parent.source, Source) and parent.source.kind == "registry":
        return True
    recorded = [entry for entry in parent.recorded() if entry.name == name]
    if recorded:
        return not any(_is_direct(entry) for entry in recorded)
    for folder, member in project.members.items():
        if member.package is parent:
            return member.document is not None and folder not in declared.dynamic_members
    metadata = project.lock_document.get("manifest", "dependency-metadata")
    entries = metadata if isinstance(metadata, list) else []
    return parent.name in {normal_name(str(e.get("name"))) for e in entries if isinstance(e, dict)}


def _finding(project: Project, package: Package, dependents: list[Package]) -> Finding:
    document = project.lock_document
    return Finding(
        code=CODE,
        message=f"{package.name} comes from {package.source}, which nothing that depends on it can have declared",
        location=document.locate(*package.source_keys),
        related=tuple(
            Related(document.locate(*parent.keys), f"depends on {package.name}") for parent in dependents[:5]
        ),
        hint="run `uv lock`; if the source is wanted, declare it in [tool.uv.sources]",
        package=package.name,
    )
