"""No package moved to another place since the base without a declared change.

A package that comes from another index, repository or kind of source than at the base, while pyproject.toml says the
same about it, was moved by hand: an honest re-lock takes it from where it is declared. The same goes for the host of
its files, though some indexes do change it: a warning while the digests are the same. A tag or a full commit that leads
to another commit than before is damage; a branch does move, so that is information.

Example: `click` came from the default index, and now from `https://evil.example/simple`.

Fix: `git checkout BASE -- uv.lock && uv lock`, and look at what changes.

How to allow: declare the index or source; name the host in `[tool.pinproof] hosts`.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..compare import Comparison, Pair
from ..context import Context
from ..hosts import declared_hosts, declared_indexes, host_of
from ..model import Finding, Location, Related, Severity, Tally
from ..source import Source, same_place
from ..words import counted

CODE = "LCK041"
_HINT = "take the lock of the base, run `uv lock`, and look at what changes"


def run(context: Context) -> Iterator[Finding | Tally]:
    comparison = context.comparison
    hosts = declared_hosts(context)
    indexes = {same_place(url) for url in declared_indexes(context)}
    for pair in comparison.pairs:
        old, new = pair.old.source, pair.new.source
        if isinstance(old, Source) and isinstance(new, Source):
            if pair.moved:
                yield from _moved(context, comparison, pair, old, new, indexes)
            else:
                yield from _commit(context, comparison, pair, old, new)
                yield from _hosts(context, comparison, pair, hosts)
    yield Tally(detail=f"{counted(len(comparison.pairs), 'changed entry', 'changed entries')}")


def _moved(
    context: Context, comparison: Comparison, pair: Pair, old: Source, new: Source, indexes: set[tuple[str, ...]]
) -> Iterator[Finding]:
    if old.kind == new.kind and same_place(old.location) == same_place(new.location):
        return
    if comparison.redeclared(pair.name) or (new.kind == "registry" and same_place(new.location) in indexes):
        return
    yield Finding(
        code=CODE,
        message=f"{pair.name} moved from {old} to {new}, and nothing that is declared of it changed",
        location=context.project.lock_document.locate(*pair.new.source_keys),
        related=(Related(_there(comparison, pair), f"at the base: {old}"),),
        hint=_HINT,
        package=pair.name,
    )


def _commit(context: Context, comparison: Comparison, pair: Pair, old: Source, new: Source) -> Iterator[Finding]:
    if old.kind != "git" or old.commit.lower() == new.commit.lower() or old.reference != new.reference:
        return
    kind = old.reference.kind
    severity = Severity.INFO if kind in ("", "branch") or old.reference.is_short_commit else Severity.WARNING
    if old.reference.is_full_commit:
        severity = Severity.ERROR
    yield Finding(
        code=CODE,
        message=f"{pair.name} is locked at {new.commit[:12]}, before at {old.commit[:12]}, both as {old.reference}",
        severity=severity,
        location=context.project.lock_document.locate(*pair.new.source_keys),
        related=(Related(_there(comparison, pair), f"at the base: {old.commit}"),),
        hint="review what the commits between them change",
        package=pair.name,
    )


def _hosts(context: Context, comparison: Comparison, pair: Pair, declared: frozenset[str]) -> Iterator[Finding]:
    for old, new in pair.files():
        before, after = host_of(old.url), host_of(new.url)
        if before and after and before != after and after not in declared:
            same = old.table.get("hash") == new.table.get("hash")
            yield Finding(
                code=CODE,
                message=f"the files of {pair.name} moved from the host {before} to {after}",
                severity=Severity.WARNING if same else Severity.ERROR,
                location=context.project.lock_document.locate(*new.keys),
                related=(Related(comparison.old.lock_document.locate(*old.keys), f"at the base: {before}"),),
                hint="name the host in [tool.pinproof] hosts, or take the lock of the base and run `uv lock`",
                package=pair.name,
            )
            return


def _there(comparison: Comparison, pair: Pair) -> Location:
    return comparison.old.lock_document.locate(*pair.old.source_keys)
