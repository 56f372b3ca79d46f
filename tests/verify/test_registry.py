"""Every check, format and command is named by a test, and stands after what it needs."""

from __future__ import annotations

import re
from pathlib import Path

from pinproof.verify.checks import CHECKS
from pinproof.verify.cli import COMMANDS
from pinproof.verify.formats import FORMATS

TESTS = Path(__file__).resolve().parents[1]


def test_codes_and_names_are_well_formed() -> None:
    assert [check.code for check in CHECKS if not re.fullmatch(r"[A-Z]{3}[0-9]{3}", check.code)] == []
    assert [check.name for check in CHECKS if not re.fullmatch(r"[a-z]+(-[a-z]+)*", check.name)] == []


def test_what_a_check_needs_is_a_check_that_stands_before_it() -> None:
    names = [check.name for check in CHECKS]
    late = [(c.name, need) for c in CHECKS for need in c.requires if need not in names[: names.index(c.name)]]
    assert late == []


def test_every_check_is_named_by_a_test() -> None:
    text = "".join(path.read_text() for path in TESTS.rglob("test_*.py") if path != Path(__file__))
    assert [check.code for check in CHECKS if check.code not in text and f'"{check.name}"' not in text] == []


def test_every_format_has_a_test_file_and_every_command_a_test() -> None:
    names = {path.stem.removeprefix("test_") for path in (TESTS / "verify/formats").glob("test_*.py")}
    assert {*FORMATS} - {"text", "json"} - names == set()
    text = "".join(path.read_text() for path in TESTS.rglob("*.py"))
    assert [name for name in COMMANDS if f'"{name}"' not in text] == []
