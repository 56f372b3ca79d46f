"""The project under check: every file of it is read once."""

from __future__ import annotations

import posixpath
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from .document import Document
from .files import InputError, read_regular
from .lock import Lock, Package
from .requirement import normal_name

if TYPE_CHECKING:
    from .declared import Declared

PYPROJECT = "pyproject.toml"
LOCK = "uv.lock"


class Tree(Protocol):
    """Where the files of a project come from: a directory, or a commit.

    `place` is the project's folder within all that can be read, `.` at its top.
    """

    place: str

    def read(self, relative: str) -> bytes:
        """Return the bytes of a file below the project's root. Raises `FileNotFoundError` or `InputError`."""


class DirectoryTree:
    """A project in a directory. Members may stand beside it, as far as the enclosing git checkout reaches."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self.checkout = next((p for p in (self.root, *self.root.parents) if (p / ".git").exists()), None)
        self._boundary = self.checkout or self.root
        self.place = self.root.relative_to(self._boundary).as_posix()

    def read(self, relative: str) -> bytes:
        place = posixpath.normpath(posixpath.join(self.place, relative))
        if place.startswith(("../", "/")):
            raise FileNotFoundError(relative)
        return read_regular(self._boundary, place)


class Project:
    """pyproject.toml, uv.lock, uv.toml and the members' pyproject.toml of one uv project."""

    def __init__(self, tree: Tree, *, name: str = ".") -> None:
        """Read the files of `tree`. Raises `InputError` for what cannot be used."""
        self.tree = tree
        self.name = name
        self.pyproject = _required(tree, PYPROJECT, "expected a uv project; name its folder")
        self.lock_document = _required(tree, LOCK, _where_the_lock_is(tree))
        self.lock = Lock(self.lock_document)

    @classmethod
    def load(cls, path: Path) -> Project:
        """Read the project in the directory `path`.

        Raises:
            InputError: there is no such directory, or one of its files cannot be used.
        """
        if not path.is_dir():
            what = "is not a directory" if path.exists() else "does not exist"
            raise InputError(str(path), what, hint="name the folder that holds pyproject.toml and uv.lock")
        project = cls(DirectoryTree(path), name=str(path))
        project.read_beside()
        return project

    def read_beside(self) -> None:
        """Read the files beside the first two now, before any check asks: uv.toml and the members' pyproject.toml.

        Raises:
            InputError: one of them cannot be used.
        """
        self.uv_toml, self.members  # noqa: B018

    @property
    def root(self) -> Path:
        """The directory of the project. Raises `TypeError` for a project that was read from a commit."""
        if not isinstance(self.tree, DirectoryTree):
            raise TypeError("this project was read from a commit and has no directory")
        return self.tree.root

    @property
    def checkout(self) -> Path | None:
        """The root of the git checkout around the project; None outside of one."""
        return self.tree.checkout if isinstance(self.tree, DirectoryTree) else None

    @property
    def folder(self) -> str:
        """The project's folder relative to the git checkout around it; outside a checkout as the user named it."""
        return self.name if self.checkout is None else self.root.relative_to(self.checkout).as_posix()

    @cached_property
    def declared(self) -> Declared:
        """What pyproject.toml and those of the members declare, read once for all checks."""
        from .declared import Declared

        return Declared(self)

    @cached_property
    def uv_toml(self) -> Document | None:
        return _optional(self.tree, "uv.toml")

    @cached_property
    def root_package(self) -> Package | None:
        """The lock entry of the root itself; None for a virtual root without `[project]`."""
        return next((p for p in self.lock.packages if _folder(p) == "."), None)

    @cached_property
    def members(self) -> dict[str, Member]:
        """Members, path dependencies and the root, by folder relative to the root; the root is `.`."""
        found = {".": Member(".", self.root_package, self.pyproject)}
        for package in self.lock.packages:
            folder = _folder(package)
            if folder and folder != ".":
                found[folder] = Member(folder, package, _optional(self.tree, posixpath.join(folder, PYPROJECT)))
        return found


class Member:
    """One project of the workspace. `document` is None when its pyproject.toml is not in the checkout."""

    def __init__(self, folder: str, package: Package | None, document: Document | None) -> None:
        self.folder = folder
        self.package = package
        self.document = document

    @cached_property
    def name(self) -> str:
        if self.package is not None:
            return self.package.name
        declared = self.document.get("project", "name") if self.document else None
        return normal_name(declared) if isinstance(declared, str) else ""


def _folder(package: Package) -> str:
    source = package.table.get("source")
    if not isinstance(source, dict):
        return ""
    for kind in ("editable", "virtual", "directory"):
        if isinstance(source.get(kind), str):
            return posixpath.normpath(str(source[kind]))
    return ""


def _where_the_lock_is(tree: Tree) -> str:
    """Return what to do when the project's folder has no lock: a member of a workspace has none of its own."""
    if isinstance(tree, DirectoryTree) and tree.checkout is not None:
        for folder in tree.root.parents:
            if folder.is_relative_to(tree.checkout) and (folder / LOCK).is_file():
                return f"a workspace has one lock: check {folder}, or create one here with `uv lock`"
    return "create it with `uv lock`, or name the workspace's root"


def _required(tree: Tree, name: str, hint: str) -> Document:
    try:
        return Document(name, tree.read(name))
    except FileNotFoundError:
        raise InputError(name, "is missing", hint=hint) from None


def _optional(tree: Tree, name: str) -> Document | None:
    try:
        return Document(name, tree.read(name))
    except FileNotFoundError:
        return None
