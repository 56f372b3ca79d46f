"""No file changed under its name since the base.

A released file never changes: whoever publishes another one gives it another name. So a digest or a size that is
another one for the same file name, or a digest that is gone, is no honest re-lock but damage, or an attack that waits
for `uv sync`. A file that is gone from an unchanged version is a warning: an index can delete one, and uv drops files
for environments that the lock is not for any more. Added files, upload times and sizes are fine.

Example: at the base `click-8.1.7-py3-none-any.whl` has the digest `sha256:ae74…`, and now `sha256:0000…`.

Fix: find out which digest is right, from the index itself (`--online`); then `git checkout BASE -- uv.lock && uv lock`.

How to allow: not at all for digests; an ignore with its reason for files that are gone.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..compare import Pair
from ..context import Context
from ..lock import File
from ..model import Finding, Location, Related, Severity, Tally
from ..words import counted

CODE = "LCK040"
_HINT = "ask the index which is right (--online), or take the lock of the base and run `uv lock`"


def run(context: Context) -> Iterator[Finding | Tally]:
    comparison = context.comparison
    compared = 0
    for pair in comparison.pairs:
        for old, new in pair.files():
            compared += 1
            yield from _changed(context, pair, old, new)
        if pair.same_version and not pair.moved and not comparison.narrowed():
            yield from _vanished(context, pair)
    yield Tally(detail=f"{counted(compared, 'file')} of changed entries, against {_base(context)}")


def _base(context: Context) -> str:
    return context.base.commit[:12] if context.base else "no base"


def _changed(context: Context, pair: Pair, old: File, new: File) -> Iterator[Finding]:
    for key, what in (("hash", "digest"), ("size", "size")):
        before, after = old.table.get(key), new.table.get(key)
        if before is None or before == after or (after is None and key == "size"):
            continue
        if key == "hash" and after is not None and _other_kind(str(before), str(after)):
            continue
        said = f"{before} before and {'none' if after is None else after} now"
        yield Finding(
            code=CODE,
            message=f"the {what} of {new.name} changed: {said}",
            location=context.project.lock_document.locate(*new.keys),
            related=(Related(_there(context, old), f"at the base: {before}"),),
            hint=_HINT,
            package=pair.name,
        )


def _other_kind(before: str, after: str) -> bool:
    """Whether a digest was replaced by one of another, no weaker kind, as an index that changes its kind does."""
    strength = {"sha256": 1, "sha384": 2, "sha512": 3, "blake2b": 3}
    one, other = (strength.get(text.partition(":")[0], 0) for text in (before, after))
    return before.partition(":")[0] != after.partition(":")[0] and other >= one


def _vanished(context: Context, pair: Pair) -> Iterator[Finding]:
    gone = pair.vanished()
    if gone:
        names = ", ".join(file.name for file in gone[:3]) + (f" and {len(gone) - 3} more" if len(gone) > 3 else "")
        yield Finding(
            code=CODE,
            message=f"{pair.name} {pair.new.version} is unchanged, and lost {counted(len(gone), 'file')}: {names}",
            severity=Severity.WARNING,
            location=context.project.lock_document.locate(*pair.new.keys),
            related=tuple(Related(_there(context, file), "at the base") for file in gone[:3]),
            hint="look whether the index still has it (--online)",
            package=pair.name,
        )


def _there(context: Context, file: File) -> Location:
    return context.comparison.old.lock_document.locate(*file.keys)
