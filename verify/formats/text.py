"""Text for people: a line a check, and under it what was found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..escape import clean, guard_line
from ..model import Finding, Outcome, Report, Severity, Status
from ..words import counted

_COLORS = {
    "passed": "32",
    "failed": "31",
    "not run": "33",
    "errored": "35",
    "error": "31",
    "warning": "33",
    "info": "36",
}


def render(reports: Sequence[Report], *, color: bool = False, verbosity: int = 0) -> str:
    several = len(reports) > 1
    lines: list[str] = []
    for report in reports:
        said = list(_project(report, color=color, verbosity=verbosity))
        if several and (said or verbosity >= 0):
            lines.append(f"project {clean(report.root)}")
        lines.extend(said)
        if verbosity >= 0:
            lines.extend([summary(report), ""] if several else [summary(report)])
    if several and verbosity >= 0:
        lines.append(_total(reports))
    return "\n".join([*map(guard_line, lines), ""])


def _project(report: Report, *, color: bool, verbosity: int) -> Iterator[str]:
    if report.error is not None:
        yield f"{_paint('error', 'error', color)}: {report.error}"
        if report.hint:
            yield f"  fix: {report.hint}"
    for outcome in report.outcomes:
        if verbosity >= 0 or outcome.findings or outcome in report.missing or outcome.status is Status.ERRORED:
            yield from _outcome(outcome, report, color=color, verbosity=verbosity)


def _outcome(outcome: Outcome, report: Report, *, color: bool, verbosity: int) -> Iterator[str]:
    words = outcome.status.words
    label = _paint(f"{words:<8}", words, color)
    yield f"{label} {outcome.check.code} {outcome.check.name}{_rest(outcome, report)}"
    for finding in outcome.findings:
        if finding.severity is not Severity.INFO or verbosity > 0:
            yield from _finding(finding, color)
    if verbosity > 0:
        yield from _details(outcome)


def _rest(outcome: Outcome, report: Report) -> str:
    said = outcome.reason or (outcome.tally.detail if outcome.tally else "")
    counts = [
        counted(outcome.count(severity), severity.value)
        for severity in (Severity.ERROR, Severity.WARNING)
        if outcome.count(severity)
    ]
    if outcome.ignored:
        counts.append(f"{len(outcome.ignored)} ignored")
    if outcome in report.missing:
        counts.append("required")
    shown = f" ({', '.join(counts)})" if counts else ""
    return f": {said}{shown}" if said else shown


def _finding(finding: Finding, color: bool) -> Iterator[str]:
    label = _paint(finding.severity.value, finding.severity.value, color)
    yield f"    {label}: {finding.message}"
    if finding.location is not None and finding.location not in {related.location for related in finding.related}:
        yield f"      --> {finding.location}"
    for related in finding.related:
        yield f"      --> {related.location}  {related.message}"
    if finding.hint:
        yield f"      fix: {finding.hint}"


def _details(outcome: Outcome) -> Iterator[str]:
    for case in outcome.tally.cases if outcome.tally else ():
        yield f"    {case.status.words}: {case.name}" + (f" ({case.reason})" if case.reason else "")
    for finding, reason in outcome.ignored:
        place = f" at {finding.location}" if finding.location else ""
        yield f"    ignored: {finding.message}{place} (reason: {clean(reason)})"


def summary(report: Report) -> str:
    """Return how many checks passed, failed, did not run, and the exit code."""
    counts = [
        f"{sum(outcome.status is status for outcome in report.outcomes)} {status.words}"
        for status in Status
        if any(outcome.status is status for outcome in report.outcomes)
    ]
    return f"{', '.join(counts) or 'nothing was checked'}; exit code {report.exit_code}"


def _total(reports: Sequence[Report]) -> str:
    words = {0: "clean", 1: "failed", 2: "could not be checked"}
    codes = [report.exit_code for report in reports]
    counts = [f"{codes.count(code)} {word}" for code, word in words.items() if code in codes]
    return f"{len(reports)} projects: {', '.join(counts)}; exit code {max(codes)}"


def _paint(text: str, name: str, color: bool) -> str:
    return f"\x1b[{_COLORS[name]}m{text}\x1b[0m" if color else text
