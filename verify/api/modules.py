"""Modules, found and parsed. What cannot be parsed is told apart from what is not there."""

from __future__ import annotations

import ast
import posixpath
import warnings
from dataclasses import dataclass
from functools import cached_property

from ..files import InputError
from ..git_error import GitError
from .bindings import Bound, Tables
from .files import MODULE_LIMIT, Files

_MODULES, _BYTES = 200, 4 * 1024 * 1024
"""Modules, and bytes of them, that the answers about one pin may need."""
_COMPILED = (".so", ".pyd", ".pyx", ".dylib")


class CannotTellError(Exception):
    """The sources do not say; the message is the reason."""


@dataclass(frozen=True, slots=True)
class Module:
    """One parsed module. `is_stub`: it is a .pyi file, which says nothing about what runs."""

    name: str
    path: str
    tree: ast.Module
    is_package: bool
    is_stub: bool

    def place(self, node: ast.AST) -> str:
        return f"{self.path}:{getattr(node, 'lineno', 1)}"

    def absolute(self, name: str | None, level: int) -> str | None:
        """Return the absolute name of a module that is imported here, None for one above the top."""
        if level == 0:
            return name
        parts = self.name.split(".")
        drop = level - 1 if self.is_package else level
        if drop >= len(parts):
            return None
        return ".".join([*parts[: len(parts) - drop], *([name] if name else [])])


class Library:
    """The modules of one set of files, each parsed once. With `prefer_stubs` a stub stands for the module beside it."""

    def __init__(self, files: Files, *, prefer_stubs: bool = False) -> None:
        self._files = files
        self._prefer_stubs = prefer_stubs
        self._modules: dict[str, Module | None] = {}
        self._bytes = 0
        self._tables = Tables()

    def bound(self, body: list[ast.stmt], name: str) -> Bound:
        """Return what a name is bound to after the body of a module or class of this library."""
        return self._tables.bound(body, name)

    @cached_property
    def stubs(self) -> Library:
        """The same files, read by their stubs."""
        return Library(self._files, prefer_stubs=True)

    def module(self, name: str) -> Module | None:
        """Return a module, None where there is none.

        Raises:
            CannotTellError: it is compiled, cannot be parsed, or the limits of one answer are reached.
        """
        if name not in self._modules:
            if len(self._modules) >= _MODULES:
                raise CannotTellError(f"more than {_MODULES} modules would have to be read")
            self._modules[name] = self._load(name)
        return self._modules[name]

    def is_own(self, name: str) -> bool:
        """Whether the import name's first part is a package of these files, with or without `__init__.py`."""
        top = name.partition(".")[0]
        prefixes = [prefix for prefix, _ in self._files.roots(top) if prefix]
        return bool(prefixes or self._candidates(top) or any(self._files.names(place) for place in self._places(top)))

    def below(self, name: str) -> list[str]:
        """Return the names of the modules in a package, for a message."""
        found: set[str] = set()
        for folder in self._places(name):
            names = self._files.names(folder)
            found |= {entry.removesuffix(".py") for entry in names if entry.endswith(".py") and entry != "__init__.py"}
            found |= {entry for entry in names if "__init__.py" in self._files.names(f"{folder}/{entry}")}
        return sorted(found)

    def has_stub(self, name: str) -> bool:
        return any(path.endswith(".pyi") for path, _ in self._candidates(name))

    def _load(self, name: str) -> Module | None:
        found = self._candidates(name)
        if not found:
            if self._is_compiled(name):
                raise CannotTellError(f"{name} is compiled and has no stub")
            return None
        path, is_package = found[-1] if self._prefer_stubs else found[0]
        try:
            data = self._files.read(path)
        except (FileNotFoundError, InputError, GitError) as error:
            raise CannotTellError(f"{path} cannot be read: {error}") from None
        self._bytes += len(data)
        if len(data) > MODULE_LIMIT or self._bytes > _BYTES:
            raise CannotTellError(f"{path} has {len(data)} bytes, which is too much to parse")
        return Module(name, path, _parsed(path, data), is_package, path.endswith(".pyi"))

    def _places(self, name: str) -> list[str]:
        """Return the folders or path stems that a dotted name may stand for, the likeliest first."""
        found = []
        for prefix, folder in self._files.roots(name.partition(".")[0]):
            if prefix and name != prefix and not name.startswith(f"{prefix}."):
                continue
            rest = name[len(prefix) :].strip(".").replace(".", "/")
            found.append(posixpath.join(folder, rest).rstrip("/"))
        return found

    def _candidates(self, name: str) -> list[tuple[str, bool]]:
        """Return path and whether it is a package: what runs first, then the stub."""
        found = []
        for place in self._places(name):
            folder, stem = posixpath.split(place)
            inside, beside = self._files.names(place), self._files.names(folder)
            for suffix in (".py", ".pyi"):
                if f"__init__{suffix}" in inside:
                    found.append((f"{place}/__init__{suffix}", True))
                elif f"{stem}{suffix}" in beside:
                    found.append((f"{place}{suffix}", False))
            if found:
                break
        return found

    def _is_compiled(self, name: str) -> bool:
        for place in self._places(name):
            folder, stem = posixpath.split(place)
            names = self._files.names(folder)
            if any(entry.startswith(f"{stem}.") and entry.endswith(_COMPILED) for entry in names):
                return True
        return False


def _parsed(path: str, data: bytes) -> ast.Module:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(data)
    except SyntaxError as error:
        raise CannotTellError(f"{path}:{error.lineno or 1} cannot be parsed: {error.msg}") from None
    except (ValueError, LookupError, RecursionError, MemoryError) as error:
        raise CannotTellError(f"{path} cannot be parsed: {error or 'it is nested too deeply'}") from None
