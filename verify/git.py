"""Objects of a git repository, read without running anything that the repository configures.

Only plumbing that reads objects is used: no filter, text conversion, external diff, hook, monitor or credential helper
takes part in it. Missing objects of a partial clone are not fetched.
"""

from __future__ import annotations

import os
import posixpath
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from .escape import clean, excerpt
from .files import SIZE_LIMIT

_SETTINGS = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.commitGraph=false",
    "core.quotePath=false",
    "core.pager=cat",
    "protocol.allow=never",
)
_ENVIRONMENT = {
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": os.devnull,
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_CONFIG_NOSYSTEM": "1",
    "LC_ALL": "C",
}
_ENTRY = re.compile(rb"(\d{6}) \w+ ([0-9a-f]{40,64}) +(\d+|-)\t(.*)", re.DOTALL)


class GitError(Exception):
    """git cannot answer; the message is what it said, cleaned."""


@dataclass(frozen=True, slots=True)
class Entry:
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
    """The repository around a project's root."""

    def __init__(self, root: Path) -> None:
        """Find the repository. Raises `GitError` where there is none, or no git."""
        self._root = root
        self.prefix = self._text("rev-parse", "--show-prefix")
        """The project's folder inside the repository: empty, or ending in a slash."""

    def commit(self, revision: str) -> str:
        """Return the full commit that `revision` names. Raises `GitError` where it names none."""
        return self._text("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")

    def is_ancestor(self, older: str, newer: str) -> bool:
        """Return whether the commit `older` is reachable from `newer`. Raises `GitError` where one is absent."""
        done = self._run("merge-base", "--is-ancestor", older, newer)
        if done.returncode not in (0, 1):
            raise GitError(_said(done))
        return done.returncode == 0

    def files(self, commit: str, paths: Iterable[str]) -> dict[str, Entry]:
        """Return the entries of `commit` at or below `paths`, all relative to the project's root."""
        places = [posixpath.normpath(posixpath.join(self.prefix, path)) for path in paths]
        wanted = [place for place in places if not place.startswith(("../", "/")) and place != ".."]
        if not wanted:
            return {}
        listed = self._output("ls-tree", "-r", "-z", "-l", "--full-tree", commit, "--", *wanted)
        found = {}
        for line in listed.split(b"\0"):
            if entry := _ENTRY.fullmatch(line):
                mode, name, size, path = (os.fsdecode(part) for part in entry.groups())
                found[posixpath.relpath(path, self.prefix or ".")] = Entry(
                    mode, name, int(size) if size.isdigit() else 0
                )
        return found

    def blobs(self, entries: Iterable[Entry]) -> Iterator[bytes]:
        """Yield the contents of files, in the order given. Raises `GitError` for one that is absent or too large."""
        wanted = list(entries)
        if (total := sum(entry.size for entry in wanted)) > SIZE_LIMIT:
            raise GitError(f"the files have {total} bytes, more than the limit of {SIZE_LIMIT}")
        answer = self._output("cat-file", "--batch", given="".join(f"{entry.object}\n" for entry in wanted).encode())
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
        entry = self.files(commit, [path]).get(path)
        if entry is None or not entry.is_file:
            raise FileNotFoundError(path)
        return next(self.blobs([entry]))

    def _text(self, *arguments: str) -> str:
        return os.fsdecode(self._output(*arguments)).rstrip("\n")

    def _output(self, *arguments: str, given: bytes = b"") -> bytes:
        done = self._run(*arguments, given=given)
        if done.returncode != 0:
            raise GitError(_said(done))
        return done.stdout

    def _run(self, *arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        program = shutil.which("git")
        if program is None:
            raise GitError("git is not on this machine")
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        settings = [part for setting in _SETTINGS for part in ("-c", setting)]
        try:
            return subprocess.run(
                [program, "--no-pager", *settings, *arguments],
                cwd=self._root,
                env=kept | _ENVIRONMENT,
                input=given,
                capture_output=True,
                check=False,
                timeout=60,
            )
        except subprocess.TimeoutExpired:
            raise GitError(f"git {clean(arguments[0])} did not end within 60 s") from None
        except OSError as error:
            raise GitError(f"git cannot be started: {excerpt(str(error))}") from None


def _said(done: subprocess.CompletedProcess[bytes]) -> str:
    lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return excerpt(lines[0]) if lines else f"git ended with {done.returncode}"
