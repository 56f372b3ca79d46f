"""Reports in the form that a reader wants. A format takes the report and returns text; it never prints."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import cast

from ..model import Report

FORMATS = ("text", "json")
"""Each name is a module beside this file with a function `render(report, style) -> str`; loaded when used."""

Render = Callable[..., str]


def render(name: str, report: Report, *, color: bool = False, verbosity: int = 0) -> str:
    """Return `report` in the format `name`. `verbosity`: -1 quiet, 0 normal, 1 verbose; only text heeds the two."""
    module = import_module(f".{name}", __package__)
    return cast(Render, module.render)(report, color=color, verbosity=verbosity)
