"""The lines that a change adds, from commits alone: what lies uncommitted in the working tree is no part of it."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .context import Context
from .git import GitError
from .model import Location, NotRun, Tally
from .words import counted

if TYPE_CHECKING:
    from .landed.patches import FileChange


@dataclass(frozen=True, slots=True)
class Added:
    """One added line.

    Attributes:
        path: relative to the project's root.
        line: from 1, as the file is after the change.
        raw: without its line end.
        last: nothing follows it in the file.
    """

    path: str
    line: int
    raw: bytes
    last: bool

    def at(self, column: int = 1) -> Location:
        return Location(self.path, self.line, column)


def changed_files(context: Context) -> list[FileChange]:
    """Return what changed from the merge base to the commit checked out. Raises `NotRun` where there is no base."""
    if context.base is None:
        raise NotRun("there is no base to compare with; name one with --base")
    from .landed.patches import changes, difference

    try:
        return changes(difference(context.base.repository, context.base.commit, context.base.head))
    except GitError as error:
        raise NotRun(f"the change cannot be read: {error}") from None


def place(context: Context, path: str) -> str:
    """Return a path of the repository relative to the project's root."""
    prefix = context.base.repository.prefix if context.base else ""
    return posixpath.relpath(path, prefix or ".")


def read(lines: int, changed: Iterable[FileChange]) -> Tally:
    """Say how many added lines were read, and how many files were not, for their null bytes."""
    binary = sum(change.is_binary and not change.is_removed for change in changed)
    return Tally(
        detail=counted(lines, "added line") + (f", {counted(binary, 'binary file')} not read" if binary else "")
    )


def added_lines(context: Context, changed: Iterable[FileChange]) -> Iterator[list[Added]]:
    """Yield the added lines of each text file that the change touches, in order."""
    for change in changed:
        path = place(context, change.path)
        lines: list[Added] = []
        for hunk in change.hunks:
            number = hunk.line
            after = [line for line in hunk.lines if line[:1] in (b" ", b"+")]
            for position, line in enumerate(after):
                if line[:1] == b"+":
                    # Three lines of context follow a change wherever there are any.
                    last = all(other[:1] == b"+" for other in after[position:]) and hunk is change.hunks[-1]
                    lines.append(Added(path, number, line[1:].removesuffix(b"\n"), last))
                number += 1
        if lines:
            yield lines
