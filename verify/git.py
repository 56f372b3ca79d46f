"""Objects and history of a git repository, read without running anything that the repository configures.

Only plumbing is used: no filter, text conversion, external diff, hook, monitor or credential helper takes part in it.
Missing objects of a partial clone are not fetched.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from .files import SIZE_LIMIT, InputError
from .git_error import GitError
from .gitrun import TIMEOUT, Said, run_git

__all__ = ["Entry", "GitError", "GitTree", "Repository"]
_ENTRY = re.compile(rb"(\d{6}) \w+ ([0-9a-f]{40,64}) +(\d+|-|BAD)\t(.*)", re.DOTALL)
_LINKS = 8
"""Symbolic links followed one after the other."""


class Entry(NamedTuple):
    """One file of a commit.

    `mode` is git's: 100644 and 100755 a file, 120000 a symbolic link, 160000 a submodule. `size` in bytes.
    """

    mode: str
    object: str
    size: int

    @property
    def is_file(self) -> bool:
        return self.mode.startswith("100")


class Repository:
    """The repository around a project's root, or a bare one named by `git_dir`."""

    def __init__(self, root: Path, *, git_dir: Path | None = None) -> None:
        """Find the repository. Raises `GitError` where there is none, or no git."""
        self.root = root
        self.git_dir = git_dir
        self.prefix = "" if git_dir else self.text("rev-parse", "--show-prefix")
        """The project's folder inside the repository: empty, or ending in a slash."""

    def commit(self, revision: str) -> str:
        """Return the full commit that `revision` names. Raises `GitError` where it names none."""
        if "\0" in revision:
            raise GitError("a revision cannot hold a null byte")
        return self.text("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")

    def has_commit(self, commit: str) -> bool:
        """Return whether the full `commit` is in this repository."""
        return self.run("cat-file", "-e", f"{commit}^{{commit}}").code == 0

    @property
    def is_shallow(self) -> bool:
        """History ends before its first commit: that a commit is not reachable proves nothing then."""
        return self.text("rev-parse", "--is-shallow-repository") == "true"

    def is_ancestor(self, older: str, newer: str) -> bool:
        """Return whether the commit `older` is reachable from `newer`. Raises `GitError` where one is absent."""
        done = self.run("merge-base", "--is-ancestor", older, newer)
        if done.code not in (0, 1):
            raise done.error
        return done.code == 0

    def committed(self, commit: str) -> int:
        """Return when a commit was made, in seconds since 1970, as it says of itself."""
        return int(self.text("log", "--max-count=1", "--format=%ct", commit))

    def merge_base(self, one: str, other: str) -> str | None:
        """Return the best common ancestor of two commits, None where they share no history here."""
        done = self.run("merge-base", one, other)
        if done.code not in (0, 1):
            raise done.error
        return done.stdout.decode().split("\n")[0] or None

    def files(self, commit: str, paths: Iterable[str]) -> dict[str, Entry]:
        """Return the entries of `commit` at or below `paths`, all relative to the project's root."""
        places = [posixpath.normpath(posixpath.join(self.prefix, path)) for path in paths]
        wanted = [place for place in places if not place.startswith(("../", "/")) and place != ".."]
        if not wanted:
            return {}
        found = {}
        for line in self.output("ls-tree", "-r", "-z", "-l", "--full-tree", commit, "--", *wanted).split(b"\0"):
            if entry := _ENTRY.fullmatch(line):
                mode, name, size, path = (os.fsdecode(part) for part in entry.groups())
                found[self.relative(path)] = Entry(mode, name, int(size) if size.isdigit() else 0)
        return found

    def relative(self, path: str) -> str:
        """Return `path`, relative to the repository, as one relative to the project's root."""
        return posixpath.relpath(path, self.prefix) if self.prefix else path

    def tracked(self) -> list[str]:
        """Return the files of the index, relative to the project's root; submodules and links are not files."""
        return [path for mode, _, path in self._index() if mode.startswith("100")]

    def submodules(self) -> dict[str, str]:
        """Return the commit of each submodule in the index, by its path relative to the project's root."""
        return {path: name for mode, name, path in self._index() if mode == "160000"}

    def _index(self) -> Iterator[tuple[str, str, str]]:
        for line in self.output("ls-files", "-s", "-z", "--full-name").split(b"\0"):
            head, _, path = line.partition(b"\t")
            if path:
                mode, name, _ = head.decode().split(" ")
                yield mode, name, self.relative(os.fsdecode(path))

    def blobs(self, entries: Iterable[Entry]) -> Iterator[bytes]:
        """Yield the contents of files, in the order given. Raises `GitError` for one that is absent or too large."""
        wanted = list(entries)
        if (total := sum(entry.size for entry in wanted)) > SIZE_LIMIT:
            raise GitError(f"the files have {total} bytes, more than the limit of {SIZE_LIMIT}")
        answer = self.output("cat-file", "--batch", given="".join(f"{entry.object}\n" for entry in wanted).encode())
        place = 0
        for entry in wanted:
            head, _, _ = answer[place : place + 200].partition(b"\n")
            if head.split()[1:2] != [b"blob"]:
                raise GitError(f"the object {entry.object} is not in this repository")
            start = place + len(head) + 1
            place = start + int(head.split()[2]) + 1
            yield answer[start : place - 1]

    def read(self, commit: str, path: str) -> bytes:
        """Return the content of the file `path` of `commit`, relative to the project's root.

        Raises:
            FileNotFoundError: the commit has no such file, or something else stands there.
        """
        entry = self.files(commit, [path]).get(posixpath.normpath(path))
        if entry is None or not entry.is_file:
            raise FileNotFoundError(path)
        return next(self.blobs([entry]))

    def text(self, *arguments: str) -> str:
        """Return what git prints, without the last newline. Raises `GitError` when git fails."""
        return os.fsdecode(self.output(*arguments)).rstrip("\n")

    def output(self, *arguments: str, given: bytes = b"") -> bytes:
        """Return what git prints. Raises `GitError` when git fails."""
        done = self.run(*arguments, given=given)
        if done.code != 0:
            raise done.error
        return done.stdout

    def run(self, *arguments: str, given: bytes = b"", timeout: float = TIMEOUT) -> Said:
        """Run git here, whatever its exit code. Raises `GitError` when it cannot run, or within `timeout` seconds."""
        return run_git(self.root, arguments, given=given, git_dir=self.git_dir, timeout=timeout)


class GitTree:
    """The files of one commit, as `Project` reads them."""

    def __init__(self, repository: Repository, commit: str) -> None:
        self.repository = repository
        self.commit = commit
        self.place = repository.prefix.rstrip("/") or "."

    def read(self, relative: str) -> bytes:
        """Return the bytes of a file, relative to the project's root; links are followed inside the commit.

        Raises:
            FileNotFoundError: the commit has no such file.
            InputError: something else stands there, or the object is not in this repository.
        """
        path = posixpath.normpath(relative)
        try:
            for _ in range(_LINKS):
                entry = self.repository.files(self.commit, [path]).get(path)
                if entry is None:
                    raise FileNotFoundError(relative)
                content = next(self.repository.blobs([entry])) if entry.mode != "160000" else b""
                if entry.is_file:
                    return content
                if entry.mode != "120000":
                    break
                path = posixpath.normpath(posixpath.join(posixpath.dirname(path), os.fsdecode(content)))
        except GitError as error:
            raise InputError(relative, f"cannot be read at {self.commit[:12]}: {error}") from None
        raise InputError(relative, f"is not a regular file at {self.commit[:12]}")
