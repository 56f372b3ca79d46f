"""What every annotating format needs of a report: one entry a problem, each with a place and a stable fingerprint."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..escape import clean
from ..model import Finding, Location, Outcome, Related, Report, Severity, Status
from ..project import PYPROJECT

UNREADABLE = "INPUT"
"""Stands for a check's code where the project could not be read at all."""
_POSITION = re.compile(r"(?<=[\w.]):\d+(:\d+)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One problem at one place.

    Attributes:
        code: the check's code.
        name: the check's name.
        path: relative to the root of the git checkout, with forward slashes.
        fingerprint: 64 hexadecimal digits; the same as long as file, check, package and message are, wherever the line
            moves to. No two entries of one run share it.
    """

    code: str
    name: str
    severity: Severity
    message: str
    path: str
    line: int
    column: int
    related: tuple[tuple[str, Related], ...]
    hint: str | None
    fingerprint: str


def entries(reports: Sequence[Report]) -> Iterator[Entry]:
    """Yield every finding, every required check that did not run, every crash, and every unreadable project."""
    seen: Counter[str] = Counter()
    for report in reports:
        for name, finding in _problems(report):
            yield _entry(report, name, finding, seen)


def _problems(report: Report) -> Iterator[tuple[str, Finding]]:
    if report.error is not None:
        yield "input", Finding(code=UNREADABLE, message=report.error, hint=report.hint)
    for outcome in report.outcomes:
        for finding in outcome.findings:
            yield outcome.check.name, finding
        if outcome.status is Status.ERRORED or outcome in report.missing:
            yield outcome.check.name, Finding(code=outcome.check.code, message=_not_judged(outcome))


def _not_judged(outcome: Outcome) -> str:
    did = "could not finish" if outcome.status is Status.ERRORED else "is required and did not run"
    return f"{outcome.check.name} {did}: {outcome.reason}"


def _entry(report: Report, name: str, finding: Finding, seen: Counter[str]) -> Entry:
    place = finding.location or Location(PYPROJECT)
    path = report.path(place)
    stable = "\0".join((finding.code, path, finding.package or "", _POSITION.sub("", finding.message)))
    seen[stable] += 1
    return Entry(
        code=finding.code,
        name=name,
        severity=finding.severity,
        message=finding.message,
        path=path,
        line=place.line,
        column=place.column,
        related=tuple((report.path(related.location), related) for related in finding.related),
        hint=finding.hint,
        fingerprint=hashlib.sha256(f"{stable}\0{seen[stable]}".encode("utf-8", "replace")).hexdigest(),
    )


def paragraphs(entry: Entry) -> list[str]:
    """Return the message, the other places and what to do, a line each."""
    lines = [entry.message]
    for path, related in entry.related:
        lines.append(f"{clean(path)}:{related.location.line}:{related.location.column} {related.message}")
    if entry.hint:
        lines.append(f"fix: {entry.hint}")
    return lines
