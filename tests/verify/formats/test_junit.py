from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

from pinproof.verify import Report, check
from pinproof.verify.checks import CHECKS
from pinproof.verify.formats import render


def suites(*reports: Report) -> list[ET.Element]:
    root = ET.fromstring(render("junit", reports))  # noqa: S314 - our own output
    assert root.tag == "testsuites"
    return list(root)


def test_every_kind_of_finding_lands_on_its_place(kinds: Report) -> None:
    (suite,) = suites(kinds)
    assert suite.attrib == {
        "name": ".",
        "tests": str(len(CHECKS)),
        "failures": str(len(CHECKS)),
        "errors": "0",
        "skipped": "0",
    }
    for case, registered in zip(suite, CHECKS, strict=True):
        code = registered.code
        assert case.attrib == {
            "classname": "pinproof",
            "name": f"{code} {registered.name}",
            "file": "pyproject.toml",
            "line": "41",
        }
        assert [(child.tag, child.get("message"), (child.text or "").splitlines()) for child in case] == [
            (
                "failure",
                f"{code} says: locked bbbb, declared aaaa",
                [
                    f"error at pyproject.toml:41:5: {code} says: locked bbbb, declared aaaa",
                    "pyproject.toml:41:5 declared: aaaa",
                    "uv.lock:433:1 locked: bbbb",
                    "fix: run `uv lock`",
                ],
            ),
            ("failure", "nowhere", ["error at pyproject.toml:1:1: nowhere", "fix: run `uv lock`"]),
            (
                "system-out",
                None,
                [
                    "warning at uv.lock:433:1: a warning",
                    "fix: run `uv lock`",
                    "info at pyproject.toml:41:5: an information",
                    "pyproject.toml:41:5 declared: aaaa",
                    "uv.lock:433:1 locked: bbbb",
                ],
            ),
        ]


def test_a_real_disagreement_is_shown_where_it_stands_in_the_repository(tampered: Path) -> None:
    ((case,),) = suites(check(tampered, select=["PIN001"]))
    assert (case.get("file"), case.get("line")) == ("pkg/pyproject.toml", "6")
    assert (case[0].text or "").startswith("error at pkg/pyproject.toml:6:67: f: another commit is locked")


def test_not_run_is_skipped_and_a_required_check_that_did_not_run_fails(not_judged: Report) -> None:
    (suite,) = suites(not_judged)
    assert [(case.get("name"), [(child.tag, child.get("message")) for child in case]) for case in suite] == [
        (f"{CHECKS[0].code} {CHECKS[0].name}", []),
        ("8 rows -> 2", []),
        ("1 row -> 1", [("failure", "found 2")]),
        ("needs a GPU", [("skipped", "no CUDA device")]),
        (
            f"{CHECKS[1].code} {CHECKS[1].name}",
            [("failure", f"{CHECKS[1].name} is required and did not run: no CUDA device")],
        ),
        (f"{CHECKS[2].code} {CHECKS[2].name}", [("skipped", "nobody asked")]),
        (f"{CHECKS[3].code} {CHECKS[3].name}", [("error", "KeyError: x")]),
    ]
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors"), suite.get("skipped")) == (
        "7",
        "2",
        "1",
        "2",
    )


def test_an_unreadable_project_is_an_error(unreadable: Report) -> None:
    ((case,),) = suites(unreadable)
    assert (case[0].tag, case[0].get("message")) == ("error", "pyproject.toml: is missing")


def test_foreign_text_stays_inside_its_element(hostile: Report) -> None:
    ((case,),) = suites(hostile)
    assert (case[0].get("message") or "").startswith("é, 100% of [x](y) {0} <b>&\"'` |")
