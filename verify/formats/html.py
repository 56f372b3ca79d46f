"""One self-contained HTML file: pins, lock, policy, GPU results and measurements. No scripts; light and dark.

GPU results and measurements come from the records in the project's folder `evidence/`. They are shown with what they
are about and are never counted as passed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape
from importlib.metadata import version
from pathlib import Path

from pinproof.kernels.record import Measurement
from pinproof.kernels.subjects import subjects

from ..escape import clean
from ..evidence.record import Record
from ..evidence.recorded import records
from ..model import Case, Outcome, Report, Status
from ..words import counted
from .entries import Entry, entries
from .plot import Value, plot
from .style import STYLE

_CODE = re.compile(r"`([^`]+)`")


def render(reports: Sequence[Report], **_: object) -> str:
    body = "\n".join(line for report in reports for line in _project(report))
    return f"""\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>pinproof</title>
<style>{STYLE}</style>
</head>
<body>
<main>
{body}
<footer>pinproof {escape(version("pinproof"))}. Not run is never passed.</footer>
</main>
</body>
</html>
"""


def _project(report: Report) -> Iterator[str]:
    verdict = {0: "clean", 1: "failed", 2: "could not be checked"}[report.exit_code]
    yield f'<h1>{_text(report.folder)} <span class="verdict v{report.exit_code}">{verdict}</span></h1>'
    if report.error is not None:
        yield f"<p>{_text(report.error)}</p><p>{_text(report.hint or '')}</p>"
        return
    yield from _checks(report)
    yield from _findings(report)
    yield from _accepted(report)
    yield from _pins(report)
    yield from _cases("Policy", report, "POL001")
    yield from _cases("Policy tests", report, "POL002")
    yield from _cases("GPU tests of this run", report, "GPU001")
    yield from _evidence(report)


def _checks(report: Report) -> Iterator[str]:
    yield "<h2>Checks</h2><table><thead><tr><th>status<th>check<th>what it says</thead><tbody>"
    for outcome in report.outcomes:
        said = outcome.reason or (outcome.tally.detail if outcome.tally else "")
        required = " <strong>required</strong>" if outcome in report.missing else ""
        ignored = f" ({len(outcome.ignored)} ignored)" if outcome.ignored else ""
        name = f"{outcome.check.code} {escape(outcome.check.name)}"
        yield f"<tr><td>{_status(outcome.status)}<td>{name}<td>{_text(said)}{ignored}{required}"
    yield "</tbody></table>"


def _status(status: Status) -> str:
    return f'<span class="status {status.value}">{status.words}</span>'


def _findings(report: Report) -> Iterator[str]:
    found = list(entries([report]))
    if found:
        yield "<h2>Findings</h2><ol class=findings>"
        yield from map(_finding, found)
        yield "</ol>"


def _finding(entry: Entry) -> str:
    places = "".join(
        f"<li>{_place(path, related.location.line, related.location.column)} {_text(related.message)}"
        for path, related in entry.related
    )
    fix = f"<p>Fix: {_text(entry.hint)}</p>" if entry.hint else ""
    head = f'<span class="status {entry.severity.value}">{entry.severity.value}</span> {escape(entry.code)}'
    place = _place(entry.path, entry.line, entry.column)
    return f"<li>{head} {place}<p>{_text(entry.message)}</p><ul>{places}</ul>{fix}"


def _place(path: str, line: int, column: int) -> str:
    return f"<code>{escape(clean(path))}:{line}:{column}</code>"


def _accepted(report: Report) -> Iterator[str]:
    ignored = [entry for outcome in report.outcomes for entry in outcome.ignored]
    if ignored:
        yield "<h2>Accepted findings</h2><table><thead><tr><th>check<th>finding<th>reason</thead><tbody>"
        for finding, reason in ignored:
            place = finding.location
            at = f" {_place(report.path(place), place.line, place.column)}" if place else ""
            yield f"<tr><td>{escape(finding.code)}<td>{_text(finding.message)}{at}<td>{_text(reason)}"
        yield "</tbody></table>"


def _pins(report: Report) -> Iterator[str]:
    facts = [fact for outcome in report.outcomes if outcome.tally for fact in outcome.tally.facts]
    if facts:
        yield "<h2>Pins</h2><table><thead><tr><th>package<th>place<th>what it names</thead><tbody>"
        for fact in facts:
            yield f"<tr><td>{_text(fact.subject)}<td>{_text(fact.role)}<td><code>{escape(fact.value)}</code>"
        yield "</tbody></table>"


def _cases(title: str, report: Report, code: str) -> Iterator[str]:
    outcome = next((o for o in report.outcomes if o.check.code == code), None)
    if outcome is None or outcome.tally is None or not outcome.tally.cases:
        return
    yield f"<h2>{title}</h2>{_counts(outcome)}<table><thead><tr><th>case<th>status<th>reason</thead><tbody>"
    shown = sorted(outcome.tally.cases, key=lambda case: case.status is Status.PASSED)[:200]
    yield from map(_case, shown)
    yield "</tbody></table>"


def _counts(outcome: Outcome) -> str:
    tally = outcome.tally
    counts = [f"{tally.count(status)} {status.words}" for status in Status if tally and tally.count(status)]
    return f"<p>{', '.join(counts)}</p>"


def _case(case: Case) -> str:
    return f"<tr><td>{_text(case.name)}<td>{_status(case.status)}<td>{_text(case.reason)}"


def _evidence(report: Report) -> Iterator[str]:
    root = Path(report.root)
    try:
        found, here = records(root), subjects(root)
    except (OSError, ValueError):
        return
    yield "<h2>Records of earlier runs</h2>"
    if not found:
        yield "<p>The folder <code>evidence/</code> holds no record.</p>"
    for record in sorted(found, key=lambda record: record.created, reverse=True):
        yield from _record(record, same=record.subjects == here)


def _record(record: Record, *, same: bool) -> Iterator[str]:
    name = Path(record.path).name
    about = "about exactly these files" if same else "about other files than these"
    tree = ", from a tree with uncommitted changes" if record.dirty else ""
    yield f"<h3>{_text(name)}</h3><p>{record.created:%Y-%m-%d}, {about}{tree}; the signature was not verified here.</p>"
    facts = [("device", record.device or "none"), ("driver", record.driver or "none"), *sorted(record.versions.items())]
    if record.world:
        how = {True: ", emulated in one process", False: "", None: ""}[record.emulated]
        facts.append(("ranks", f"{', '.join(map(str, record.world))}{how}"))
    yield "<dl>" + "".join(f"<dt>{_text(key)}<dd>{_text(value)}" for key, value in facts) + "</dl>"
    yield "<table><thead><tr><th>check<th>status<th>passed<th>failed<th>not run<th>reason</thead><tbody>"
    for check in record.checks:
        row = f"<td>{check.passed}<td>{check.failed}<td>{check.not_run}<td>{_text(check.reason)}"
        yield f"<tr><td>{_text(check.name)}<td>{_status(Status(check.status))}{row}"
    yield "</tbody></table>"
    yield from _measurements(record.measurements)


def _measurements(measurements: Sequence[Measurement]) -> Iterator[str]:
    groups: dict[tuple[str, str, str], list[Measurement]] = {}
    for entry in measurements:
        groups.setdefault((entry.unit, entry.scope, entry.conditions), []).append(entry)
    for (unit, scope, conditions), group in groups.items():
        said = f"{_text(scope)}. {_text(conditions)}"
        yield f"<figure><figcaption>{counted(len(group), 'measurement')} in {_text(unit)}: {said}</figcaption>"
        yield plot([Value(clean(entry.name), entry.value) for entry in group], clean(unit))
        rows = "".join(f"<tr><td>{_text(entry.name)}<td class=number>{entry.value:g}" for entry in group)
        yield f"<details><summary>Numbers</summary><table><tbody>{rows}</tbody></table></details></figure>"


def _text(foreign: str) -> str:
    return _CODE.sub(r"<code>\1</code>", escape(clean(foreign)))
