"""Records of test runs: an in-toto Statement with a test-result predicate. Standard library only.

GPU tests write their record with this module on a machine that has torch, triton and pytest and little else;
`pinproof check --evidence` writes the same form. docs/evidence.md describes every field.
"""

from __future__ import annotations

import contextlib
import datetime
import itertools
import json
import math
import os
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from .checkout import Checkout
from .subjects import Subjects

STATEMENT_TYPE: Final = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE: Final = "https://in-toto.io/attestation/test-result/v0.1"
SCHEMA: Final = 1

CASE_STATUSES: Final = {
    "passed": "passedTests",
    "warned": "warnedTests",
    "failed": "failedTests",
    "not_run": "notRunTests",
}
"""Status of a case -> the list that names it; the last one is our own, beside the predicate's three."""

CHECK_STATUSES: Final = ("passed", "failed", "not_run", "errored")


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One executed test or case. `status` is a key of `CASE_STATUSES`; `reason` says why it did not run."""

    name: str
    status: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One check and its cases. A check without cases (`pins`, `lock`) is listed as one test under its own name."""

    name: str
    status: str
    reason: str = ""
    cases: tuple[CaseResult, ...] = ()
    warned: bool = False


@dataclass(frozen=True, slots=True)
class Machine:
    """Where it ran.

    Attributes:
        versions: name -> version, of python, torch, triton and whatever else the result depends on.
        device: the GPU as its driver names it; None without one.
        driver: the version of the GPU's driver.
        world: the numbers of ranks that were run.
        emulated: whether the ranks were emulated in one process; None where there are no ranks.
    """

    versions: Mapping[str, str] = field(default_factory=dict)
    device: str | None = None
    driver: str | None = None
    world: tuple[int, ...] = ()
    emulated: bool | None = None


@dataclass(frozen=True, slots=True)
class Measurement:
    """One measured number.

    Attributes:
        name: what was measured, such as "paired gather, 8 rows, 2 row blocks".
        value: finite.
        unit: "us", "ms", "GB/s", ...
        scope: what the number speaks of: "component, sixteen emulated ranks on one NVIDIA H200". A scope that begins
            with "component" never supports a claim about a whole model.
        conditions: how it was measured: command, samples, clocks.
    """

    name: str
    value: float
    unit: str
    scope: str
    conditions: str = ""


def statement(
    subjects: Subjects,
    checkout: Checkout,
    checks: Sequence[CheckResult],
    *,
    required: Iterable[str] = (),
    machine: Machine | None = None,
    measurements: Sequence[Measurement] = (),
    created: datetime.datetime | None = None,
) -> dict[str, Any]:
    """Return the statement about one run.

    Args:
        subjects: what was tested, from `pinproof.kernels.subjects.subjects`.
        checkout: the commit, from `pinproof.kernels.checkout.checkout`.
        checks: what ran, and what did not.
        required: names of checks that must have run; one that did not makes the result FAILED.
        machine: where it ran.
        measurements: numbers measured in the same run.
        created: aware; now by default.

    Raises:
        ValueError: two checks have one name, a status is unknown, or a measurement is not finite.
    """
    if len({check.name for check in checks}) != len(checks):
        raise ValueError(f"two checks have one name: {', '.join(check.name for check in checks)}")
    machine = machine or Machine()
    when = (created or datetime.datetime.now(datetime.UTC)).astimezone(datetime.UTC)
    lists = _lists(checks)
    return {
        "_type": STATEMENT_TYPE,
        "subject": [{"name": name, "digest": dict(digest)} for name, digest in sorted(subjects.items())],
        "predicateType": PREDICATE_TYPE,
        "predicate": {
            "result": result(checks, required),
            "configuration": _configuration(subjects, checkout),
            "passedTests": [case.name for case in lists["passed"]],
            "warnedTests": [case.name for case in lists["warned"]],
            "failedTests": [case.name for case in lists["failed"]],
            "pinproof": {
                "schema": SCHEMA,
                "commit": checkout.commit,
                "dirty": checkout.dirty,
                "commitReason": checkout.reason,
                "created": when.strftime("%Y-%m-%dT%H:%M:%SZ"),
                "checks": [_check(check) for check in checks],
                "notRunTests": [{"name": case.name, "reason": case.reason} for case in lists["not_run"]],
                "versions": dict(machine.versions),
                "device": machine.device,
                "driver": machine.driver,
                "world": list(machine.world),
                "emulated": machine.emulated,
                "measurements": [_measurement(measurement) for measurement in measurements],
            },
        },
    }


