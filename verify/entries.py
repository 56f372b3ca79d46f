"""Where keys stand in a lock of any length: only the entry that is asked for is read again."""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any

from .positions import Path, Positions

_ARRAYS = ("package", "distribution")
_MULTILINE = ('"""', "'''")
_KEPT = 64
"""Entries whose positions are kept: findings come in the order of the file, several an entry."""


class Entries:
    """Finds key paths in one text that is valid TOML, and was parsed to `data`.

    Attributes:
        text: without a byte order mark.
        data: what the text says.
    """

    def __init__(self, text: str, data: dict[str, Any]) -> None:
        self.text = text
        self._array = next((name for name in _ARRAYS if isinstance(data.get(name), list)), "")
        self._count = len(data[self._array]) if self._array else 0
        self._entry = lru_cache(_KEPT)(self._read_entry)

    def find(self, keys: Path) -> tuple[int, int]:
        """Return line and column, both from 1, of the key path, else of the longest part of it that is there."""
        if self._starts and keys:
            first, number = keys[0], keys[1] if len(keys) > 1 else None
            if first == self._array and isinstance(number, int) and number < self._count:
                line, column = self._entry(number).find((first, 0, *keys[2:]))
                return line + self._starts[number][1], column
            depth, place = self._head.closest(keys)
            if depth == len(keys):
                return place
        return self.whole.find(keys)

    @cached_property
    def whole(self) -> Positions:
        """The positions of the whole text; on a lock of 3 MB this takes longer than all checks."""
        return Positions(self.text)

    @cached_property
    def _head(self) -> Positions:
        return Positions(self.text[: self._starts[0][0]])

    def _read_entry(self, number: int) -> Positions:
        end = self._starts[number + 1][0] if number + 1 < self._count else len(self.text)
        return Positions(self.text[self._starts[number][0] : end])

    @cached_property
    def _starts(self) -> list[tuple[int, int]]:
        """Offset of every entry, and the number of lines before it; empty where lines alone do not tell the entries.

        Outside of multi-line strings a line `[[package]]` is a header and nothing else, as no value is called that. An
        entry may be written otherwise, and then the numbers differ.
        """
        if not self._array or any(quotes in self.text for quotes in _MULTILINE):
            return []
        offsets = [match.start() for match in re.finditer(rf"(?m)^\[\[{self._array}\]\]", self.text)]
        if len(offsets) != self._count:
            return []
        lines = [self.text.count("\n", 0, offsets[0])]
        for one, other in pairwise(offsets):
            lines.append(lines[-1] + self.text.count("\n", one, other))
        return list(zip(offsets, lines, strict=True))
