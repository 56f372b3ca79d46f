"""JSON for programs. `schema` grows when a field changes its meaning or goes; new fields may come at any time."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

from ..escape import clean
from ..model import Finding, Location, Outcome, Report

SCHEMA = 1


def render(reports: Sequence[Report], **_: object) -> str:
    return json.dumps(as_data(reports), indent=2, ensure_ascii=True) + "\n"


def as_data(reports: Sequence[Report]) -> dict[str, Any]:
    """Return the reports as plain data, as `--format json` writes them."""
    return {
        "schema": SCHEMA,
        "pinproof": version("pinproof"),
        "exit_code": max((report.exit_code for report in reports), default=0),
        "projects": [_project(report) for report in reports],
    }


def _project(report: Report) -> dict[str, Any]:
    return {
        "project": clean(report.root),
        "folder": clean(report.folder),
        "exit_code": report.exit_code,
        "error": report.error,
        "hint": report.hint,
        "fail_on": report.fail_on.value,
        "required": sorted(report.required),
        "checks": [_outcome(outcome) for outcome in report.outcomes],
    }


def _outcome(outcome: Outcome) -> dict[str, Any]:
    cases = outcome.tally.cases if outcome.tally else ()
    facts = outcome.tally.facts if outcome.tally else ()
    return {
        "code": outcome.check.code,
        "name": outcome.check.name,
        "status": outcome.status.value,
        "reason": outcome.reason,
        "detail": outcome.tally.detail if outcome.tally else "",
        "executes": outcome.check.executes,
        "cases": [{"name": case.name, "status": case.status.value, "reason": case.reason} for case in cases],
        "facts": [{"subject": fact.subject, "role": fact.role, "value": fact.value} for fact in facts],
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