def result(checks: Sequence[CheckResult], required: Iterable[str] = ()) -> str:
    """Return PASSED, WARNED or FAILED for a run: never PASSED where anything did not run.

    The predicate has no word for "not run": a required check that did not run is FAILED, any other and every skipped
    case is WARNED.
    """
    statuses = {check.name: check.status for check in checks}
    if any(statuses.get(name, "not_run") == "not_run" for name in required):
        return "FAILED"
    cases = {case.status for check in checks for case in check.cases}
    if {"failed", "errored"} & {*statuses.values(), *cases} or not checks:
        return "FAILED"
    if "not_run" in statuses.values() or cases & {"not_run", "warned"} or any(check.warned for check in checks):
        return "WARNED"
    return "PASSED"


def encode(statement: Mapping[str, Any]) -> bytes:
    """Return the JSON of a statement: ASCII, sorted keys, one spelling for one statement."""
    return (json.dumps(statement, indent=1, sort_keys=True, allow_nan=False) + "\n").encode("ascii")


def write(path: Path, statement: Mapping[str, Any]) -> None:
    """Write the record whole or not at all; of two writers the last one wins, and nothing mixes."""
    write_bytes(path, encode(statement))


def write_bytes(path: Path, data: bytes) -> None:
    """Replace the file `path` by `data`, whole or not at all."""
    descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(descriptor)
        mask = os.umask(0)
        os.umask(mask)
        Path(temporary).chmod(0o666 & ~mask)
        Path(temporary).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(temporary).unlink(missing_ok=True)
        raise


def _lists(checks: Sequence[CheckResult]) -> dict[str, list[CaseResult]]:
    """Return every case under its status, named `CHECK::CASE`, each name once."""
    found: dict[str, list[CaseResult]] = {status: [] for status in CASE_STATUSES}
    used: set[str] = set()
    for check in checks:
        if check.status not in CHECK_STATUSES:
            raise ValueError(f"the check {check.name} has the status {check.status!r}, which does not exist")
        for case in _cases(check):
            name = _unused(case.name, used)
            used.add(name)
            found[case.status].append(CaseResult(name, case.status, case.reason))
    return found


def _unused(name: str, used: set[str]) -> str:
    numbered = (f"{name} #{number}" for number in itertools.count(2))
    return name if name not in used else next(candidate for candidate in numbered if candidate not in used)


def _cases(check: CheckResult) -> Iterable[CaseResult]:
    if check.cases:
        return (CaseResult(f"{check.name}::{case.name}", case.status, case.reason) for case in check.cases)
    status = {"errored": "failed", "passed": "warned" if check.warned else "passed"}.get(check.status, check.status)
    return (CaseResult(check.name, status, check.reason),)


def _check(check: CheckResult) -> dict[str, Any]:
    counts = Counter(case.status for case in check.cases)
    return {
        "name": check.name,
        "status": check.status,
        "passed": counts["passed"] + counts["warned"],
        "failed": counts["failed"],
        "not_run": counts["not_run"],
        "reason": check.reason,
    }


def _configuration(subjects: Subjects, checkout: Checkout) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [
        {"name": name, "digest": dict(subjects[name])} for name in ("pyproject.toml", "uv.lock") if name in subjects
    ]
    if checkout.commit:
        found.append({"name": "commit", "digest": {"gitCommit": checkout.commit}})
    return found


def _measurement(measurement: Measurement) -> dict[str, Any]:
    if not math.isfinite(measurement.value):
        raise ValueError(f"the measurement {measurement.name!r} is {measurement.value}, expected a finite number")
    return {
        "name": measurement.name,
        "value": measurement.value,
        "unit": measurement.unit,
        "scope": measurement.scope,
        "conditions": measurement.conditions,
    }
