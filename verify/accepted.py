"""What configuration makes of findings: severities are changed, accepted findings set aside, stale ignores reported."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from .config import CODE as CONFIG_CODE
from .config import Ignore
from .context import Context
from .document import Document
from .model import Finding, Location, Outcome, Severity, Status


def graded(outcome: Outcome) -> Outcome:
    """Return `outcome` with the status that its findings give it, and these in the order of their places."""
    if outcome.status is Status.ERRORED:
        return outcome
    ordered = sorted(outcome.findings, key=lambda f: (-f.severity.rank, f.location is None, f.location, f.message))
    if outcome.count(Severity.ERROR):
        status = Status.FAILED
    elif outcome.status is Status.NOT_RUN or outcome.reason:
        # The reason says what was left out: accepting the errors of the rest does not make that a pass.
        status = Status.NOT_RUN
    else:
        status = Status.PASSED
    return replace(outcome, status=status, findings=tuple(ordered))


def apply_config(outcomes: Iterable[Outcome], context: Context, known: Collection[str]) -> list[Outcome]:
    """Set ignored findings aside, apply configured severities, and report ignores that match nothing.

    `known` holds the codes of all checks.
    """
    config = context.config
    entries = _Ignores(config.ignores, config.document, context.project.pyproject)
    judged = [graded(_configured(outcome, context, entries)) for outcome in outcomes]
    ran = {outcome.check.code for outcome in judged if outcome.status is not Status.NOT_RUN}
    stale = tuple(entries.stale(ran, known))
    return [graded(replace(o, findings=(*o.findings, *stale))) if o.check.code == CONFIG_CODE else o for o in judged]


def _configured(outcome: Outcome, context: Context, entries: _Ignores) -> Outcome:
    kept: list[Finding] = []
    ignored: list[tuple[Finding, str]] = []
    for finding in outcome.findings:
        severity = context.config.severity.get(finding.code, finding.severity)
        accepting = entries.accepting(finding)
        if severity is None:
            ignored.append((finding, f"the severity of {finding.code} is off"))
        elif accepting is not None:
            ignored.append((finding, accepting.reason))
        else:
            kept.append(replace(finding, severity=severity))
    return replace(outcome, findings=tuple(kept), ignored=tuple(ignored))


class _Ignores:
    """The ignores of one configuration, and which of them matched.

    A comment accepts what is found at lines of the project's pyproject.toml that read like its own. Where trusted
    configuration comes from another file or commit, lines may have moved, and the project may have copied the line:
    then it accepts nothing where the line occurs more often than in the trusted text.
    """

    def __init__(self, ignores: tuple[Ignore, ...], trusted: Document, checked: Document) -> None:
        self.ignores = ignores
        self._checked = checked
        self._lines = [line.strip() for line in checked.text.split("\n")]
        own = [line.strip() for line in trusted.text.split("\n")] if any(entry.line for entry in ignores) else []
        self._copied = {e.line for e in ignores if e.line and self._lines.count(e.line) > own.count(e.line)}
        self._used: set[int] = set()

    def accepting(self, finding: Finding) -> Ignore | None:
        """Return the first ignore in force that matches `finding`, and remember every one that matches."""
        matching = [number for number, entry in enumerate(self.ignores) if self._matches(entry, finding)]
        self._used.update(matching)
        return next((self.ignores[number] for number in matching if not _expired(self.ignores[number])), None)

    def stale(self, ran: Collection[str], known: Collection[str]) -> Iterator[Finding]:
        for number, entry in enumerate(self.ignores):
            yield from _stale(entry, number in self._used, ran, known)

    def _matches(self, entry: Ignore, finding: Finding) -> bool:
        if not entry.matches(finding):
            return False
        places = (finding.location, *(related.location for related in finding.related))
        return entry.line is None or any(self._line(place) == entry.line for place in places)

    def _line(self, place: Location | None) -> str | None:
        if place is None or place.path != self._checked.path or place.line > len(self._lines):
            return None
        line = self._lines[place.line - 1]
        return None if line in self._copied else line


def _expired(entry: Ignore) -> bool:
    return entry.until is not None and entry.until < datetime.datetime.now(tz=datetime.UTC).date()


def _stale(entry: Ignore, matched: bool, ran: Collection[str], known: Collection[str]) -> Iterable[Finding]:
    if _expired(entry):
        message = f"the ignore of {entry.code} ended on {entry.until}"
    elif entry.code not in known:
        message = f"the ignore names the code {entry.code}, which no check has"
    elif not matched and entry.code in ran:
        message = f"the ignore of {entry.code} matches no finding"
    else:
        return
    yield Finding(
        code=CONFIG_CODE,
        message=message,
        severity=Severity.WARNING,
        location=entry.location,
        hint="remove the ignore, or correct what it names",
        package=entry.package,
    )
