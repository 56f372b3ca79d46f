"""SARIF 2.1.0, for code scanning.

One run holds all projects, because code scanning refuses several runs of one tool and category in a file. A required
check that did not run, and a crash, are results, since notifications are shown nowhere. What configuration ignores is
left out: suppressed results would be opened as alerts.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any
from urllib.parse import quote

from ..model import Check, Report, Severity, Status
from .entries import UNREADABLE, Entry, entries

_LEVEL = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_PROBLEM = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "recommendation"}
_BASE = "%SRCROOT%"


def render(reports: Sequence[Report], **_: object) -> str:
    return json.dumps(as_data(reports), indent=2, ensure_ascii=True) + "\n"


def as_data(reports: Sequence[Report]) -> dict[str, Any]:
    """Return the log as plain data."""
    checks = {outcome.check.code: outcome.check for report in reports for outcome in report.outcomes}
    rules = [_rule(check) for check in checks.values()] + [_UNREADABLE_RULE]
    index = {rule["id"]: number for number, rule in enumerate(rules)}
    driver = {"name": "pinproof", "version": version("pinproof"), "rules": rules}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_BASE: {"description": {"text": "The root of the checkout."}}},
        "invocations": [_invocation(report) for report in reports],
        "results": [_result(entry, index.get(entry.code)) for entry in entries(reports)],
    }
    schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
    return {"$schema": schema, "version": "2.1.0", "runs": [run]}


def _rule(check: Check) -> dict[str, Any]:
    return {
        "id": check.code,
        "name": "".join(word.capitalize() for word in check.name.split("-")),
        "shortDescription": {"text": check.summary},
        "fullDescription": {"text": check.documentation.partition("\n\n")[0]},
        "help": {"text": check.documentation, "markdown": check.documentation},
        "defaultConfiguration": {"level": _LEVEL[check.severity]},
        "properties": {"problem.severity": _PROBLEM[check.severity], "tags": ["dependencies", "supply-chain"]},
    }


_UNREADABLE_RULE: dict[str, Any] = {
    "id": UNREADABLE,
    "name": "UnreadableInput",
    "shortDescription": {"text": "The project could not be read"},
    "defaultConfiguration": {"level": "error"},
}


def _invocation(report: Report) -> dict[str, Any]:
    crashed = report.error is not None or any(o.status is Status.ERRORED for o in report.outcomes)
    skipped = [outcome for outcome in report.outcomes if outcome.status is Status.NOT_RUN]
    return {
        "executionSuccessful": not crashed,
        "exitCode": report.exit_code,
        "workingDirectory": _artifact(f"{report.folder.rstrip('/')}/"),
        "toolExecutionNotifications": [
            {
                "level": "error" if outcome in report.missing else "note",
                "message": {"text": f"{outcome.check.name} was not run: {outcome.reason}"},
                "associatedRule": {"id": outcome.check.code},
            }
            for outcome in skipped
        ],
    }


def _result(entry: Entry, rule: int | None) -> dict[str, Any]:
    text = entry.message if entry.hint is None else f"{entry.message}\nFix: {entry.hint}"
    result: dict[str, Any] = {
        "ruleId": entry.code,
        "level": _LEVEL[entry.severity],
        "message": {"text": _literal(text)},
        "locations": [_location(entry.path, entry.line, entry.column)],
        "partialFingerprints": {"pinproof/v1": entry.fingerprint},
    }
    if rule is not None:
        result["ruleIndex"] = rule
    if entry.related:
        result["relatedLocations"] = [
            {
                "id": number,
                **_location(path, related.location.line, related.location.column),
                "message": {"text": _literal(related.message)},
            }
            for number, (path, related) in enumerate(entry.related, 1)
        ]
    return result


def _literal(text: str) -> str:
    """Return `text` such that none of it is read as a placeholder or as an embedded link."""
    for character in "\\[]":
        text = text.replace(character, f"\\{character}")
    return text.replace("{", "{{").replace("}", "}}")


def _location(path: str, line: int, column: int) -> dict[str, Any]:
    region = {"startLine": line, "startColumn": column}
    return {"physicalLocation": {"artifactLocation": _artifact(path), "region": region}}


def _artifact(path: str) -> dict[str, str]:
    uri = quote(path, safe="/", errors="replace")
    return {"uri": f"file://{uri}"} if path.startswith("/") else {"uri": uri, "uriBaseId": _BASE}
