"""The grammar of `[tool.pinproof.pins.NAME] api`: `module:Class.method(parameter, parameter)`, alternatives by `|`."""

from __future__ import annotations

import re
from typing import NamedTuple

_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_DOTTED = rf"{_NAME}(?:\.{_NAME})*"
_ONE = rf" *{_DOTTED}(?::{_DOTTED}(?:\((?: *{_NAME} *(?:, *{_NAME} *)*)? *\))?)? *"
CONTRACT = re.compile(rf"{_ONE}(?:\|{_ONE})*")


class Interface(NamedTuple):
    """One alternative.

    Attributes:
        module: the dotted name that is imported.
        path: the attributes below it; empty for the module alone.
        parameters: names that a call may use as keywords; None where nothing is said about calls.
    """

    module: str
    path: tuple[str, ...] = ()
    parameters: tuple[str, ...] | None = None

    def __str__(self) -> str:
        path = f":{'.'.join(self.path)}" if self.path else ""
        return f"{self.module}{path}" + ("" if self.parameters is None else f"({', '.join(self.parameters)})")


def alternatives(text: str) -> tuple[Interface, ...]:
    """Read a contract. Raises `ValueError` for what is none."""
    if not CONTRACT.fullmatch(text):
        raise ValueError(f"`{text}` is not of the form module:Class.method(parameter)")
    return tuple(_interface(part.replace(" ", "")) for part in text.split("|"))


def _interface(text: str) -> Interface:
    head, call, rest = text.partition("(")
    module, _, path = head.partition(":")
    named = tuple(filter(None, rest.rstrip(")").split(",")))
    return Interface(module, tuple(path.split(".")) if path else (), named if call else None)
