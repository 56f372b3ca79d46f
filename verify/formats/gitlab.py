"""GitLab's code quality report. `lines` is what its merge request widget reads; `positions` adds the column."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from ..escape import clean
from ..model import Report, Severity
from .entries import Entry, entries, paragraphs

_SEVERITY = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.INFO: "info"}


def render(reports: Sequence[Report], **_: object) -> str:
    return json.dumps([_issue(entry) for entry in entries(reports)], indent=2, ensure_ascii=True) + "\n"


def _issue(entry: Entry) -> dict[str, Any]:
    return {
        "description": f"{entry.code}: {'; '.join(paragraphs(entry))}",
        "check_name": entry.code,
        "fingerprint": entry.fingerprint,
        "severity": _SEVERITY[entry.severity],
        "location": {
            "path": clean(entry.path),
            "lines": {"begin": entry.line},
            "positions": {"begin": {"line": entry.line, "column": entry.column}},
        },
    }
