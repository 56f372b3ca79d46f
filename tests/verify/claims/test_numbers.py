from __future__ import annotations

from typing import Any

import pytest

from pinproof.verify.claims.numbers import Reading, pairs, quantities, readings
from pinproof.verify.claims.text import normalised


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("33.31", [Reading(33.31, 2)]),
        ("33,31", [Reading(33.31, 2)]),
        ("31.00", [Reading(31.0, 2)]),
        ("7", [Reading(7.0, 0)]),
        (".5", [Reading(0.5, 1)]),
        ("1,234", [Reading(1234.0, 0), Reading(1.234, 3)]),
        ("1.234", [Reading(1.234, 3)]),
        ("1,234.5", [Reading(1234.5, 1)]),
        ("1.234,5", [Reading(1234.5, 1)]),
        ("1,234,567", [Reading(1234567.0, 0)]),
        ("1.234.567", [Reading(1234567.0, 0)]),
        ("1'234", [Reading(1234.0, 0)]),
        ("2e3", [Reading(2000.0, -3)]),
    ],
)
def test_readings(text: str, expected: list[Reading]) -> None:
    assert list(readings(text)) == expected


@pytest.mark.parametrize("text", ["1e999999", "9" * 5000, "1" + ",1" * 1000, "1e-99999"])
def test_absurd_numbers_are_read_without_a_crash(text: str) -> None:
    assert readings(text)


@pytest.mark.parametrize(
    ("written", "exact", "expected"),
    [
        ("7", 6.93, True),
        ("7", 7.49, True),
        ("7", 7.51, False),
        ("6.9", 6.93, True),
        ("6.9", 6.96, False),
        ("33", 33.31, True),
        ("33.3", 33.31, True),
        ("33.310", 33.31, True),
        ("33.4", 33.31, False),
        ("4.5", 4.55, True),  # either way at a half
        ("4.6", 4.55, True),
    ],
)
def test_a_number_matches_what_rounds_to_it(written: str, exact: float, expected: bool) -> None:
    assert readings(written)[0].matches(exact) is expected


QUANTITIES = [
    ("33.31 µs", [("33.31 us", "us", 33.31)]),
    ("33.31μs", [("33.31us", "us", 33.31)]),
    ("33,31 microseconds", [("33,31 microseconds", "microseconds", 33.31)]),
    ("1\u202f234 ns", [("1'234 ns", "ns", 1234.0)]),
    ("4.5\u00a0ms", [("4.5 ms", "ms", 4.5)]),
    ("3.1e-6 s", [("3.1e-6 s", "s", 3.1e-6)]),
    ("a 4.5-us gather", [("4.5-us", "us", 4.5)]),
    ("**4.5** us", [("4.5   us", "us", 4.5)]),
    ("\uff14.\uff15 us", [("4.5 us", "us", 4.5)]),
    ("-6.9 %", [("6.9 %", "%", 6.9)]),
    ("−6.9\u202f%", [("6.9 %", "%", 6.9)]),
    ("7 percent", [("7 percent", "%", 7.0)]),
    ("1.07x", [("1.07x", "x", 1.07)]),
    ("1.07×", [("1.07x", "x", 1.07)]),
    ("1.07 times", [("1.07 times", "x", 1.07)]),
    ("twice as fast", [("twice as fast", "x", 2.0)]),
    ("120 tokens/s", [("120 tokens/s", "tokens/s", 120.0)]),
    ("3.2 GB/s", [("3.2 gb/s", "gb/s", 3.2)]),
    ("2x H200", []),
    ("16x224 and 8 x 56", []),
    ("version 2.11.0 since 2026-12-03, sm_90, #12, 7bb37d6", []),
    ("x86, 4s2, h100s", []),
]


@pytest.mark.parametrize(("text", "expected"), QUANTITIES)
def test_quantities(text: str, expected: list[Any]) -> None:
    plain = normalised(text)
    found = [(plain[q.start : q.end], q.unit, pytest.approx(q.readings[0].value)) for q in quantities(plain)]
    assert found == expected


def test_signs() -> None:
    (negative,), (positive,), (neither,) = (list(quantities(text)) for text in ("-7 %", "+7 %", "1.2-7 %"))
    assert (negative.negative, negative.positive) == (True, False)
    assert (positive.negative, positive.positive) == (False, True)
    assert (neither.negative, neither.positive) == (False, False)


PAIRS = [
    ("33.31 to 31.00 us", 33.31, 31.0, False),
    ("33.31us to 31.00us", 33.31, 31.0, False),
    ("33.31 -> 31.00 us", 33.31, 31.0, False),
    ("33.31 → 31.00 us", 33.31, 31.0, False),
    ("33.31 µs ⇒ 31.00 µs", 33.31, 31.0, False),
    ("33.31 down to 31.00 us", 33.31, 31.0, False),
    ("31.00 us instead of 33.31 us", 33.31, 31.0, False),
    ("31.00 us, down from 33.31 us", 33.31, 31.0, False),
    ("31.00 us (was 33.31 us)", 33.31, 31.0, False),
    ("31.00 us vs. 33.31 us", 33.31, 31.0, False),
    ("31.00 us compared to 33.31 us", 33.31, 31.0, False),
    ("31-33 us", 31.0, 33.0, True),
]


@pytest.mark.parametrize(("text", "before", "after", "between"), PAIRS)
def test_pairs(text: str, before: float, after: float, between: bool) -> None:
    (pair,) = pairs(normalised(text))
    assert (pair.before.readings[0].value, pair.after.readings[0].value, pair.between) == (before, after, between)


@pytest.mark.parametrize("text", ["8 to 16 rows", "33.31 us and then 31.00 us", "from 1 to 2"])
def test_what_is_no_pair(text: str) -> None:
    assert list(pairs(text)) == []
