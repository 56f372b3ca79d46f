"""Ignores on a line: `# pinproof: ignore[CODE] reason` accepts what is found at that line of pyproject.toml."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from .document import Document
from .model import Location

_ANY = re.compile(r"#\s*pinproof\s*:")
_IGNORE = re.compile(r"#\s*pinproof\s*:\s*ignore\[(?P<codes>[^\]]*)\](?P<reason>.*)", re.DOTALL)


class Comment(NamedTuple):
    """One code of one comment. `problem` says what is wrong with it; then it accepts nothing."""

    location: Location
    line: str
    code: str = ""
    reason: str = ""
    problem: str | None = None


def comments(document: Document) -> Iterator[Comment]:
    """Yield what the comments of `document` that begin with `# pinproof:` say."""
    if _ANY.search(document.text) is None:
        return
    lines = document.text.split("\n")
    for number, column, text in document.comments():
        if _ANY.match(text):
            location = Location(document.path, number, column)
            yield from _read(text, location, lines[number - 1].strip())


def _read(text: str, location: Location, line: str) -> Iterator[Comment]:
    match = _IGNORE.match(text)
    codes = [code.strip() for code in match["codes"].split(",")] if match else []
    reason = match["reason"].strip(" \t\r:-") if match else ""
    if not all(codes) or not codes:
        yield Comment(location, line, problem="the comment is not `# pinproof: ignore[CODE] reason`")
    elif not reason:
        yield Comment(location, line, problem=f"the comment ignores {', '.join(codes)} without a reason")
    else:
        for code in codes:
            yield Comment(location, line, code, reason)
