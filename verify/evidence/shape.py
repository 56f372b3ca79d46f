"""JSON from strangers: parsed without surprises, and taken apart with errors that name the place."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator
from typing import Any, NoReturn, TypeVar

from ..escape import excerpt

T = TypeVar("T")


class ShapeError(ValueError):
    """The text is not what it must be; the message says where, what was found and what was expected."""


def parse(data: bytes) -> Any:
    """Return the value of a JSON text in UTF-8.

    Raises:
        ShapeError: it is cut off or no JSON, a key stands twice in one object, or a number is not finite.
    """
    if data.startswith(b"\xef\xbb\xbf"):
        raise ShapeError("begins with a byte order mark, expected plain UTF-8")
    try:
        return json.loads(data.decode(), object_pairs_hook=_object, parse_constant=_no_number, parse_float=_float)
    except UnicodeDecodeError as error:
        raise ShapeError(f"is not UTF-8: byte 0x{data[error.start]:02x} at offset {error.start}") from None
    except json.JSONDecodeError as error:
        # The decoder stops at the end of what is there, or reports the string that the end cuts in two.
        cut = not error.doc[error.pos :].strip() or error.msg.startswith("Unterminated string")
        what = "is cut off: the JSON ends too early" if cut else f"is not JSON: {error.msg}"
        raise ShapeError(f"{what} at line {error.lineno}, column {error.colno}") from None
    except RecursionError:
        raise ShapeError("is nested too deeply") from None
    except ShapeError:
        raise
    except ValueError:  # Python refuses to convert integers of more than 4300 digits
        raise ShapeError("holds a number with too many digits") from None


class At:
    """A value and the path to it."""

    def __init__(self, value: Any, path: str = "") -> None:
        self.value = value
        self.path = path

    def fail(self, expected: str) -> NoReturn:
        """Raise a `ShapeError` that says what stands here and what was expected."""
        raise ShapeError(f"{self.path or 'the record'} is {_described(self.value)}, expected {expected}")

    def key(self, name: str) -> At:
        """Return the value under the required key `name`."""
        if not isinstance(self.value, dict):
            self.fail("an object")
        path = f"{self.path}.{name}" if self.path else name
        if name not in self.value:
            raise ShapeError(f"{path} is missing")
        return At(self.value[name], path)

    def items(self) -> Iterator[At]:
        """Yield the elements of an array."""
        if not isinstance(self.value, list):
            self.fail("an array")
        for number, value in enumerate(self.value):
            yield At(value, f"{self.path}[{number}]")

    def entries(self) -> Iterator[tuple[str, At]]:
        """Yield the keys and values of an object."""
        if not isinstance(self.value, dict):
            self.fail("an object")
        for name, value in self.value.items():
            yield name, At(value, f"{self.path}.{excerpt(name, 80)}")

    def texts(self) -> tuple[str, ...]:
        """Return an array of strings; a plain loop, since there may be hundreds of thousands."""
        if not isinstance(self.value, list):
            self.fail("an array of strings")
        for number, value in enumerate(self.value):
            if not isinstance(value, str):
                At(value, f"{self.path}[{number}]").fail("a string")
        return tuple(self.value)

    def text(self, pattern: str | None = None, expected: str = "a string") -> str:
        """Return a string, which must match all of `pattern` if there is one."""
        if not isinstance(self.value, str) or (pattern is not None and not re.fullmatch(pattern, self.value)):
            self.fail(expected)
        return self.value

    def one_of(self, *allowed: str) -> str:
        if self.value not in allowed:
            self.fail("one of " + ", ".join(allowed))
        return str(self.value)

    def count(self) -> int:
        """Return an integer that is not negative, nor absurd."""
        if type(self.value) is not int or not 0 <= self.value <= 10**9:
            self.fail("a count of at most 10^9")
        return self.value

    def number(self) -> float:
        """Return a finite number."""
        if type(self.value) not in (int, float):
            self.fail("a number")
        try:
            value = float(self.value)
        except OverflowError:
            self.fail("a number that a double holds")
        return value

    def optional(self, read: Callable[[At], T]) -> T | None:
        """Return None for null, else what `read` makes of the value."""
        return None if self.value is None else read(self)

    def flag(self) -> bool:
        if not isinstance(self.value, bool):
            self.fail("true or false")
        return self.value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ShapeError(f"the key '{excerpt(twice, 80)}' stands twice in one object")
    return found


def _no_number(name: str) -> NoReturn:
    raise ShapeError(f"holds {name}, which is no JSON number")


def _float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ShapeError(f"holds the number {excerpt(text, 40)}, which no double holds")
    return value


def _described(value: Any) -> str:
    if isinstance(value, str):
        return f"'{excerpt(value, 80)}'"
    if isinstance(value, dict | list):
        return f"an {'object' if isinstance(value, dict) else 'array'}"
    return json.dumps(value)[:40]
