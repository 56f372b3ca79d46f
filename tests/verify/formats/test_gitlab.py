from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pinproof.verify import Report, check
from pinproof.verify.checks import CHECKS
from pinproof.verify.formats import render


def issues(*reports: Report) -> list[dict[str, Any]]:
    data = json.loads(render("gitlab", reports))
    assert isinstance(data, list)
    return data


def place(issue: dict[str, Any]) -> tuple[str, int, int]:
    location = issue["location"]
    begin = location["positions"]["begin"]
    assert location["lines"] == {"begin": begin["line"]}
    return location["path"], begin["line"], begin["column"]


def test_every_kind_of_finding_lands_on_its_place(kinds: Report) -> None:
    assert [(issue["check_name"], issue["severity"], place(issue)) for issue in issues(kinds)] == [
        (code, severity, at)
        for code in [check.code for check in CHECKS]
        for severity, at in [
            ("major", ("pyproject.toml", 41, 5)),
            ("minor", ("uv.lock", 433, 1)),
            ("info", ("pyproject.toml", 41, 5)),
            ("major", ("pyproject.toml", 1, 1)),
        ]
    ]


def test_a_real_disagreement_is_shown_where_it_stands_in_the_repository(tampered: Path) -> None:
    (issue,) = issues(check(tampered, select=["PIN001"]))
    assert place(issue) == ("pkg/pyproject.toml", 6, 67)
    assert issue["description"].startswith("PIN001: f: another commit is locked than declared; ")


def test_fingerprints_are_unique_and_survive_moved_lines(moved: tuple[Report, Report]) -> None:
    first, second = ([issue["fingerprint"] for issue in issues(report)] for report in moved)
    assert first == second
    assert len(set(first)) == 2


def test_fingerprints_of_two_projects_differ(kinds: Report, unreadable: Report) -> None:
    found = issues(kinds, kinds, unreadable)
    assert len({issue["fingerprint"] for issue in found}) == len(found)
