import pytest

from pinproof.verify.escape import clean, excerpt, guard_line
from pinproof.verify.model import Finding, Related, Tally
from pinproof.verify.model import Location as Place


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain ü 名", "plain ü 名"),
        ("a\nb\r\tc", "a\\nb\\r\\tc"),
        ("\x1b[31mred\x07", "\\x1b[31mred\\x07"),
        ("a\u202eb\u2066c", "a\\u202eb\\u2066c"),
        ("a\u2028b\u0085c", "a\\u2028b\\x85c"),
        ("zero\u200bwidth\ufeff", "zero\\u200bwidth\\ufeff"),
        ("\U000e0041", "\\U000e0041"),
        ("\ud800", "\\ud800"),
    ],
)
def test_clean(text: str, expected: str) -> None:
    assert clean(text) == expected
    assert clean(expected) == expected


def test_excerpt_marks_the_cut() -> None:
    assert excerpt("abcdef", 4) == "abc…"
    assert excerpt("abcd", 4) == "abcd"


@pytest.mark.parametrize("line", ["::error file=x::y", "  ::error", "##[group]x", "\t##[x]"])
def test_no_line_is_a_workflow_command(line: str) -> None:
    assert guard_line(line) == f"| {line}"
    assert guard_line(f"x {line}") == f"x {line}"


def test_every_text_of_a_finding_is_cleaned_when_it_is_made() -> None:
    finding = Finding(code="X", message="a\n::error::b", hint="c\x1b", related=(Related(Place("p"), "d\ne"),))
    assert finding.message == "a\\n::error::b"
    assert finding.hint == "c\\x1b"
    assert finding.related[0].message == "d\\ne"
    assert Tally(detail="x\ny").detail == "x\\ny"
    assert str(Place("a\nb", 2, 3)) == "a\\nb:2:3"
