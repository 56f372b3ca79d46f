"""A lock as text: entries that can be edited one by one, so that nothing else of the file changes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import rtoml

_ENTRY = re.compile(r"(?m)^(?=\[\[(?:package|distribution)\]\])")
_METADATA = re.compile(r"(?m)^\[package\.metadata\]")
FIRST_PARTY = ("editable", "virtual", "directory")
FOREIGN = ("git", "url", "path")
"""Kinds of sources that bring declarations of their own, which are in none of the project's files."""


@dataclass(frozen=True)
class LockText:
    """The text of a lock, cut at its entries: `head` stands before the first of them."""

    text: str

    @cached_property
    def _parts(self) -> list[str]:
        return _ENTRY.split(self.text)

    @property
    def head(self) -> str:
        return self._parts[0]

    @property
    def entries(self) -> list[str]:
        return self._parts[1:]

    @cached_property
    def packages(self) -> list[dict[str, Any]]:
        data: dict[str, Any] = rtoml.loads(self.text)
        found: list[dict[str, Any]] = data.get("package") or data.get("distribution") or []
        return found

    def replaced(self, changes: dict[int, str], *, head: str | None = None) -> str:
        """Return the text with other entries at these numbers; an empty one is taken out."""
        entries = [changes.get(number, entry) for number, entry in enumerate(self.entries)]
        return (self.head if head is None else head) + "".join(entries)

    def number(self, name: str) -> int:
        return next(number for number, package in enumerate(self.packages) if package["name"] == name)


def kind_of(package: dict[str, Any]) -> str:
    source = package.get("source")
    return next(iter(source), "") if isinstance(source, dict) else ""


def edge_names(package: dict[str, Any], section: str) -> set[str]:
    """Return the names that `section` of an entry leads to: dependencies, optional-dependencies, dev-dependencies."""
    value = package.get(section) or []
    lists = value.values() if isinstance(value, dict) else [value]
    return {edge["name"] for edges in lists for edge in edges}


def halves(entry: str) -> tuple[str, str]:
    """Return what an entry locks, and what it records in `[package.metadata]`."""
    match = _METADATA.search(entry)
    return (entry, "") if match is None else (entry[: match.start()], entry[match.start() :])


def tables(text: str, name: str) -> Iterator[tuple[int, int]]:
    """Yield where the inline tables that begin with `{ name = "NAME"` start and end."""
    for match in re.finditer(rf'\{{ name = "{re.escape(name)}"(?=[ ,])', text):
        depth, quoted = 0, False
        for end in range(match.start(), len(text)):
            character = text[end]
            quoted ^= character == '"'
            depth += 0 if quoted else (character == "{") - (character == "}")
            if depth == 0:
                yield match.start(), end + 1
                break


def edit_table(text: str, name: str, edit: Callable[[str], str]) -> str | None:
    """Return `text` with the first inline table of `name` edited, None where there is none or nothing changes."""
    for start, end in tables(text, name):
        changed = text[:start] + edit(text[start:end]) + text[end:]
        return None if changed == text else changed
    return None


def drop_table(text: str, name: str) -> str | None:
    """Return `text` without the first inline table of `name`, with its comma and line."""
    for start, end in tables(text, name):
        after = text[end:].removeprefix(",")
        before = text[:start]
        if before.endswith("\n    ") and after.startswith("\n"):
            return before.removesuffix("    ") + after[1:]
        return before + after.removeprefix(" ")
    return None


def changed_lines(before: str, after: str) -> range:
    """Return the lines of `after`, from 1, in which it differs; where lines went, the line that follows them."""
    old, new = before.split("\n"), after.split("\n")
    shorter = min(len(old), len(new))
    start = next((number for number in range(shorter) if old[number] != new[number]), shorter)
    end = 0
    while end < shorter - start and old[-1 - end] == new[-1 - end]:
        end += 1
    return range(start + 1, max(start + 1, len(new) - end) + 1)
