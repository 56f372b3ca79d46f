from __future__ import annotations

import re
from pathlib import Path

from pinproof.verify import Report, check
from pinproof.verify.checks import CHECKS
from pinproof.verify.formats import render


def commands(*reports: Report) -> list[tuple[str, dict[str, str], str]]:
    """Read workflow commands as the runner does: the command, its properties, its message."""
    found = []
    for line in render("github", reports).splitlines()[: -len(reports)]:
        match = re.fullmatch(r"::(\w+) ([^:]*)::(.*)", line)
        assert match is not None, line
        pairs = [pair.split("=", 1) for pair in match[2].split(",")]
        unescaped = {name: _decoded(value).replace("%3A", ":").replace("%2C", ",") for name, value in pairs}
        found.append((match[1], unescaped, _decoded(match[3])))
    return found


def _decoded(text: str) -> str:
    return text.replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%")


def test_every_kind_of_finding_lands_on_its_place_and_the_worst_come_first(kinds: Report) -> None:
    found = [
        (kind, where["file"], where["line"], where["col"], where["title"].split()[0])
        for kind, where, _ in commands(kinds)
    ]
    codes = [check.code for check in CHECKS]
    errors = [[("pyproject.toml", "41", "5"), ("pyproject.toml", "1", "1")]] * len(codes)
    assert found == [
        *[("error", *place, code) for code, places in zip(codes, errors, strict=True) for place in places],
        *[("warning", "uv.lock", "433", "1", code) for code in codes],
        *[("notice", "pyproject.toml", "41", "5", code) for code in codes],
    ]


def test_the_message_names_both_places_and_what_to_do(kinds: Report) -> None:
    assert commands(kinds)[0][2].splitlines() == [
        "CFG001 says: locked bbbb, declared aaaa",
        "pyproject.toml:41:5 declared: aaaa",
        "uv.lock:433:1 locked: bbbb",
        "fix: run `uv lock`",
    ]


def test_a_real_disagreement_is_annotated_where_it_stands_in_the_repository(tampered: Path) -> None:
    ((kind, where, message),) = commands(check(tampered, select=["PIN001"]))
    assert (kind, where["file"], where["line"], where["col"]) == ("error", "pkg/pyproject.toml", "6", "67")
    assert "pkg/uv.lock:17:12 locked: " in message


def test_foreign_text_cannot_forge_a_command(hostile: Report) -> None:
    text = render("github", [hostile])
    assert [line[:8] for line in text.splitlines()] == ["::error ", "pinproof"]
    ((_, where, message),) = commands(hostile)
    assert where["file"] == "sub/pyproject.toml"
    assert message.startswith("é, 100% of [x](y)")


def test_required_checks_that_did_not_run_crashes_and_unreadable_projects_are_errors(
    not_judged: Report, unreadable: Report
) -> None:
    assert [(kind, where["file"], message) for kind, where, message in commands(not_judged, unreadable)] == [
        ("error", "pyproject.toml", f"{CHECKS[1].name} is required and did not run: no CUDA device"),
        ("error", "pyproject.toml", f"{CHECKS[3].name} could not finish: KeyError: x"),
        ("error", "gone/pyproject.toml", "pyproject.toml: is missing\nfix: name its folder"),
    ]


def test_a_plain_line_a_project_sums_up(not_judged: Report, unreadable: Report) -> None:
    assert render("github", [not_judged, unreadable]).splitlines()[-2:] == [
        "pinproof .: 1 passed, 2 not run, 1 errored; exit code 2",
        "pinproof gone: nothing was checked; exit code 2",
    ]
