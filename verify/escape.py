"""Foreign text, made safe to print: nothing that a lock, git, uv or pytest says can forge a line of output."""

from __future__ import annotations

import re

_UNSAFE = re.compile(
    "["
    "\x00-\x1f\x7f-\x9f"  # C0 and C1 controls, newlines and the escape character among them
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e"  # invisible
    "\u200b-\u200f\u2028-\u202f\u2060-\u206f"  # zero width, line separators, bidirectional controls
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\ud800-\udfff"
    "\U000e0000-\U000e0fff"  # tags and variation selectors
    "]"
)


def clean(text: str) -> str:
    """Return `text` with every control, bidirectional, invisible and newline character written as an escape.

    Idempotent: what is already clean comes back unchanged.
    """
    return _UNSAFE.sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    point = ord(match.group())
    if point < 0x100:
        return {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(match.group(), f"\\x{point:02x}")
    return f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"


def excerpt(text: str, limit: int = 200) -> str:
    """Return `text` cleaned and cut to `limit` characters, the cut marked by an ellipsis."""
    safe = clean(text)
    return safe if len(safe) <= limit else safe[: limit - 1] + "…"


def guard_line(line: str) -> str:
    """Return one line of text output such that no CI system takes it for a command (`::error`, `##[group]`)."""
    return f"| {line}" if line.lstrip().startswith(("::", "##[")) else line
