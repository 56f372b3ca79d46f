"""No version went down since the base while nothing asked for it.

A re-lock keeps versions or raises them. One goes down when a requirement, an override or an index of the project
changed, when the package that asks for it changed, or when somebody edited the lock: an old release with a known hole
is a way in. What nothing explains is a warning.

Example: `requests` was locked at 2.32.4 and is now at 2.19.0; pyproject.toml is the same, and so is all that needs it.

Fix: `uv lock --upgrade-package NAME`, or state why the older version is needed (`[tool.uv] constraint-dependencies`).

How to allow: a constraint, or an ignore with its reason.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..compare import Comparison, Pair
from ..context import Context
from ..model import Finding, Related, Severity, Tally
from ..words import counted

CODE = "LCK042"


def run(context: Context) -> Iterator[Finding | Tally]:
    comparison = context.comparison
    lower = [pair for pair in comparison.pairs if pair.is_lower]
    explained = _explained(comparison) if lower else set()
    for pair in lower:
        if pair.name in explained or pair.moved or comparison.redeclared(pair.name):
            continue
        yield Finding(
            code=CODE,
            message=f"{pair.name} went down from {pair.old.version} to {pair.new.version}, and nothing asks for it",
            severity=Severity.WARNING,
            location=context.project.lock_document.locate(*pair.new.keys, "version"),
            related=(
                Related(
                    comparison.old.lock_document.locate(*pair.old.keys, "version"), f"at the base: {pair.old.version}"
                ),
            ),
            hint=f"`uv lock --upgrade-package {pair.name}`, or state a constraint that says why",
            package=pair.name,
        )
    yield Tally(detail=f"{counted(len(lower), 'version')} went down")


def _explained(comparison: Comparison) -> set[str]:
    """Return the names that something depends on which was added, or whose version changed, since the base."""
    changed = [pair.new for pair in comparison.pairs if not _same(pair)] + list(comparison.added)
    return {edge.name for package in changed for edge in package.edges}


def _same(pair: Pair) -> bool:
    return pair.same_version and pair.old.table.get("source") == pair.new.table.get("source")
