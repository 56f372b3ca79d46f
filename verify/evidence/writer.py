"""The record of one run of `pinproof check`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pinproof.kernels.checkout import checkout
from pinproof.kernels.record import CaseResult, CheckResult, encode, statement
from pinproof.kernels.subjects import SubjectError, subjects

from ..files import InputError, write_whole
from ..model import Outcome, Report, Severity, Status
from .machine import this_machine


class RunRecord:
    """Digests and commit taken before the checks run, written together with what they said."""

    def __init__(self, root: Path, *, python: Path | None = None) -> None:
        """Digest the subjects of the project at `root`, whose environment `python` or `.venv` is.

        Raises:
            InputError: a subject is one that no digest covers.
        """
        self._environment = python.absolute().parent.parent if python else root / ".venv"
        try:
            self._subjects = subjects(root)
        except SubjectError as error:
            raise InputError(str(root), f"no record can be made: {error}") from None
        except OSError as error:
            raise InputError(str(error.filename or root), f"cannot be read: {error.strerror}") from None
        self._checkout = checkout(root)

    def write(self, path: Path, report: Report) -> None:
        """Write the record of `report` to `path`, whole or not at all. Raises `InputError`."""
        write_whole(path, encode(self.statement(report)))

    def statement(self, report: Report) -> dict[str, Any]:
        """Return the record of `report` as data."""
        return statement(
            self._subjects,
            self._checkout,
            check_results(report.outcomes),
            required=sorted(report.required),
            machine=this_machine(self._environment),
        )


def check_results(outcomes: Sequence[Outcome]) -> list[CheckResult]:
    """Return what each check said, in the words of a record."""
    return [_check(outcome) for outcome in outcomes]


def _check(outcome: Outcome) -> CheckResult:
    cases = tuple(CaseResult(c.name, _case(c.status), c.reason) for c in (outcome.tally.cases if outcome.tally else ()))
    return CheckResult(
        outcome.check.name,
        _status(outcome, {case.status for case in cases}),
        _reason(outcome),
        cases,
        warned=bool(outcome.count(Severity.WARNING)),
    )


def _status(outcome: Outcome, cases: set[str]) -> str:
    """Return the status to record: configuration can soften a report, not what happened to the cases."""
    if outcome.status is Status.PASSED and "failed" in cases:
        return Status.FAILED.value
    if outcome.status is Status.PASSED and cases == {"not_run"}:
        return Status.NOT_RUN.value
    return outcome.status.value


def _reason(outcome: Outcome) -> str:
    errors = [finding.message for finding in outcome.findings if finding.severity is Severity.ERROR]
    said = [outcome.reason] if outcome.reason else errors[:3]
    if outcome.ignored:
        said.append(f"{len(outcome.ignored)} findings set aside by configuration")
    return "; ".join(said)


def _case(status: Status) -> str:
    return "failed" if status is Status.ERRORED else status.value
