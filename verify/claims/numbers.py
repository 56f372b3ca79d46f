"""Numbers as people write them, with units of time, percentages and factors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_COUNTING = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)
WORDS = {word: number for number, word in enumerate(_COUNTING)} | {"thirty-two": 32, "sixty-four": 64}

SECONDS = {
    **dict.fromkeys(("ns", "nanosecond", "nanoseconds"), 1e-9),
    **dict.fromkeys(("us", "usec", "usecs", "microsecond", "microseconds"), 1e-6),
    **dict.fromkeys(("ms", "msec", "msecs", "millisecond", "milliseconds"), 1e-3),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1.0),
    **dict.fromkeys(("min", "mins", "minute", "minutes"), 60.0),
}
RATES = ("tokens/s", "tok/s", "gb/s", "tb/s", "mb/s", "gib/s", "tflop/s", "tflops", "req/s", "it/s")

NUMBER = r"(?:\d+(?:[.,']\d+)*|\.\d+)(?:e[-+]?\d+)?"
WORD = "|".join(sorted(WORDS, key=len, reverse=True))
_UNITS = "|".join(sorted((re.escape(unit) for unit in (*SECONDS, *RATES)), key=len, reverse=True))
QUANTITY = rf"(?<![\w.,'])(?P<sign>[-+]\s?)?(?P<number>{NUMBER})\s*-?\s*(?P<unit>{_UNITS}|%|percent|per cent)(?![\w/])"
_FACTOR = rf"(?<![\w.,'])(?P<number>{NUMBER})\s*-?(?:x|times|fold)(?![\w/])(?!\s*(?:\d|nvidia|rtx|h\d|a\d|b\d|gpu|cpu))"
_PAIR = re.compile(
    rf"(?<![\w.,'])(?P<first>{NUMBER})\s*(?P<unit>{_UNITS})?,?\s*\)?\s*"
    rf"(?P<link>->|=>|\u2192|(?:down|up)?\s*\bto\b|-|\bvs\.?|\bversus|\binstead of|\bdown from|\(?\bwas|\brather than"
    rf"|\bcompared (?:with|to)|\bagainst)\s*"
    rf"(?P<second>{NUMBER})\s*(?P<unit2>{_UNITS})(?![\w/])"
)
_REVERSED = ("vs", "versus", "instead", "down from", "was", "(was", "rather", "compared", "against")
_TIMES = {"twice as fast": 2.0, "doubles": 2.0, "doubled": 2.0, "halves": 2.0, "halved": 2.0, "half the latency": 2.0}


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a number: its value, and how many decimals it was given with."""

    value: float
    decimals: int

    def matches(self, exact: float) -> bool:
        """Return whether `exact`, rounded to these decimals either way at a half, is this number."""
        half = 0.5 * 10.0**-self.decimals
        return abs(exact - self.value) <= half * (1 + 1e-9) + 1e-12


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with its unit: of time or rate, `%`, or `x` for a factor. `negative` for a written minus."""

    start: int
    end: int
    readings: tuple[Reading, ...]
    unit: str
    negative: bool = False
    positive: bool = False


@dataclass(frozen=True, slots=True)
class Pair:
    """Two quantities of one unit as before and after; `between` for a range without an order."""

    start: int
    end: int
    before: Quantity
    after: Quantity
    between: bool = False


def readings(text: str) -> tuple[Reading, ...]:
    """Return the ways in which `text` may be read: 33.31, 33,31, 1,234.5, 1.234,5, 1'234, 3.1e-6.

    A single comma before exactly three digits is read both ways.
    """
    mantissa, _, exponent = text.partition("e")
    power = max(-30, min(30, int(exponent[:4]))) if exponent else 0
    return tuple(_reading(plain, power) for plain in _plain(mantissa.replace("'", "")))


def _reading(plain: str, power: int) -> Reading:
    return Reading(float(plain) * 10.0**power, len(plain.partition(".")[2]) - power)


def _plain(text: str) -> list[str]:
    dots, commas = text.count("."), text.count(",")
    if not commas:
        return [text.replace(".", "")] if dots > 1 else [text]
    if dots:
        decimal = max(text.rfind("."), text.rfind(","))
        whole = re.sub(r"[.,]", "", text[:decimal])
        return [f"{whole}.{text[decimal + 1 :]}"]
    if commas > 1:
        return [text.replace(",", "")]
    whole, _, rest = text.partition(",")
    return [f"{whole}{rest}", f"{whole}.{rest}"] if len(rest) == 3 and len(whole) <= 3 else [f"{whole}.{rest}"]


def quantities(text: str) -> Iterator[Quantity]:
    """Yield the quantities of a normalised sentence, in order."""
    found = [
        Quantity(
            match.start("number"),
            match.end(),
            readings(match["number"]),
            "%" if match["unit"] in ("%", "percent", "per cent") else match["unit"],
            negative=(match["sign"] or "").startswith("-"),
            positive=(match["sign"] or "").startswith("+"),
        )
        for match in re.finditer(QUANTITY, text)
    ]
    found += [Quantity(m.start(), m.end(), readings(m["number"]), "x") for m in re.finditer(_FACTOR, text)]
    for phrase, value in _TIMES.items():
        found += [Quantity(m.start(), m.end(), (Reading(value, 0),), "x") for m in re.finditer(rf"\b{phrase}\b", text)]
    yield from sorted(found, key=lambda quantity: quantity.start)


def pairs(text: str) -> Iterator[Pair]:
    """Yield the pairs of a normalised sentence: "33.31 to 31.00 us", "31.00 us instead of 33.31 us"."""
    for match in _PAIR.finditer(text):
        unit = match["unit2"]
        first = Quantity(match.start("first"), match.end("first"), readings(match["first"]), match["unit"] or unit)
        second = Quantity(match.start("second"), match.end(), readings(match["second"]), unit)
        reverse = match["link"].strip().startswith(_REVERSED)
        before, after = (second, first) if reverse else (first, second)
        yield Pair(match.start(), match.end(), before, after, between=match["link"] == "-")


def base(unit: str) -> tuple[float, str]:
    """Return the factor to the base unit, and that unit: seconds for every unit of time."""
    unit = unit.strip().lower().replace("\u00b5", "u").replace("\u03bc", "u")
    return (SECONDS[unit], "s") if unit in SECONDS else (1.0, unit)
