"""What `dependency-metadata` states of packages, compared by meaning: uv writes its markers anew in the lock."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from packaging.version import Version

from .document import Key
from .markers import CannotTellError, Universe, condition
from .requirement import normal_name, normal_specifier, parse_requirement

_MOST_NAMED = 64
"""Values in the markers of one requirement beyond which they are compared as text."""
_UNIVERSE = Universe()  # uv writes the markers for every environment, whatever the lock is for


class Statement(NamedTuple):
    """One entry.

    Attributes:
        keys: where it stands.
        name: normalised name of the package.
        version: normalised; empty where it holds for any.
        requires: each requirement without its marker, with the markers that it has.
    """

    keys: tuple[Key, ...]
    name: str
    version: str
    requires: dict[str, list[str]]

    def __str__(self) -> str:
        texts = sorted(
            f"{text}; {marker}" if marker else text for text, markers in self.requires.items() for marker in markers
        )
        return f" {self.version or 'of any version'} that requires {', '.join(texts) or 'nothing'}"

    def same(self, other: Statement) -> bool:
        """Return whether both state the same, or it cannot be told that they do not."""
        if (self.name, self.version) != (other.name, other.version) or self.requires.keys() != other.requires.keys():
            return False
        return all(_same_markers(markers, other.requires[text]) for text, markers in self.requires.items())


def statements(entries: object, keys: tuple[Key, ...]) -> Iterator[Statement]:
    """Yield the entries of a `dependency-metadata` list that stands at `keys`."""
    for number, entry in enumerate(entries if isinstance(entries, list) else ()):
        if isinstance(entry, dict):
            name = normal_name(str(entry.get("name")))
            yield Statement(
                (*keys, number), name, _version(entry.get("version")), _requires(entry.get("requires-dist"))
            )


def _requires(value: object) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for text in map(str, value if isinstance(value, list) else ()):
        requirement = parse_requirement(text)
        if requirement is None:
            found.setdefault(text, []).append("")
            continue
        extras = ",".join(sorted(normal_name(extra) for extra in requirement.extras))
        place = f" @ {requirement.url}" if requirement.url else normal_specifier(str(requirement.specifier))
        bare = f"{normal_name(requirement.name)}{f'[{extras}]' if extras else ''}{place}"
        found.setdefault(bare, []).append(str(requirement.marker or ""))
    return found


def _version(value: object) -> str:
    try:
        return str(Version(str(value))) if value is not None else ""
    except ValueError:
        return str(value)


def _same_markers(ours: list[str], theirs: list[str]) -> bool:
    if sorted(ours) == sorted(theirs):
        return True
    every = [text.replace('"', "'") for text in (*ours, *theirs) if "extra" in text]
    named = {part for text in every for part in text.split("'")[1::2]}
    if len(named) > _MOST_NAMED:
        return False
    try:
        for extra in ("", *sorted(named)):
            one, other = ([condition(text, extra) for text in texts] for texts in (ours, theirs))
            if _UNIVERSE.apart(one, other) or _UNIVERSE.apart(other, one):
                return False
    except CannotTellError:
        pass
    return True
