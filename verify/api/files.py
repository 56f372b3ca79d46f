"""Where the files of a package are read: a commit of a git repository, or the folders of an environment."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import rtoml

from ..files import InputError, read_regular
from ..git import GitTree, Repository

_ROOTS = ("", "src", "python", "lib")
_LINKS = 8
MODULE_LIMIT = 2 * 1024 * 1024
"""Bytes of one module. Parsing takes about 0.7 s a megabyte."""


class Files(Protocol):
    """Files by path, with forward slashes."""

    def roots(self, top: str) -> list[tuple[str, str]]:
        """Return where the packages below the import name `top` may lie: (dotted prefix, folder) pairs."""

    def names(self, folder: str) -> set[str]:
        """Return the names in a folder; none where there is no such folder."""

    def read(self, path: str) -> bytes:
        """Return the bytes of a file. Raises `FileNotFoundError`, `InputError` or `GitError`."""


class CommitFiles:
    """The files of one commit. Links are followed inside of the commit only."""

    def __init__(self, repository: Repository, commit: str, subdirectory: str = "") -> None:
        """List the commit. Raises `GitError` where trees are not in the repository."""
        self._tree = GitTree(repository, commit)
        self._folder = subdirectory.strip("/")
        self._folders: dict[str, set[str]] = {}
        self._links: set[str] = set()
        for line in repository.output("ls-tree", "-r", "-z", "--full-tree", commit).split(b"\0"):
            head, _, name = line.partition(b"\t")
            path = name.decode("utf-8", "surrogateescape")
            if head.startswith(b"120000"):
                self._links.add(path)
            if path:
                self._add(path)

    def _add(self, path: str) -> None:
        folder, name = posixpath.split(path)
        while True:
            names = self._folders.setdefault(folder, set())
            if name in names:
                return
            names.add(name)
            if not folder:
                return
            folder, name = posixpath.split(folder)

    def roots(self, top: str) -> list[tuple[str, str]]:
        found = [pair for pair in self._declared if pair[0].partition(".")[0] in ("", top)]
        found += [("", posixpath.join(self._folder, root).rstrip("/")) for root in _ROOTS]
        usual = [pair for pair in found if pair[0] or self._holds(pair[1], top)]
        return usual or [("", folder) for folder in self._anywhere(top)]

    def names(self, folder: str) -> set[str]:
        return self._folders.get(self._followed(folder), set())

    def read(self, path: str) -> bytes:
        folder, name = posixpath.split(path)
        return self._tree.read(posixpath.join(self._followed(folder), name))

    def _holds(self, folder: str, top: str) -> bool:
        return any(name == top or name.startswith(f"{top}.") for name in self.names(folder))

    def _anywhere(self, top: str) -> list[str]:
        """Return the only folder with a package of this name; several say nothing."""
        found = [
            f for f in self._folders if top in self._folders[f] and "__init__.py" in self.names(f"{f}/{top}".strip("/"))
        ]
        return found if len(found) == 1 else []

    def _followed(self, folder: str) -> str:
        for _ in range(_LINKS):
            parts = folder.split("/")
            prefixes = ("/".join(parts[:count]) for count in range(1, len(parts) + 1))
            link = next((prefix for prefix in prefixes if prefix in self._links), None)
            if link is None:
                return folder
            target = self._link(link)
            folder = posixpath.normpath(
                posixpath.join(posixpath.dirname(link), target, folder[len(link) :].lstrip("/"))
            )
        return folder

    def _link(self, path: str) -> str:
        entry = self._tree.repository.files(self._tree.commit, [path])[path]
        return next(self._tree.repository.blobs([entry])).decode("utf-8", "surrogateescape")

    @cached_property
    def _declared(self) -> list[tuple[str, str]]:
        """What pyproject.toml of the package says about where its packages lie."""
        try:
            data: Any = rtoml.loads(
                self.read(posixpath.join(self._folder, "pyproject.toml")).decode("utf-8", "replace")
            )
        except (FileNotFoundError, InputError, rtoml.TomlParsingError, RecursionError):
            return []
        tool = _table(data, "tool")
        mapping = _table(tool, "setuptools", "package-dir")
        found = [(name, folder) for name, folder in mapping.items() if isinstance(folder, str)]
        where = _table(tool, "setuptools", "packages", "find").get("where")
        found += [("", folder) for folder in where if isinstance(folder, str)] if isinstance(where, list) else []
        for keys in (("maturin", "python-source"), ("uv", "build-backend", "module-root")):
            folder = _table(tool, *keys[:-1]).get(keys[-1])
            found += [("", folder)] if isinstance(folder, str) else []
        pairs = [(name, posixpath.normpath(posixpath.join(self._folder, folder))) for name, folder in found]
        return [(name, "" if folder == "." else folder) for name, folder in sorted(pairs, reverse=True)]


def _table(data: object, *keys: str) -> dict[str, Any]:
    for key in keys:
        data = data.get(key) if isinstance(data, dict) else None
    return data if isinstance(data, dict) else {}


class FolderFiles:
    """Folders of installed packages below `root`, such as site-packages. Nothing outside of `root` is read."""

    def __init__(self, root: Path, folders: Sequence[str]) -> None:
        self._root = root
        self._sites = tuple(folders)

    def roots(self, top: str) -> list[tuple[str, str]]:
        return [("", folder) for folder in self._sites]

    def names(self, folder: str) -> set[str]:
        place = self._root / folder
        try:
            if not place.resolve(strict=True).is_relative_to(self._root.resolve()):
                return set()
            return {entry.name for entry in os.scandir(place)}
        except (OSError, RuntimeError, ValueError):
            return set()

    def read(self, path: str) -> bytes:
        return read_regular(self._root, path, limit=MODULE_LIMIT)
