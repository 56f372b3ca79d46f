"""The subjects of a record: digests of what was tested. Standard library only.

A file is named by its SHA-256. A folder is named by its in-toto `dirHash` (Go's Hash1 in hexadecimal), which anyone can
repeat inside the folder, once `__pycache__` and the other folders of `LEFT_OUT` are gone, with
`find . -type f | cut -c3- | LC_ALL=C sort | xargs -r sha256sum | sha256sum`.
"""

from __future__ import annotations

import hashlib
import os
import posixpath
import stat
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

PATHS: Final = ("pyproject.toml", "uv.lock", "policy", "kernels", "tests/gpu")
"""What every record names, as far as the project has it."""

LEFT_OUT: Final = frozenset({"__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis"})
"""Folders that running and checking leave behind; no digest covers them."""

Subjects = dict[str, dict[str, str]]
"""Path from the project's root -> digests by algorithm, `sha256` of a file or `dirHash` of a folder."""


class SubjectError(ValueError):
    """A file or folder that no digest can stand for; the message names it and says what to do."""


def subject_paths(pyproject: bytes) -> tuple[str, ...]:
    """Return `PATHS` and the files and folders that `[tool.pinproof.tests]` of `pyproject` names beside them."""
    try:
        tests: Any = tomllib.loads(pyproject.decode("utf-8-sig"))["tool"]["pinproof"]["tests"]
        named = [path for part in ("policy", "gpu") for path in tests.get(part, ()) if isinstance(path, str)]
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, KeyError, TypeError, AttributeError, RecursionError):
        named = []
    found = list(PATHS)
    for path in map(posixpath.normpath, named):
        if path.startswith(("/", "..")) or path == ".":
            raise SubjectError(f"[tool.pinproof.tests] names {path!r}, expected a path inside the project")
        if not any(path == known or path.startswith(f"{known}/") for known in found):
            found.append(path)
    return tuple(found)


def subjects(root: Path) -> Subjects:
    """Return the digests of the subjects that exist below `root`.

    Raises:
        SubjectError: there is no pyproject.toml, or one of the files is a symbolic link, a FIFO or the like.
        OSError: a file cannot be read.
    """
    found: Subjects = {}
    try:
        paths = subject_paths((root / "pyproject.toml").read_bytes())
    except FileNotFoundError:
        raise SubjectError(f"{root} has no pyproject.toml, expected the root of a project") from None
    for path in paths:
        place = _plain(root, path)
        if place is None:
            continue
        if place.is_dir():
            # A folder without files is, as for git, not there.
            if files := {name: _sha256(place / name) for name in _files(place, path)}:
                found[path] = {"dirHash": dir_hash(files)}
        else:
            found[path] = {"sha256": _sha256(place)}
    return found


def dir_hash(files: Mapping[str, str]) -> str:
    """Return the `dirHash` of a folder, given the SHA-256 of each file by its path inside the folder.

    Raises:
        SubjectError: a path holds a newline or a backslash, which `sha256sum` would write in another way.
    """
    lines = hashlib.sha256()
    for name in sorted(files, key=os.fsencode):
        if "\n" in name or "\\" in name:
            raise SubjectError(f"the file name {name!r} holds a newline or a backslash; rename the file")
        lines.update(f"{files[name]}  ".encode() + os.fsencode(name) + b"\n")
    return lines.hexdigest()


def _plain(root: Path, path: str) -> Path | None:
    """Return the file or folder `path`, None where there is none; no part of the path may be a symbolic link."""
    place = root
    for part in path.split("/"):
        place = place / part
        try:
            mode = place.lstat().st_mode
        except (FileNotFoundError, NotADirectoryError):
            return None
        _require_plain(mode, path)
    return place


def _files(folder: Path, shown: str) -> Iterator[str]:
    for current, folders, names in os.walk(folder, onerror=_raise):
        folders[:] = sorted(set(folders) - LEFT_OUT)
        inside = Path(current).relative_to(folder).as_posix()
        for name in (*folders, *names):
            _require_plain((Path(current) / name).lstat().st_mode, posixpath.join(shown, inside, name))
        yield from (posixpath.normpath(posixpath.join(inside, name)) for name in names)


def _raise(error: OSError) -> None:
    raise error


def _require_plain(mode: int, shown: str) -> None:
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        what = "a symbolic link" if stat.S_ISLNK(mode) else "not a regular file"
        raise SubjectError(f"{posixpath.normpath(shown)!r} is {what}; no digest covers it, so replace it by a file")


def _sha256(path: Path) -> str:
    # O_NOFOLLOW and O_NONBLOCK: the file may have been exchanged since it was looked at.
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
