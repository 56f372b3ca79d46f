"""Workflow commands of GitHub Actions: one annotation a problem, the worst first, since ten of a kind are shown a step.

A plain line a project follows, for those who read the log.

The job summary is the format `markdown`; the command line appends it to the file that `GITHUB_STEP_SUMMARY` names.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..escape import clean, guard_line
from ..model import Report, Severity
from .entries import Entry, entries, paragraphs
from .text import summary

_COMMAND = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def render(reports: Sequence[Report], **_: object) -> str:
    ordered = sorted(entries(reports), key=lambda entry: -entry.severity.rank)
    said = [guard_line(f"pinproof {clean(report.folder)}: {summary(report)}") for report in reports]
    return "".join(f"{line}\n" for line in [*map(_annotation, ordered), *said])


def _annotation(entry: Entry) -> str:
    properties = {
        "file": clean(entry.path),
        "line": str(entry.line),
        "col": str(entry.column),
        "title": f"{entry.code} {entry.name}",
    }
    listed = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{_COMMAND[entry.severity]} {listed}::{_data(chr(10).join(paragraphs(entry)))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
