"""Which hunks of a change are in the files of a commit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from ..git import Entry, Repository
from .patches import FileChange, Hunk

_TELLING = re.compile(rb"\w\W*\w\W*\w\W*\w")
"""A line with fewer letters and digits (a brace, `else:` cut short, a blank line) is found in any file."""


def present(repository: Repository, commit: str, files: Sequence[FileChange]) -> Iterator[tuple[Hunk, bool]]:
    """Yield each hunk, and whether the files of `commit` have it. Raises `GitError`."""
    entries = {path: entry for path, entry in _entries(repository, commit, files).items() if entry.is_file}
    wanted = [f for f in files if f.path in entries and f.after and entries[f.path].object != f.after]
    texts = _texts(repository, {f.path: entries[f.path] for f in wanted})
    before = _texts(repository, {f.path: Entry("100644", f.before, 0) for f in wanted if f.before.strip("0")})
    for file in files:
        entry = entries.get(file.path)
        for hunk in file.hunks:
            if entry is None:
                yield hunk, file.is_removed
            elif not file.after:
                yield hunk, entry.mode == file.mode
            elif file.path not in texts:
                yield hunk, True
            else:
                there = bool(hunk.lines) and not file.is_removed
                yield hunk, there and _has(before.get(file.path, b""), texts[file.path], hunk)


def _texts(repository: Repository, entries: Mapping[str, Entry]) -> dict[str, bytes]:
    return {
        path: _plain(text.split(b"\n")) for path, text in zip(entries, repository.blobs(entries.values()), strict=True)
    }


def _entries(repository: Repository, commit: str, files: Sequence[FileChange]) -> dict[str, Entry]:
    # Paths of a diff are relative to the repository, those of `files` to the project's folder.
    names = {repository.relative(file.path): file.path for file in files}
    found = repository.files(commit, names)
    return {names[name]: entry for name, entry in found.items() if name in names}


def _has(before: bytes, text: bytes, hunk: Hunk) -> bool:
    """Whether a text has what the hunk adds more often, or what it removes less often, than the file before."""
    if _count(text, hunk.side(b"+")) > _count(before, hunk.side(b"+")):
        return True
    if not hunk.added:
        return all(_count(text, run) < _count(before, run) for run in _runs(hunk, b"-"))
    telling = any(_TELLING.search(line) for line in hunk.added)
    return telling and all(_count(text, run) > _count(before, run) for run in _runs(hunk, b"+"))


def _runs(hunk: Hunk, sign: bytes) -> Iterator[list[bytes]]:
    """Yield the lines of one sign, as far as they stand together."""
    for found, group in groupby(hunk.lines, key=lambda line: line[:1]):
        if found == sign:
            yield [line[1:] for line in group]


def _count(text: bytes, lines: list[bytes]) -> int:
    """Return how often these lines stand together; places that overlap count each."""
    wanted = _plain(lines)
    found, place = 0, text.find(wanted)
    while place >= 0:
        found, place = found + 1, text.find(wanted, place + 1)
    return found


def _plain(lines: list[bytes]) -> bytes:
    """Return lines as one text in which lines are found whole, whatever ends them."""
    return b"\n" + b"\n".join(line.rstrip(b"\r") for line in lines) + b"\n"
