from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pinproof.verify import Config, check
from pinproof.verify.document import Document
from pinproof.verify.model import Outcome, Status

URL = "https://example.org/f"
LOCK = f"""\
version = 1
[[package]]
name = "a"
version = "1"
source = {{ virtual = "." }}
dependencies = [{{ name = "f" }}]
[package.metadata]
requires-dist = [{{ name = "f", git = "{URL}?branch=main" }}]
[[package]]
name = "f"
version = "1"
source = {{ git = "{URL}?branch=main#{"a" * 40}" }}
"""
HEAD = '[project]\nname = "a"\nversion = "1"\ndependencies = ["f"]\n[tool.uv.sources]\n'
SOURCE = f'f = {{ git = "{URL}", branch = "main" }}'

Outcomes = Callable[..., dict[str, Outcome]]


@pytest.fixture
def outcomes(write_project: Callable[..., Path]) -> Outcomes:
    """Check a project with a branch as source on line 6, and return the outcomes by code."""

    def run(body: str, trusted: str | None = None) -> dict[str, Outcome]:
        root = write_project({"pyproject.toml": HEAD + body, "uv.lock": LOCK})
        config = None if trusted is None else Config.load(Document("pyproject.toml", trusted.encode()))
        report = check(root, config=config, select=["CFG001", "PIN002"])
        return {outcome.check.code: outcome for outcome in report.outcomes}

    return run


def said(outcome: Outcome) -> list[tuple[str, str, str]]:
    return [(f.severity.value, f.message, str(f.location)) for f in outcome.findings]


def test_without_a_comment_the_branch_is_found_on_its_line(outcomes: Outcomes) -> None:
    found = outcomes(f"{SOURCE}\n")["PIN002"]
    assert [place for _, _, place in said(found)] == ["pyproject.toml:6:1"]


def test_a_comment_accepts_what_is_found_on_its_line(outcomes: Outcomes) -> None:
    found = outcomes(f"{SOURCE} # pinproof: ignore[PIN002] follows the nightly\n")
    assert (found["PIN002"].findings, [reason for _, reason in found["PIN002"].ignored]) == (
        (),
        ["follows the nightly"],
    )
    assert found["CFG001"].findings == ()


def test_a_comment_on_another_line_accepts_nothing_and_is_stale(outcomes: Outcomes) -> None:
    found = outcomes(f"# pinproof: ignore[PIN002] follows the nightly\n{SOURCE}\n")
    assert len(found["PIN002"].findings) == 1
    assert said(found["CFG001"]) == [("warning", "the ignore of PIN002 matches no finding", "pyproject.toml:6:1")]


@pytest.mark.parametrize(
    ("comment", "message"),
    [
        ("# pinproof: ignore[PIN002]", "the comment ignores PIN002 without a reason"),
        ("#pinproof:ignore[PIN002] --", "the comment ignores PIN002 without a reason"),
        ("# pinproof: ignore PIN002 nightly", "the comment is not `# pinproof: ignore[CODE] reason`"),
        ("# pinproof: ignore[] nightly", "the comment is not `# pinproof: ignore[CODE] reason`"),
        ("# pinproof: off", "the comment is not `# pinproof: ignore[CODE] reason`"),
    ],
)
def test_a_comment_that_is_not_complete_is_an_error_and_accepts_nothing(
    outcomes: Outcomes, comment: str, message: str
) -> None:
    found = outcomes(f"{SOURCE} {comment}\n")
    assert len(found["PIN002"].findings) == 1
    assert found["CFG001"].status is Status.FAILED
    assert said(found["CFG001"]) == [("error", message, "pyproject.toml:6:56")]


def test_several_codes_are_each_held_to_match(outcomes: Outcomes) -> None:
    found = outcomes(f"{SOURCE} # pinproof: ignore[PIN002, ZZZ999] nightly\n")
    assert found["PIN002"].findings == ()
    assert [message for _, message, _ in said(found["CFG001"])] == [
        "the ignore names the code ZZZ999, which no check has"
    ]


def test_a_string_is_no_comment(outcomes: Outcomes) -> None:
    found = outcomes(f'{SOURCE}\n[tool.x]\ny = """\n# pinproof: ignore[PIN002] no\n"""\n')
    assert len(found["PIN002"].findings) == 1
    assert found["CFG001"].findings == ()


def test_a_line_separator_inside_a_comment_does_not_shift_the_lines(outcomes: Outcomes) -> None:
    found = outcomes(f"# a\u2028b\u0085c\n{SOURCE} # pinproof: ignore[PIN002] nightly\n")
    assert found["PIN002"].findings == ()


class TestTrustedConfiguration:
    COMMENTED = f"{SOURCE} # pinproof: ignore[PIN002] nightly\n"

    def test_a_comment_of_the_change_itself_counts_for_nothing(self, outcomes: Outcomes) -> None:
        assert len(outcomes(self.COMMENTED, HEAD + f"{SOURCE}\n")["PIN002"].findings) == 1

    def test_a_trusted_comment_holds_where_its_line_moved(self, outcomes: Outcomes) -> None:
        assert outcomes(f"\n\n{self.COMMENTED}", HEAD + self.COMMENTED)["PIN002"].findings == ()

    def test_a_copy_of_a_trusted_line_is_not_accepted(self, outcomes: Outcomes) -> None:
        copied = f"{self.COMMENTED}[tool.uv.x]\n{self.COMMENTED}"
        assert len(outcomes(copied, HEAD + self.COMMENTED)["PIN002"].findings) == 1

    def test_another_text_on_a_trusted_line_is_not_accepted(self, outcomes: Outcomes) -> None:
        changed = self.COMMENTED.replace("nightly", "nightly too")
        assert len(outcomes(changed, HEAD + self.COMMENTED)["PIN002"].findings) == 1
