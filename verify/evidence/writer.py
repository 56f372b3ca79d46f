"""The record of one run of `pinproof check`."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from pinproof.kernels.checkout import checkout
from pinproof.kernels.record import CaseResult, CheckResult, Machine, encode, statement
from pinproof.kernels.subjects import SubjectError, subjects

from ..files import InputError, write_whole
from ..model import Outcome, Report, Severity, Status


class RunRecord:
    """Digests and commit taken before the checks run, written together with what they said."""

    def __init__(self, root: Path) -> None:
        """Digest the subjects of the project at `root`. Raises `InputError` where no digest covers one."""
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
            machine=Machine(versions=_versions()),
        )


def check_results(outcomes: Sequence[Outcome]) -> list[CheckResult]:
    """Return what each check said, in the words of a record."""
    return [_check(outcome) for outcome in outcomes]


def _check(outcome: Outcome) -> CheckResult:
    cases = tuple(CaseResult(c.name, _case(c.status), c.reason) for c in (outcome.tally.cases if outcome.tally else ()))
    findings = [finding.message for finding in outcome.findings if finding.severity is Severity.ERROR]
    reason = outcome.reason or "; ".join(findings[:3])
    return CheckResult(
        outcome.check.name,
        outcome.status.value,
        reason,
        cases,
        warned=bool(outcome.count(Severity.WARNING)),
    )


def _case(status: Status) -> str:
    return "failed" if status is Status.ERRORED else status.value


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for name in ("pinproof", "uv"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
