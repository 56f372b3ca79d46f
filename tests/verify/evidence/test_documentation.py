"""docs/evidence.md lists the fields that a record has, and the reasons for which one is refused."""

from __future__ import annotations

import re
from pathlib import Path

from pinproof.kernels.checkout import Checkout
from pinproof.kernels.record import CheckResult, statement
from pinproof.verify.evidence.judge import Refusal
from pinproof.verify.evidence.signature import NAMESPACE

PAGE = (Path(__file__).resolve().parents[3] / "docs/evidence.md").read_text()


def rows(heading: str) -> list[str]:
    """Return the first cell of each row of the table whose head begins with `heading`."""
    table = PAGE.split(f"| {heading} |", 1)[1].split("\n\n", 1)[0]
    return [re.sub(r"`", "", line.split("|")[1].strip()) for line in table.splitlines()[2:]]


def test_every_field_of_a_record_is_documented() -> None:
    written = statement({}, Checkout(None), [CheckResult("gpu", "not_run", "no GPU")])
    assert sorted(rows("field")) == sorted(written["predicate"]["pinproof"])


def test_every_refusal_is_documented() -> None:
    assert rows("reason") == [refusal.value for refusal in Refusal]


def test_namespace_of_signatures_is_documented() -> None:
    assert f"`{NAMESPACE}`" in PAGE
