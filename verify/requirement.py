"""Requirement strings as uv reads them."""

from __future__ import annotations

from functools import lru_cache

from packaging.requirements import InvalidRequirement, Requirement


@lru_cache(maxsize=65536)
def parse_requirement(text: str) -> Requirement | None:
    """Return the parsed PEP 508 requirement, or None when it is not one.

    Like uv, accept a URL that is followed by the marker's semicolon without a space.
    """
    for candidate in (text, text.replace(";", " ;", 1)):
        try:
            return Requirement(candidate)
        except InvalidRequirement:
            continue
    return None
