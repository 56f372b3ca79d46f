"""The change adds no whitespace errors and no conflict markers.

What `git diff --check` reports, for the lines that the commits since the base add: blanks at the end of a line, a space
before a tab in the indent, a conflict marker, empty lines at the end of a file. A carriage return at the end of every
added line of a file is its line end, and none of these. A marker is an error; `=======` alone in a file is a warning,
for it also underlines headings. Git's own configuration and attributes take no part: a change could switch them off.

Example: a merge left `<<<<<<< HEAD` behind in a workflow that no parser reads before it runs.

Fix: take the blanks away; resolve the merge.

How to allow: an ignore with its reason, by `path`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..added import Added, added_lines, changed_files, read
from ..context import Context
from ..model import Finding, Severity, Tally

CODE = "CHG001"
_MARKER = re.compile(rb"(<{7}|={7}|>{7}|\|{7})(?:\s|$)")
_SIDE = re.compile(rb"(<{7}|>{7}|\|{7})(?:\s|$)")
_TRAILING = re.compile(rb"[ \t\r]+$")
_INDENT = re.compile(rb"^[ \t]*")


def run(context: Context) -> Iterator[Finding | Tally]:
    lines = 0
    changed = changed_files(context)
    for added in added_lines(context, changed):
        lines += len(added)
        returns = all(line.raw.endswith(b"\r") for line in added)
        conflict = any(_SIDE.match(line.raw) for line in added)
        for line in added:
            yield from _line(line, line.raw.removesuffix(b"\r") if returns else line.raw, conflict)
        yield from _end(added)
    yield read(lines, changed)


def _line(line: Added, raw: bytes, conflict: bool) -> Iterator[Finding]:
    if _MARKER.match(raw):
        yield _finding(line, 1, "leftover conflict marker", Severity.ERROR if conflict else Severity.WARNING)
    if trailing := _TRAILING.search(raw):
        yield _finding(line, _column(raw, trailing.start()), "trailing whitespace")
    indent = _INDENT.match(_TRAILING.sub(b"", raw))
    at = indent[0].find(b" \t") if indent else -1
    if at >= 0:
        yield _finding(line, at + 1, "space before tab in indent")


def _column(raw: bytes, offset: int) -> int:
    return len(raw[:offset].decode("utf-8", "replace")) + 1


def _end(added: list[Added]) -> Iterator[Finding]:
    blank = []
    for line in reversed(added):
        if not line.last or line.raw.strip():
            break
        blank.append(line)
    if blank:
        yield _finding(blank[-1], 1, "new blank line at the end of the file")


def _finding(line: Added, column: int, what: str, severity: Severity = Severity.WARNING) -> Finding:
    hint = "resolve the merge" if severity is Severity.ERROR else "take it away; `git diff --check` shows the same"
    return Finding(code=CODE, message=what, severity=severity, location=line.at(column), hint=hint)
