"""Which hunks of a change are in the files of a commit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from ..git import Entry, Repository
from .patches import FileChange, Hunk

_TELLING = re.compile(rb"\w\W*\w\W*\w\W*\w")
"""A line with fewer letters and digits (a brace, `else:` cut short, a blank line) is found in any file."""


def present(repository: Repository, commit: str, files: Sequence[FileChange]) -> Iterator[tuple[Hunk, bool]]:
    """Yield each hunk, and whether the files of `commit` have it. Raises `GitError`."""
    # Paths of a diff are relative to the repository, those of `files` to the project's folder.
    entries = {path: entry for path, entry in _entries(repository, commit, files).items() if entry.is_file}
    wanted = [f.path for f in files if f.path in entries and f.after and entries[f.path].object != f.after]
    texts = dict(zip(wanted, repository.blobs(entries[path] for path in wanted), strict=True))
    for file in files:
        entry = entries.get(file.path)
        text = _plain(texts[file.path].split(b"\n")) if file.path in texts else None
        for hunk in file.hunks:
            if entry is None:
                yield hunk, file.is_removed
            elif not file.after:
                yield hunk, entry.mode == file.mode
            elif text is None:
                yield hunk, True
            else:
                yield hunk, bool(hunk.lines) and not file.is_removed and _has(text, hunk)


def _entries(repository: Repository, commit: str, files: Sequence[FileChange]) -> dict[str, Entry]:
    names = {repository.relative(file.path): file.path for file in files}
    found = repository.files(commit, names)
    return {names[name]: entry for name, entry in found.items() if name in names}


def _has(text: bytes, hunk: Hunk) -> bool:
    runs = [_plain(run) in text for run in _runs(hunk, b"+" if hunk.added else b"-")]
    around = _plain(hunk.side(b"+")) in text
    if not hunk.added:
        # Lines were only removed: they must be gone, and what stood around them may have changed since.
        return _plain(hunk.side(b"-")) not in text and (around or not all(runs))
    return around or (all(runs) and any(_TELLING.search(line) for line in hunk.added))


def _runs(hunk: Hunk, sign: bytes) -> Iterator[list[bytes]]:
    """Yield the lines of one sign, as far as they stand together."""
    for found, group in groupby(hunk.lines, key=lambda line: line[:1]):
        if found == sign:
            yield [line[1:] for line in group]


def _plain(lines: list[bytes]) -> bytes:
    """Return lines as one text in which lines are found whole, whatever ends them."""
    return b"\n" + b"\n".join(line.rstrip(b"\r") for line in lines) + b"\n"
