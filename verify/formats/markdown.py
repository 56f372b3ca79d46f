"""Markdown, for a pull request comment or a job summary. Foreign text can neither format, link nor mention anyone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..escape import clean, guard_line
from ..model import Outcome, Report, Severity, Status
from ..words import counted
from .entries import Entry, entries

SUMMARY_LIMIT = 1_000_000
"""Bytes. A job summary above 1 MiB is not shown at all (GitHub's limit a step)."""
_MARK = {Status.PASSED: "✅", Status.FAILED: "❌", Status.NOT_RUN: "⏭️", Status.ERRORED: "💥"}
_NOUN = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_CODE = re.compile(r"`([^`]+)`")
_PUNCTUATION = re.compile(r"([\\`*_\[\]<>()!|~&$]|:(?=//|:)|(?<=www)\.)")


def render(reports: Sequence[Report], **_: object) -> str:
    lines = [guard_line(line) for report in reports for line in _project(report)]
    return "\n".join(lines) + "\n"


def shortened(rendered: str, limit: int) -> str:
    """Return whole lines of `rendered` in at most `limit` bytes, and say so where some are left out."""
    if len(rendered.encode()) <= limit:
        return rendered
    note = "\n\nThe rest is left out: it is longer than a job summary may be.\n"
    cut = rendered.encode()[: max(limit - len(note), 0)].decode("utf-8", "ignore")
    return (cut.rpartition("\n")[0] + note) if cut else ""


def _project(report: Report) -> Iterator[str]:
    verdict = {0: "clean", 1: "failed", 2: "could not be checked"}[report.exit_code]
    name = "" if report.folder == "." else f" {code(clean(report.folder))}"
    yield from (f"### pinproof{name}: {verdict}", "")
    if report.error is not None:
        yield from (f"{text(report.error)}{_hint(report.hint)}", "")
        return
    yield from ("| | check | what it says |", "|---|---|---|")
    for outcome in report.outcomes:
        yield _row(outcome, report)
    yield ""
    for entry in entries([report]):
        yield from _finding(entry)


def _row(outcome: Outcome, report: Report) -> str:
    said = outcome.reason or (outcome.tally.detail if outcome.tally else "")
    notes = [counted(outcome.count(s), _NOUN[s]) for s in Severity if outcome.count(s)]
    notes += [f"{len(outcome.ignored)} ignored"] if outcome.ignored else []
    notes += ["**required**"] if outcome in report.missing else []
    words = f"**{outcome.status.words}**" if outcome.status is not Status.PASSED else outcome.status.words
    rest = "; ".join([_plain(said)] * bool(said) + notes)
    return f"| {_MARK[outcome.status]} {words} | {outcome.check.code} {outcome.check.name} | {rest} |"


def _finding(entry: Entry) -> Iterator[str]:
    yield f"- **{entry.severity.value}** {entry.code} at {code(f'{clean(entry.path)}:{entry.line}:{entry.column}')}:"
    yield f"  {text(entry.message)}{_hint(entry.hint)}"
    for path, related in entry.related:
        place = f"{clean(path)}:{related.location.line}:{related.location.column}"
        yield f"  - {code(place)} {text(related.message)}"


def _hint(hint: str | None) -> str:
    return f" *Fix:* {text(hint)}" if hint else ""


def code(foreign: str) -> str:
    """Return `foreign` as a code span, also where it holds backticks. Not for table cells: a bar would end them."""
    fence = "`" * (max((len(run) for run in re.findall("`+", foreign)), default=0) + 1)
    return f"{fence} {foreign} {fence}" if "`" in foreign else f"{fence}{foreign}{fence}"


def text(foreign: str) -> str:
    """Return `foreign` with what stands in backticks as code, and nothing else with a meaning."""
    parts = _CODE.split(clean(foreign))
    return "".join(code(part) if number % 2 else _plain(part) for number, part in enumerate(parts))


def _plain(part: str) -> str:
    return _PUNCTUATION.sub(r"\\\1", part).replace("@", "@<!-- -->")
