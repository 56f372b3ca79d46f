"""Text that names something: where it stands, what a variable of the same file holds, and what is a comment."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from ..model import Location

_COMMENT = re.compile(r"\s*(#|//|--\s|;|rem\s)", re.IGNORECASE)
_ASSIGNMENT = re.compile(
    r"""^[ \t-]*(?:export[ \t]+|ARG[ \t]+|ENV[ \t]+|set[ \t]*\([ \t]*|local[ \t]+|readonly[ \t]+)*
    ["']?([A-Za-z_][\w-]*)["']?(?:[ \t]*[:?]?=[ \t]*|[ \t]*:[ \t]+|[ \t]+)["']?(?:\$\{\w+:-)?([\w.+!/-]+)""",
    re.VERBOSE | re.MULTILINE,
)
VARIABLE = r"\$\{\{\s*(?:env|inputs|vars)\.\w+\s*\}\}|\$\{?\w+(?::-[^}\s]*)?\}?"
_NAME = re.compile(r"(?:env|inputs|vars)\.(\w+)|\$\{?(\w+)(?::-([^}\s]*))?")


@dataclass(frozen=True, slots=True)
class Named:
    """One value that a file names, as written there."""

    value: str
    location: Location


class Text:
    """One file, line by line."""

    def __init__(self, path: str, data: bytes) -> None:
        self.path = path
        self.text = data.decode("utf-8", "replace").removeprefix("\ufeff").replace("\r\n", "\n")
        self.lines = self.text.split("\n")

    def at(self, line: int, column: int) -> Location:
        """Return the place of a line and a column that are both counted from 0."""
        return Location(self.path, line + 1, column + 1)

    def offset(self, offset: int) -> Location:
        """Return the place of a character, counted from the start of the text."""
        start = self.text.rfind("\n", 0, offset) + 1
        return self.at(self.text.count("\n", 0, offset), offset - start)

    def is_comment(self, line: int) -> bool:
        return _COMMENT.match(self.lines[line]) is not None

    def values(self, written: str) -> list[str]:
        """Return what `written` stands for: itself, or everything that a variable is set to in this file."""
        found = _NAME.match(written.removeprefix("${{").strip() if written.startswith("${{") else written)
        if found is None or not written.startswith("$"):
            return [written]
        fallback = [found[3]] if found[3] else []
        return self._assigned.get(found[1] or found[2], fallback)

    @cached_property
    def _assigned(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for name, value in _ASSIGNMENT.findall(self.text):
            found.setdefault(name, []).append(value)
        return found
