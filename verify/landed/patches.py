"""Diffs of commits, hunk by hunk, and the identity of patches. Nothing that a repository configures takes part."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ..git import Repository
from ..gitrun import TIMEOUT

_FORM = (
    "-p", "-r", "--text", "--full-index", "--unified=3", "--inter-hunk-context=0", "--no-renames", "--no-ext-diff",
    "--no-textconv", "--no-color", "--no-relative", "--diff-algorithm=myers", "--src-prefix=a/", "--dst-prefix=b/",
)  # fmt: skip
_SECTION = re.compile(rb"^diff --git ", re.MULTILINE)
_HUNK = re.compile(rb"^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@[^\n]*\n", re.MULTILINE)
_INDEX = re.compile(rb"^index ([0-9a-f]+)\.\.([0-9a-f]+)", re.MULTILINE)
_MODE = re.compile(rb"^new (?:file )?mode ([0-7]{6})$", re.MULTILINE)
_PATHS = 200
"""Paths that git is told to look at alone; with more it looks at all."""


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines that a change removes and adds in one place of a file, with the lines around them.

    Attributes:
        path: the file, relative to the repository.
        line: where it begins after the change, from 1; 0 for a file that is removed or only changes its mode.
        lines: each with its sign: a blank, `-` or `+`. Empty where the file has no text: it was compared as a whole.
    """

    path: str
    line: int
    lines: tuple[bytes, ...]

    def side(self, sign: bytes) -> list[bytes]:
        """Return the lines before (`-`) or after (`+`) the change."""
        return [line[1:] for line in self.lines if line[:1] in (b" ", sign)]

    @property
    def added(self) -> list[bytes]:
        return [line[1:] for line in self.lines if line[:1] == b"+"]


@dataclass(frozen=True, slots=True)
class FileChange:
    """What a change does to one file.

    Attributes:
        before: the object that the file was, zeros where it is new, empty where only its mode changes.
        after: the object that it becomes, zeros where it is removed, empty where only its mode changes.
        mode: the mode that it becomes, as git writes it; empty where that does not change.
        is_binary: its changed lines hold null bytes, so it was compared as a whole.
    """

    path: str
    before: str
    after: str
    mode: str
    hunks: tuple[Hunk, ...]
    is_binary: bool

    @property
    def is_removed(self) -> bool:
        return bool(self.after) and not self.after.strip("0")


def difference(repository: Repository, older: str | None, newer: str) -> bytes:
    """Return the diff from a commit to another, from nothing where `older` is None. Raises `GitError`."""
    ends = ["--root", newer] if older is None else [older, newer]
    return repository.output("diff-tree", *_FORM, "--no-commit-id", *ends)


def changes(diff: bytes) -> list[FileChange]:
    """Read a diff, file by file."""
    starts = [match.start() for match in _SECTION.finditer(diff)] + [len(diff)]
    return [_file(diff[start:end]) for start, end in pairwise(starts)]


def identity(repository: Repository, diff: bytes) -> str:
    """Return the stable patch identity of one diff, empty for an empty one. Raises `GitError`."""
    return next((found for found, _ in _identities(repository, diff)), "")


def identities(
    repository: Repository, commits: Sequence[str], paths: Sequence[str], *, timeout: float = TIMEOUT
) -> Iterator[tuple[str, str]]:
    """Yield patch identity and commit for what each commit changes in `paths`. Raises `GitError`, as at `timeout`."""
    top = "" if repository.git_dir else repository.text("rev-parse", "--show-cdup")
    only = ["--", *(f"{top}{path}" for path in paths)] if len(paths) <= _PATHS else []
    given = "".join(f"{commit}\n" for commit in commits).encode()
    done = repository.run("diff-tree", "--stdin", "--root", *_FORM, *only, given=given, timeout=timeout)
    if done.code != 0:
        raise done.error
    yield from _identities(repository, done.stdout)


def _identities(repository: Repository, diffs: bytes) -> Iterator[tuple[str, str]]:
    # patch-id stops reading a line at a null byte, and would take binary files with one beginning for the same.
    said = repository.output("patch-id", "--stable", given=diffs.replace(b"\0", b"\\0"))
    for line in said.decode().splitlines():
        found, _, commit = line.partition(" ")
        yield found, commit


def _file(section: bytes) -> FileChange:
    head, _, rest = section.partition(b"\n")
    path = _path(head.removeprefix(b"diff --git "))
    index = _INDEX.search(section[: section.find(b"\n@@") if b"\n@@" in section else len(section)])
    before, after = (index[1].decode(), index[2].decode()) if index else ("", "")
    found = list(_HUNK.finditer(rest))
    ends = [*(match.start() for match in found), len(rest)][1:]
    hunks = [_hunk(path, match, rest[match.end() : end]) for match, end in zip(found, ends, strict=True)]
    is_binary = b"\0" in rest
    if not hunks or is_binary:
        hunks = [Hunk(path, 0, ())]
    mode = _MODE.search(section)
    return FileChange(path, before, after, mode[1].decode() if mode else "", tuple(hunks), is_binary)


def _hunk(path: str, head: re.Match[bytes], body: bytes) -> Hunk:
    lines = [line for line in body.split(b"\n") if line and not line.startswith(b"\\")]
    return Hunk(path, int(head[1]), tuple(lines))


def _path(rest: bytes) -> str:
    """Return the path of `a/PATH b/PATH`; git quotes one with control characters like a C string."""
    if not rest.startswith(b'"'):
        return os.fsdecode(rest[2 : 2 + (len(rest) - 5) // 2])
    inner = rest[1 : rest.find(b'" "b/')][2:]
    return os.fsdecode(inner.decode("unicode_escape").encode("latin-1"))
