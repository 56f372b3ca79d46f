"""Places that `[[tool.pinproof.mentions]]` declares: literal text around one placeholder."""

from __future__ import annotations

import re
from collections.abc import Iterator

from packaging.version import Version

from ..values import PLACEHOLDER
from .text import Named, Text

_VALUE = r"[0-9A-Za-z][0-9A-Za-z.+!_/-]{0,128}"
SHORTEST = 7
"""Digits of the shortest commit that `{short}` accepts; what git prints by default."""


def placeholder(template: str) -> str:
    """Return which placeholder a template holds: commit, short or version."""
    found = PLACEHOLDER.search(template)
    assert found is not None  # noqa: S101 - configuration is validated
    return found[1]


def occurrences(template: str, text: Text) -> Iterator[Named]:
    """Yield what stands in place of the placeholder wherever the literal text around it occurs.

    A template that begins with a letter, digit or underscore does not match inside of a longer word.
    """
    before, _, after = PLACEHOLDER.split(template, maxsplit=1)
    edge = r"(?<!\w)" if re.match(r"\w", before) else ""
    pattern = f"{edge}{re.escape(before)}({_VALUE}{'?' if after else ''}){re.escape(after)}"
    for match in re.finditer(pattern, text.text):
        yield Named(match[1], text.offset(match.start(1)))


def agrees(kind: str, value: str, *, commit: str | None, version: str | None) -> bool:
    """Whether a written value is the one that a placeholder of this kind stands for."""
    if kind == "version":
        return version is not None and _same_version(value, version)
    if commit is None:
        return False
    if kind == "short":
        return len(value) >= SHORTEST and commit.startswith(value.lower())
    return value.lower() == commit


def _same_version(one: str, other: str) -> bool:
    try:
        return Version(one) == Version(other)
    except ValueError:
        return one == other
