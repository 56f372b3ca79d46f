"""Every marker of uv.lock can be true.

An edge whose marker is true in no environment that the lock is for is never followed: the dependency stands in the lock
and is not installed. uv drops such edges when it locks. The same goes for the markers of resolution forks, of the lock
and of each entry. Markers are evaluated in the environments of the lock's `requires-python` and `supported-markers`;
those that depend on conflicting extras are left out, and those that speak of one platform in two ways, where uv keeps
combinations that no platform has.

Example: `{ name = "colorama", marker = "sys_platform == 'win32' and sys_platform == 'linux'" }`.

Fix: `uv lock`, and look at what changes.

How to allow: an ignore with its reason.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..context import Context
from ..document import Key
from ..lock import Lock
from ..markers import ATOM, INDEPENDENT, CannotTellError, Universe, condition, parse, speaks_of_extras
from ..model import Finding, Severity, Tally
from ..words import counted

CODE = "LCK018"


def run(context: Context) -> Iterator[Finding | Tally]:
    lock = context.project.lock
    universe = lock.graph.universe
    whole = Universe(universe.requires_python)
    possible: dict[str, bool | None] = {}
    for text, keys, what in _markers(lock):
        if text not in possible:
            possible[text] = _possible(whole if what == "the fork" else universe, text)
        if not possible[text]:
            said = "can never be true" if possible[text] is False else "is not a marker"
            yield Finding(
                code=CODE,
                message=f"{what} has a marker that {said}: {text}",
                severity=Severity.WARNING if possible[text] is False else Severity.ERROR,
                location=lock.document.locate(*keys),
                hint="run `uv lock`, and look at what changes",
            )
    yield Tally(detail=counted(len(possible), "marker"))


def _markers(lock: Lock) -> Iterator[tuple[str, tuple[Key, ...], str]]:
    """Yield every marker, where it stands, and whose it is."""
    for key in ("resolution-markers", "supported-markers", "required-markers"):
        yield from _list(lock.document.data.get(key), (key,), "the fork")
    for package in lock.packages:
        yield from _list(package.table.get("resolution-markers"), (*package.keys, "resolution-markers"), "the fork")
        for edge in package.edges:
            marker = edge.table.get("marker")
            if isinstance(marker, str):
                yield marker, edge.keys, f"the edge from {package.name} to {edge.name}"


def _list(value: object, keys: tuple[Key, ...], what: str) -> Iterator[tuple[str, tuple[Key, ...], str]]:
    for number, text in enumerate(value if isinstance(value, list) else ()):
        if isinstance(text, str):
            yield text, (*keys, number), what


_PLATFORM = ("os_name", "sys_platform", "platform_system")


def _possible(universe: Universe, text: str) -> bool | None:
    """Return whether a marker can be true, True where that cannot be told; None where it is none."""
    if speaks_of_extras(text):
        return True
    try:
        if not universe.supported and _independent(universe, text):
            return True
        if parse(text) is None:
            return None
        if sum(name in text for name in _PLATFORM) > 1:
            return True
        return universe.possible(condition(text))
    except CannotTellError:
        return True


def _independent(universe: Universe, text: str) -> bool:
    """Return whether one alternative of a marker in uv's form compares each variable once: a quick way to see it hold.

    What an alternative says of Python is evaluated by itself.
    """
    found = False
    for alternative in text.split(" or "):
        inner = alternative[1:-1] if alternative.startswith("(") and alternative.endswith(")") else alternative
        atoms = inner.split(" and ")
        matches = [ATOM.fullmatch(atom) for atom in atoms]
        names = [match["name"] for match in matches if match and match["operator"] in ("==", "!=")]
        others = [name for name in names if name in INDEPENDENT]
        if not all(matches):
            return False
        if len(others) != len(set(others)):
            continue
        python = [atom for atom in atoms if atom.startswith("python_")]
        if len(python) + len(others) != len(atoms):
            continue
        found = found or not python or universe.possible(condition(" and ".join(python)))
    return found
