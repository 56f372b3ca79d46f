"""Reports in the form that a reader wants. A format takes one report a project and returns text; it never prints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import cast

from ..model import Report

FORMATS = ("text", "json", "sarif", "github", "gitlab", "junit", "markdown", "html")
"""Each name is a module beside this file with `render(reports, *, color, verbosity) -> str`; loaded when used."""

Render = Callable[..., str]


def render(name: str, reports: Sequence[Report], *, color: bool = False, verbosity: int = 0) -> str:
    """Return `reports` in the format `name`. `verbosity`: -1 quiet, 0 normal, 1 verbose; only text heeds the two."""
    module = import_module(f".{name}", __package__)
    return cast(Render, module.render)(reports, color=color, verbosity=verbosity)
