"""Several records combined: every required part must have passed, on some machine, for exactly this commit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..escape import clean
from .judge import Judged, Refusal
from .record import CheckRecord, Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One required part: `holds` with the records that say so, or the reason why it does not."""

    name: str
    holds: bool
    said: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the gate says. It opens only when every part holds and no record was refused that should have counted."""

    commit: str
    parts: tuple[Part, ...]
    records: tuple[Judged, ...]
    skipped: tuple[Judged, ...] = ()

    @property
    def refused(self) -> tuple[Judged, ...]:
        return tuple(judged for judged in self.records if judged.refusal is not None)

    @property
    def opens(self) -> bool:
        return all(part.holds for part in self.parts) and not self.refused


def combine(commit: str, records: Sequence[Judged], required: Sequence[str], *, skip_refused: bool = False) -> Verdict:
    """Return the verdict over `records` for the parts `required`.

    A record that fails a part which another one passed is a contradiction, and both are refused: that is never
    skipped. With `skip_refused`, records that were refused for themselves are left out instead of closing the gate.
    """
    counted = [judged for judged in records if judged.refusal is None]
    skipped = [judged for judged in records if judged.refusal is not None and skip_refused]
    kept = [_contradiction(judged, counted) for judged in records if judged not in skipped]
    parts = tuple(_part(name, kept) for name in required)
    return Verdict(commit=commit, parts=parts, records=tuple(kept), skipped=tuple(skipped))


def _contradiction(judged: Judged, counted: Sequence[Judged]) -> Judged:
    if judged.refusal is not None or judged.record is None:
        return judged
    for check in judged.record.checks:
        for other in counted:
            theirs = other.record.check(check.name) if other.record else None
            if theirs is not None and {theirs.status, check.status} in _OPPOSITES:
                reason = f"it says that {check.name} {_WORDS[check.status]}; {other.path} says {_WORDS[theirs.status]}"
                return replace(judged, refusal=Refusal.CONTRADICTING, reason=reason)
    return judged


_OPPOSITES = ({"passed", "failed"}, {"passed", "errored"})
_WORDS = {"passed": "passed", "failed": "failed", "not_run": "did not run", "errored": "ended in an error"}


def _part(name: str, records: Sequence[Judged]) -> Part:
    found = [
        (judged, check)
        for judged in records
        if judged.record is not None and (check := judged.record.check(name)) is not None
    ]
    passed = [(j, c) for j, c in found if c.status == "passed" and j.refusal is None]
    failed = [(j, c) for j, c in found if c.status in ("failed", "errored") and j.refusal is None]
    if passed and not failed:
        return Part(name=name, holds=True, said="; ".join(_passed(j, c) for j, c in passed))
    if not found:
        return Part(name=name, holds=False, said="no record speaks of it")
    return Part(name=name, holds=False, said="; ".join(_not_passed(j, c) for j, c in found))


def _passed(judged: Judged, check: CheckRecord) -> str:
    record = judged.record
    return f"{counts(check)}{on(record) if record else ''}, {judged.signature} ({judged.path})"


def _not_passed(judged: Judged, check: CheckRecord) -> str:
    if judged.refusal is not None:
        return f"{judged.path} is refused: {judged.refusal.value}"
    return clean(f"{_WORDS[check.status]} in {judged.path}{': ' if check.reason else ''}{check.reason}")


def counts(check: CheckRecord) -> str:
    """Return the counts of a check in words, or its status where it has no cases."""
    numbers = {"passed": check.passed, "failed": check.failed, "not run": check.not_run}
    return ", ".join(f"{number} {word}" for word, number in numbers.items() if number) or _WORDS[check.status]


def on(record: Record) -> str:
    """Return where and when a record was made, in words."""
    device = f" on {clean(record.device)}" if record.device else ""
    return f"{device}, {record.created:%Y-%m-%d}"
