"""Reports of every kind of finding."""

from __future__ import annotations

import pytest

from pinproof.verify import Case, Finding, Location, Outcome, Related, Report, Severity, Status, Tally
from pinproof.verify.checks import CHECKS

PLACE = Location("pyproject.toml", 41, 5)
OTHER = Location("uv.lock", 433, 1)
FOREIGN = "é, 100% of [x](y) {0} <b>&\"'` | @someone https://example.org ::error::no\n::error::forged\x1b[31m\u202e"
"""What a hostile lock may put into a name."""


def finding(code: str, severity: Severity = Severity.ERROR, **changed: object) -> Finding:
    values: dict[str, object] = {
        "code": code,
        "message": f"{code} says: locked bbbb, declared aaaa",
        "severity": severity,
        "location": PLACE,
        "related": (Related(PLACE, "declared: aaaa"), Related(OTHER, "locked: bbbb")),
        "hint": "run `uv lock`",
        "package": "flashinfer-python",
    }
    return Finding(**{**values, **changed})  # type: ignore[arg-type]


@pytest.fixture
def kinds() -> Report:
    """One failed outcome a registered check, with an error, a warning, an information and one without a place."""
    outcomes = tuple(
        Outcome(
            check=check,
            status=Status.FAILED,
            findings=(
                finding(check.code),
                finding(check.code, Severity.WARNING, message="a warning", location=OTHER, related=()),
                finding(check.code, Severity.INFO, message="an information", hint=None),
                finding(check.code, message="nowhere", location=None, related=(), package=None),
            ),
        )
        for check in CHECKS
    )
    return Report(root=".", outcomes=outcomes)


def one(*findings: Finding, folder: str = ".", **changed: object) -> Report:
    """A report of one check with the given findings."""
    outcome = Outcome(check=CHECKS[0], status=Status.FAILED, findings=findings)
    return Report(**{"root": folder, "folder": folder, "outcomes": (outcome,), **changed})  # type: ignore[arg-type]


@pytest.fixture
def hostile() -> Report:
    return one(
        finding("CFG001", message=FOREIGN, hint=FOREIGN, related=(Related(Location(FOREIGN, 2, 3), FOREIGN),)),
        folder="sub",
    )


@pytest.fixture
def not_judged() -> Report:
    """A check that did not run, a required one that did not run, a crash, and one passed with cases."""
    tally = Tally(
        detail="1 of 3 cases",
        cases=(
            Case(name="8 rows -> 2", status=Status.PASSED),
            Case(name="1 row -> 1", status=Status.FAILED, reason="found 2"),
            Case(name="needs a GPU", status=Status.NOT_RUN, reason="no CUDA device"),
        ),
    )
    return Report(
        root=".",
        outcomes=(
            Outcome(check=CHECKS[0], status=Status.PASSED, tally=tally),
            Outcome(check=CHECKS[1], status=Status.NOT_RUN, reason="no CUDA device"),
            Outcome(check=CHECKS[2], status=Status.NOT_RUN, reason="nobody asked"),
            Outcome(check=CHECKS[3], status=Status.ERRORED, reason="KeyError: x"),
        ),
        required=frozenset({CHECKS[1].name}),
    )


@pytest.fixture
def unreadable() -> Report:
    return Report(root="gone", folder="gone", outcomes=(), error="pyproject.toml: is missing", hint="name its folder")


@pytest.fixture
def moved() -> tuple[Report, Report]:
    """The same two findings, a line further down in the second report."""
    places = [Location("uv.lock", line, 1) for line in (10, 11)]
    messages = "a 1.0 at uv.lock:10:1 has no hash", "a 1.0 at uv.lock:11:1 has no hash"
    first, second = (
        one(*[finding("LCK001", message=message, location=place, related=())] * 2)
        for place, message in zip(places, messages, strict=True)
    )
    return first, second
