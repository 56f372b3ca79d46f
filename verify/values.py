"""Kinds of values in `[tool.pinproof]`: what is accepted, how an error names it, and its JSON Schema."""

from __future__ import annotations

import datetime
import posixpath
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from .api.contract import CONTRACT
from .source import FULL_COMMIT


class Kind(NamedTuple):
    """One kind. `expected` are the words of an error; `schema` accepts all that `accepts` does."""

    expected: str
    accepts: Callable[[Any], bool]
    schema: dict[str, Any]


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_commit(value: Any) -> bool:
    return isinstance(value, str) and FULL_COMMIT.fullmatch(value) is not None


def _is_inside(value: Any) -> bool:
    if not isinstance(value, str) or not value or "\0" in value:
        return False
    return not posixpath.normpath(value).startswith(("/", ".."))


def _is_date(value: Any) -> bool:
    return isinstance(value, datetime.date) and not isinstance(value, datetime.datetime)


def _array(expected: str, item: Kind) -> Kind:
    return Kind(
        expected,
        lambda value: isinstance(value, list) and all(map(item.accepts, value)),
        {"type": "array", "items": item.schema},
    )


def one_of(*names: str) -> Kind:
    return Kind("one of " + ", ".join(names), lambda value: value in names, {"enum": list(names)})


TEXT = Kind("a non-empty string", _is_text, {"type": "string", "pattern": r"\S"})
COMMIT = Kind(
    "a full commit of 40 or 64 hexadecimal digits",
    _is_commit,
    {"type": "string", "pattern": f"^({FULL_COMMIT.pattern})$"},
)
INSIDE = Kind("a path inside the project", _is_inside, {"type": "string", "pattern": r"^(?!/)."})
FLAG = Kind("true or false", lambda value: isinstance(value, bool), {"type": "boolean"})
DATE = Kind("a date", _is_date, {"type": "string", "format": "date"})
PLACEHOLDER = re.compile(r"\{(commit|short|version)\}")
"""What stands in a template for the full commit, its first digits, or the locked version."""
TEMPLATE = Kind(
    "text around one of {commit}, {short} and {version}",
    lambda value: isinstance(value, str) and len(PLACEHOLDER.findall(value)) == 1,
    {"type": "string", "pattern": PLACEHOLDER.pattern},
)
_ITEM = Kind("", lambda value: isinstance(value, str) and bool(value), {"type": "string", "minLength": 1})
TEXTS = _array("an array of strings", _ITEM)
COMMITS = _array("full commits", COMMIT)
INTERFACES = _array(
    "an array of interfaces such as module:Class.method(parameter)",
    Kind(
        "",
        lambda value: isinstance(value, str) and CONTRACT.fullmatch(value) is not None,
        {"type": "string", "pattern": f"^{CONTRACT.pattern}$"},
    ),
)
INSIDES = _array("an array of paths inside the project", INSIDE)
