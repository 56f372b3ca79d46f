"""One TOML file: its bytes, text and data, and where in the text a key stands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rtoml

from .files import InputError, read_regular
from .model import Location

if TYPE_CHECKING:
    from .entries import Entries

Key = str | int
_CONFLICT = re.compile(r"^(<{7}|={7}|>{7}|\|{7})( |\r?$)", re.MULTILINE)
_AT = re.compile(r"(.*?) at line (\d+) column (\d+)", re.DOTALL)


class Document:
    """A TOML file that was read once.

    Attributes:
        path: relative to the project's root, with forward slashes.
        raw: the bytes of the file.
        text: decoded, without a byte order mark.
        data: the parsed tables, as dicts, lists, strings, numbers, dates.
    """

    def __init__(self, path: str, raw: bytes) -> None:
        """Parse `raw`. Raises `InputError` when it is not UTF-8, empty, or not TOML."""
        self.path = path
        self.raw = raw
        self.text = _decode(path, raw)
        self.data: dict[str, Any] = _parse(path, self.text)

    @classmethod
    def read(cls, root: Path, relative: str) -> Document:
        """Read the file `relative` below `root`. Raises `FileNotFoundError` or `InputError`."""
        return cls(relative, read_regular(root, relative))

    def __reduce__(self) -> tuple[type[Document], tuple[str, bytes]]:
        return Document, (self.path, self.raw)

    def get(self, *keys: str) -> Any:
        """Return the value at the path `keys` through tables, or None where a table or key is missing."""
        value: Any = self.data
        for key in keys:
            if not isinstance(value, dict):
                return None
            value = value.get(key)
        return value

    def table(self, *keys: str) -> dict[str, Any]:
        """Return the table at `keys`, an empty one where there is none.

        Raises `InputError` where something else stands there.
        """
        value = self.get(*keys)
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise self.error(keys, f"`{'.'.join(keys)}` is {describe(value)}, expected a table")
        return value

    def locate(self, *keys: Key) -> Location:
        """Return where the key path stands: its own key, or the closest table around it that is in the text.

        Array elements are numbered from 0, as in the data.
        """
        line, column = self._entries.find(keys)
        return Location(self.path, line, column)

    def comments(self) -> Iterator[tuple[int, int, str]]:
        """Yield line, column and text of every comment."""
        return self._entries.whole.comments()

    def error(self, keys: tuple[Key, ...], message: str, *, hint: str | None = None) -> InputError:
        """Return an `InputError` at the line of `keys`."""
        return InputError(self.path, message, line=self.locate(*keys).line, hint=hint)

    @cached_property
    def _entries(self) -> Entries:
        from .entries import Entries

        return Entries(self.text, self.data)


def describe(value: object) -> str:
    """Return what kind of TOML value this is, in words for an error."""
    kinds = {bool: "a boolean", int: "an integer", float: "a float", str: "a string", list: "an array", dict: "a table"}
    return kinds.get(type(value), "a date or time")


def _decode(path: str, raw: bytes) -> str:
    if not raw.strip():
        raise InputError(path, "is empty", hint="restore it from version control, or create it with uv")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise InputError(
            path, f"is not UTF-8: byte 0x{raw[error.start]:02x} at offset {error.start}", line=line
        ) from None
    return text.removeprefix("\ufeff")


def _parse(path: str, text: str) -> dict[str, Any]:
    try:
        return rtoml.loads(text)
    except rtoml.TomlParsingError as error:
        marker = _CONFLICT.search(text)
        if marker and text.startswith("<<<<<<<", marker.start()):
            line = text.count("\n", 0, marker.start()) + 1
            raise InputError(path, "holds merge conflict markers", line=line, hint="resolve the merge first") from None
        found = _AT.match(str(error))
        message, line_of_error = (found[1], int(found[2])) if found else (str(error), None)
        raise InputError(path, f"is not valid TOML: {message.strip()}", line=line_of_error) from None
    except RecursionError:
        raise InputError(path, "is not valid TOML: nested too deeply") from None
