"""JSON for programs. `schema` grows when a field changes its meaning or goes; new fields may come at any time."""

from __future__ import annotations

import json
from importlib.metadata import version
from typing import Any

from ..escape import clean
from ..model import Finding, Location, Outcome, Report

SCHEMA = 1


def render(report: Report, **_: object) -> str:
    return json.dumps(as_data(report), indent=2, ensure_ascii=True) + "\n"


def as_data(report: Report) -> dict[str, Any]:
    """Return the report as plain data, as `--format json` writes it."""
    return {
        "schema": SCHEMA,
        "pinproof": version("pinproof"),
        "project": clean(report.root),
        "exit_code": report.exit_code,
        "fail_on": report.fail_on.value,
        "required": sorted(report.required),
        "checks": [_outcome(outcome) for outcome in report.outcomes],
    }


def _outcome(outcome: Outcome) -> dict[str, Any]:
    cases = outcome.tally.cases if outcome.tally else ()
    return {
        "code": outcome.check.code,
        "name": outcome.check.name,
        "status": outcome.status.value,
        "reason": outcome.reason,
        "detail": outcome.tally.detail if outcome.tally else "",
        "executes": outcome.check.executes,
        "cases": [{"name": case.name, "status": case.status.value, "reason": case.reason} for case in cases],
        "findings": [_finding(finding) for finding in outcome.findings],
        "ignored": [{**_finding(finding), "reason": clean(reason)} for finding, reason in outcome.ignored],
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "code": finding.code,
        "severity": finding.severity.value,
        "message": finding.message,
        "hint": finding.hint,
        "package": None if finding.package is None else clean(finding.package),
        "location": None if finding.location is None else _location(finding.location),
        "related": [{**_location(r.location), "message": r.message} for r in finding.related],
    }


def _location(location: Location) -> dict[str, Any]:
    return {"path": clean(location.path), "line": location.line, "column": location.column}
