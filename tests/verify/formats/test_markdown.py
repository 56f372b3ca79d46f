from __future__ import annotations

from pathlib import Path

from pinproof.verify import Report, check
from pinproof.verify.checks import CHECKS
from pinproof.verify.formats import render
from pinproof.verify.formats.markdown import code, text


def test_every_kind_of_finding_names_its_place(kinds: Report) -> None:
    lines = render("markdown", [kinds]).splitlines()
    assert lines[0] == "### pinproof: failed"
    assert lines[4] == "| ❌ **failed** | CFG001 configuration | 2 errors; 1 warning; 1 note |"
    for registered in CHECKS:
        code = registered.code
        start = lines.index(f"- **error** {code} at `pyproject.toml:41:5`:")
        assert lines[start + 1 : start + 11] == [
            f"  {code} says: locked bbbb, declared aaaa *Fix:* run `uv lock`",
            "  - `pyproject.toml:41:5` declared: aaaa",
            "  - `uv.lock:433:1` locked: bbbb",
            f"- **warning** {code} at `uv.lock:433:1`:",
            "  a warning *Fix:* run `uv lock`",
            f"- **info** {code} at `pyproject.toml:41:5`:",
            "  an information",
            "  - `pyproject.toml:41:5` declared: aaaa",
            "  - `uv.lock:433:1` locked: bbbb",
            f"- **error** {code} at `pyproject.toml:1:1`:",
        ]


def test_a_real_disagreement_is_named_where_it_stands_in_the_repository(tampered: Path) -> None:
    lines = render("markdown", [check(tampered, select=["PIN001"])]).splitlines()
    assert lines[0] == "### pinproof `pkg`: failed"
    assert "- **error** PIN001 at `pkg/pyproject.toml:6:67`:" in lines


def test_what_was_not_judged_is_said(not_judged: Report, unreadable: Report) -> None:
    lines = render("markdown", [not_judged, unreadable]).splitlines()
    assert lines[4] == "| ✅ passed | CFG001 configuration | 1 of 3 cases |"
    assert lines[5] == f"| ⏭️ **not run** | {CHECKS[1].code} {CHECKS[1].name} | no CUDA device; **required** |"
    assert lines[7] == f"| 💥 **errored** | {CHECKS[3].code} {CHECKS[3].name} | KeyError: x |"
    assert lines[-4:-1] == [
        "### pinproof `gone`: could not be checked",
        "",
        "pyproject.toml: is missing *Fix:* name its folder",
    ]


def test_foreign_text_cannot_format_link_or_mention() -> None:
    assert text("[x](y) <b> *a* @me https://e.org `c|`") == (
        "\\[x\\]\\(y\\) \\<b\\> \\*a\\* @<!-- -->me https\\://e.org `c|`"
    )
    assert code("a``b") == "``` a``b ```"


def test_foreign_text_adds_no_line(hostile: Report) -> None:
    assert len(render("markdown", [hostile]).splitlines()) == 9
