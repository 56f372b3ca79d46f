"""Environment markers as sets of environments: whether one can be true, and whether two are true together.

A marker is evaluated in every combination of the values that matter: the versions of Python around each bound that
occurs, the platforms, and each value that the markers name beside one that they do not. That decides exactly what uv
simplifies (it drops from an edge what `requires-python` and `supported-markers` imply anyway). Where the combinations
are too many, or a marker speaks of extras in uv's encoded form, the answer is that it cannot be told.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from packaging.markers import Marker, UndefinedComparison, UndefinedEnvironmentName
from packaging.version import Version

from .requirement import specifiers

Environment = Mapping[str, str]

Condition = tuple[tuple[str, str], ...]
"""Markers that hold together, each with what `extra` is in it."""

ALWAYS: Condition = ()


ATOM = re.compile(r"(?P<name>[a-z_]+) (?P<operator>==|!=|<=|>=|<|>) '[^'()]*'")
"""One comparison in the form that uv writes."""


@lru_cache(maxsize=16384)
def condition(marker: str, extra: str = "") -> Condition:
    """Return the condition that `marker` states; an empty one is always true.

    Comparisons that are joined by `and` alone are told apart: the same few occur again and again, and each is
    evaluated once.
    """
    atoms = marker.split(" and ")
    if len(atoms) > 1 and all(map(ATOM.fullmatch, atoms)):
        return tuple((atom, extra) for atom in atoms)
    return ((marker, extra),) if marker else ALWAYS


_MOST = 4096
"""Combinations that are tried; above, nothing is said."""

_COMPARISON = re.compile(
    r"""(?P<name>[a-z_]+)\s*(?:===|==|!=|<=|>=|~=|<|>|not\s+in|in)\s*(?P<quote>['"])(?P<value>.*?)(?P=quote)"""
    r"""|(?P<quote2>['"])(?P<value2>.*?)(?P=quote2)\s*(?:===|==|!=|<=|>=|~=|<|>|not\s+in|in)\s*(?P<name2>[a-z_]+)"""
)
_PYTHON = ("python_version", "python_full_version")
_PLATFORM = ("os_name", "sys_platform", "platform_system")
_IMPLEMENTATION = ("implementation_name", "platform_python_implementation")
_PLATFORMS = (
    ("posix", "linux", "Linux"),
    ("posix", "darwin", "Darwin"),
    ("nt", "win32", "Windows"),
    ("posix", "cygwin", "CYGWIN"),
    ("posix", "emscripten", "Emscripten"),
    ("posix", "android", "Android"),
    ("posix", "ios", "iOS"),
    ("java", "java", "Java"),
)
_IMPLEMENTATIONS = (("cpython", "CPython"), ("pypy", "PyPy"), ("graalpy", "GraalVM"))
_OTHER = "another one"
_DEFAULT = {
    "implementation_name": "cpython",
    "implementation_version": "3.12.0",
    "os_name": "posix",
    "platform_machine": "x86_64",
    "platform_python_implementation": "CPython",
    "platform_release": _OTHER,
    "platform_system": "Linux",
    "platform_version": _OTHER,
    "python_full_version": "3.12.0",
    "python_version": "3.12",
    "sys_platform": "linux",
}

INDEPENDENT = frozenset(_DEFAULT.keys() - set(_PYTHON))
"""Variables of which every value occurs, whatever `requires-python` says."""


class CannotTellError(Exception):
    """The markers cannot be compared here; the message is the reason."""


class Universe:
    """The environments that a lock is for."""

    def __init__(self, requires_python: str = "", supported: Iterable[str] = ()) -> None:
        self.requires_python = requires_python
        self.supported = tuple(supported)
        self._found: dict[tuple[str, ...], tuple[Environment, ...]] = {}
        self._apart: dict[tuple[tuple[Condition, ...], tuple[Condition, ...]], str | None] = {}

    def possible(self, condition: Condition) -> bool:
        """Return whether all markers of `condition` are true in one environment. Raises `CannotTellError`."""
        return any(_holds(condition, env) for env in self._environments(condition))

    def apart(self, first: Iterable[Condition], second: Iterable[Condition]) -> str | None:
        """Return an environment in words where one of `first` holds and none of `second`; None where there is none.

        Raises `CannotTellError`.
        """
        ours, theirs = list(dict.fromkeys(first)), list(dict.fromkeys(second))
        if ALWAYS in theirs or set(ours) <= set(theirs):
            return None
        asked = (tuple(ours), tuple(theirs))
        if asked not in self._apart:
            self._apart[asked] = self._between(*asked)
        return self._apart[asked]

    def _between(self, ours: tuple[Condition, ...], theirs: tuple[Condition, ...]) -> str | None:
        every = tuple(pair for condition in (*ours, *theirs) for pair in condition)
        for env in self._environments(every):
            if any(_holds(one, env) for one in ours) and not any(_holds(one, env) for one in theirs):
                return _words(env, [text for text, _ in every])
        return None

    def _environments(self, condition: Condition) -> tuple[Environment, ...]:
        texts = tuple(sorted({text for text, _ in condition}.union(self.supported) - {""}))
        if texts not in self._found:
            found = _environments(texts, self.requires_python)
            if self.supported:
                found = tuple(env for env in found if any(_true(text, env, "") for text in self.supported))
            self._found[texts] = found
        return self._found[texts]


@lru_cache(maxsize=16384)
def parse(text: str) -> Marker | None:
    """Return the marker, or None where it is not one."""
    try:
        return Marker(text)
    except ValueError:
        return None


def speaks_of_extras(text: str) -> bool:
    """Return whether a marker depends on an extra or group in the form in which uv encodes conflicts."""
    return "extra-" in text or "group-" in text or "project-" in text


@lru_cache(maxsize=16384)
def _names(text: str) -> tuple[str, ...]:
    """Return the variables that a marker speaks of."""
    found = {match["name"] or match["name2"] for match in _COMPARISON.finditer(text)} - {"extra"}
    return tuple(sorted(found & _DEFAULT.keys()))


@lru_cache(maxsize=65536)
def _evaluate(text: str, values: tuple[str, ...], extra: str) -> bool:
    """Evaluate a marker where the variables that it speaks of have these values."""
    if speaks_of_extras(text):
        raise CannotTellError(f"`{text}` depends on conflicting extras")
    marker = parse(text)
    if marker is None:
        raise CannotTellError(f"`{text}` is no marker")
    try:
        return marker.evaluate({**_DEFAULT, **dict(zip(_names(text), values, strict=True)), "extra": extra})
    except (UndefinedComparison, UndefinedEnvironmentName, ValueError, KeyError):
        raise CannotTellError(f"`{text}` cannot be evaluated") from None


def _holds(condition: Condition, env: Environment) -> bool:
    return all(_true(text, env, extra) for text, extra in condition)


def _true(text: str, env: Environment, extra: str) -> bool:
    return not text or _evaluate(text, tuple([env[name] for name in _names(text)]), extra)


@lru_cache(maxsize=4096)
def _environments(texts: tuple[str, ...], requires_python: str) -> tuple[Environment, ...]:
    named: dict[str, set[str]] = {}
    for text in texts:
        for match in _COMPARISON.finditer(text):
            name, value = match["name"] or match["name2"], match["value"] or match["value2"] or ""
            named.setdefault(name, set()).add(value)
    named.pop("extra", None)
    choices: list[list[dict[str, str]]] = []
    if named.keys() & set(_PYTHON):
        bounds = named.pop("python_version", set()) | named.pop("python_full_version", set())
        choices.append(_pythons(bounds, requires_python))
    if platform := {name: named.pop(name) for name in _PLATFORM if name in named}:
        choices.append(_tuples(_PLATFORM, _PLATFORMS, platform))
    if implementation := {name: named.pop(name) for name in _IMPLEMENTATION if name in named}:
        choices.append(_tuples(_IMPLEMENTATION, _IMPLEMENTATIONS, implementation))
    for name, values in named.items():
        if name not in _DEFAULT:
            raise CannotTellError(f"`{name}` is no variable of an environment")
        parts = {part for value in values for part in (value, *value.split())}
        choices.append([{name: value} for value in sorted({*parts, _DEFAULT[name], _OTHER})])
    total = 1
    for choice in choices:
        total *= len(choice)
    if total > _MOST:
        raise CannotTellError(f"the markers distinguish more than {_MOST} environments")
    return tuple(
        {**_DEFAULT, **{key: value for part in parts for key, value in part.items()}}
        for parts in itertools.product(*choices)
    )


def _tuples(
    names: tuple[str, ...], known: tuple[tuple[str, ...], ...], named: Mapping[str, set[str]]
) -> list[dict[str, str]]:
    """Return the known combinations of variables that go together, and one for each value that none of them has."""
    found = [dict(zip(names, values, strict=True)) for values in known]
    for name, values in named.items():
        for value in sorted(values):
            if not any(entry[name] == value for entry in found):
                found.append({**dict.fromkeys(names, _OTHER), name: value})
    return found


def _pythons(bounds: set[str], requires_python: str) -> list[dict[str, str]]:
    """Return versions below, at and above every bound, as far as `requires-python` lets them."""
    texts = {part for bound in bounds for part in bound.split()}
    texts |= set(re.findall(r"\d{1,9}(?:\.\d{1,9})*", requires_python))
    points = {(3, 8, 0), (3, 99, 0)}
    for text in texts:
        try:
            release = Version(text.removesuffix(".*")).release
        except ValueError:
            continue
        major, minor, micro = (*release, 0, 0)[:3]
        points |= {(major, minor, micro), (major, minor, micro + 1), (major, minor + 1, 0)}
        points.add((major, minor, micro - 1) if micro else (major, max(minor - 1, 0), 99))
    try:
        allowed = specifiers(requires_python)
    except ValueError:
        allowed = specifiers("")
    versions = [".".join(map(str, point)) for point in sorted(points)]
    return [
        {"python_full_version": version, "python_version": version.rpartition(".")[0]}
        for version in versions
        if allowed.contains(version, prereleases=True)
    ]


def _words(env: Environment, texts: Iterable[str]) -> str:
    """Return an environment in words, as far as the markers speak of it."""
    names = {match["name"] or match["name2"] for text in texts for match in _COMPARISON.finditer(text)}
    return ", ".join(f"{name} {env[name]}" for name in sorted(names & env.keys())) or "every environment"
