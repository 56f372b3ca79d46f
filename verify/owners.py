"""Import paths that two installed distributions own: pip and uv let the later one overwrite the earlier one."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from .environment import Distribution, Environment
from .files import InputError, read_regular

_IMPORTED = (".py", ".pyi", ".so", ".pyd")
_FILE_LIMIT = 64 * 1024 * 1024
_FILES = 200
"""Shared files of one pair that are looked at on disk."""


@dataclass(frozen=True, slots=True)
class Shared:
    """Files that several distributions own with different contents.

    Attributes:
        owners: the distributions, by name.
        paths: the files, relative to the environment's root.
        winners: for each distribution, how many of the files on disk are its own; the empty name stands for files that
            are nobody's any more.
    """

    owners: tuple[Distribution, ...]
    paths: tuple[str, ...]
    winners: dict[str, int]


def shared_files(environment: Environment) -> Iterator[Shared]:
    """Yield the files with more than one owner, grouped by their owners. Equal contents are no conflict."""
    claims: dict[str, list[Distribution]] = {}
    for top, distributions in _tops(environment).items():
        if len(distributions) > 1:
            for one in distributions:
                for path in one.record:
                    if path.endswith(_IMPORTED) and path.removeprefix(f"{one.site}/").partition("/")[0] == top:
                        claims.setdefault(path, []).append(one)
    groups: dict[tuple[str, ...], list[str]] = {}
    by_name = {one.name: one for one in environment.distributions}
    for path, owners in sorted(claims.items()):
        if len(owners) > 1 and len({owner.record[path] for owner in owners}) > 1:
            groups.setdefault(tuple(sorted(owner.name for owner in owners)), []).append(path)
    for names, paths in groups.items():
        owners = [by_name[name] for name in names]
        yield Shared(tuple(owners), tuple(paths), _winners(environment, owners, paths))


def hidden_modules(environment: Environment) -> Iterator[tuple[Distribution, Distribution, str]]:
    """Yield a distribution whose module is never imported, the one whose package of the same name is, and the name."""
    tops = _tops(environment)
    for top, owners in sorted(tops.items()):
        name = top.removesuffix(".py")
        if name != top:
            for package in tops.get(name, ()):
                if f"{package.site}/{name}/__init__.py" in package.record:
                    yield from ((module, package, name) for module in owners if module.site == package.site)


def _tops(environment: Environment) -> dict[str, list[Distribution]]:
    found: dict[str, list[Distribution]] = {}
    for one in environment.distributions:
        for top in one.tops:
            found.setdefault(top, []).append(one)
    return found


def _winners(environment: Environment, owners: list[Distribution], paths: list[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for path in islice(paths, _FILES):
        try:
            data = read_regular(environment.root, path, limit=_FILE_LIMIT)
        except (FileNotFoundError, InputError):
            data = None
        digest = "" if data is None else _digest(data)
        name = next((owner.name for owner in owners if digest and owner.record[path] == digest), "")
        found[name] = found.get(name, 0) + 1
    return found


def _digest(data: bytes) -> str:
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
