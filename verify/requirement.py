"""Requirement strings as uv reads them."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

normal_name: Callable[[str], str] = lru_cache(maxsize=65536)(canonicalize_name)
"""The normalised name of a package, extra or group; a lock repeats the same few names again and again."""


@lru_cache(maxsize=65536)
def parse_requirement(text: str) -> Requirement | None:
    """Return the parsed PEP 508 requirement, or None when it is not one.

    Like uv, accept a URL that is followed by the marker's semicolon without a space.
    """
    for candidate in (text, text.replace(";", " ;", 1)):
        try:
            return Requirement(candidate)
        except ValueError:
            continue
    return None


@lru_cache(maxsize=1024)
def specifiers(text: str) -> SpecifierSet:
    """Return the specifiers, read to the end: packaging converts their numbers late, and not beyond 4,300 digits.

    Raises:
        ValueError: they cannot be read.
    """
    found = SpecifierSet(text)
    found.contains("1", prereleases=True)
    return found


@lru_cache(maxsize=65536)
def normal_specifier(specifier: str) -> str:
    """Return a specifier with its parts in order."""
    try:
        return ",".join(sorted(str(one) for one in SpecifierSet(specifier)))
    except ValueError:
        return specifier
