"""Claims in a sentence: counts of tests, tests that pass or did not run, validations, and measured numbers."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .context import devices
from .numbers import WORD, WORDS, Pair, Quantity, pairs, quantities, readings
from .text import Sentence


class Kind(enum.StrEnum):
    COUNT = "count of tests"
    STATUS = "tests pass"
    NOT_RUN = "did not run"
    VALIDATED = "validated"
    LATENCY = "latency"
    RATE = "rate"
    RATIO = "percentage or speed-up"


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One claim.

    Attributes:
        kind: what is claimed.
        sentence: where.
        quote: the words that make the claim, normalised.
        part: the check that it is about: gpu, policy, lock, pins, `cpu` for all but gpu, or empty for any.
        count: for a count, the number.
        status: for a count: passed, failed or not_run.
        everything: it speaks of all tests.
        values: for a latency or rate: one quantity, or before and after; for a ratio: the percentage or factor.
        own: for a ratio, before and after as the same sentence gives them.
        bound: `>` at least, `<` at most, or empty.
        better: for a ratio, whether it is an improvement; None where the words do not say.
    """

    kind: Kind
    sentence: Sentence
    quote: str
    part: str = ""
    count: int = 0
    status: str = "passed"
    everything: bool = False
    values: tuple[Quantity, ...] = ()
    own: Pair | None = None
    bound: str = ""
    better: bool | None = None


_TESTS = r"(?:tests?|checks?|cases?|specs?|assertions?|suites?)"
_PASSING = r"(?:pass(?:ed|es|ing)?|succeed(?:ed|s)?|(?:is|are|all|stay(?:s)?) green|hold(?:s)?|(?:is|are) ok)"
_FAILING = r"(?:fail(?:ed|s|ing|ures?)?)"
_SKIPPING = r"(?:skipped|skip|not run|deselected)"
_RUN = r"(?:re-?)?(?:run|ran|running|executed|tested|validated|verified|measured|exercised)"
_COUNT = rf"(?P<count>\d+(?:[,']\d{{3}})*|{WORD})"
_BETWEEN = r"(?:(?!pass|fail|skip|not )[\w/()-]+\s+){0,5}?"

_COUNTS = (
    re.compile(
        rf"(?<![\w.,/'])(?:{_COUNT})(?:\s*/\s*\d+|\s+(?:out\s+)?of\s+(?:the\s+)?(?:\d+|{WORD}))?\s+{_BETWEEN}{_TESTS}\s+"
        rf"(?:(?!not )[\w-]+\s+){{0,3}}?(?:(?P<passed>{_PASSING})|(?P<failed>{_FAILING})|(?P<not_run>{_SKIPPING}))\b"
    ),
    re.compile(
        rf"\b(?:(?P<passed>pass(?:ed|es|ing)?|ran|runs|executed)|(?P<failed>fail(?:ed|s)?)|(?P<not_run>skip(?:ped|s)?))\s+"
        rf"(?:all\s+|the\s+)*{_COUNT}\s+{_BETWEEN}{_TESTS}\b"
    ),
    re.compile(
        rf"(?<![\w.,/'])(?:{_COUNT})(?:\s*/\s*\d+)?\s+(?:(?P<passed>passed|passing|successful)|(?P<failed>failed|failures?)"
        rf"|(?P<not_run>skipped|deselected|not run))\b"
    ),
)
_STATUS = re.compile(
    rf"(?P<subject>(?:(?:all|every|the|each)\s+)*{_BETWEEN}(?:{_TESTS}|ci|pipeline|everything))\s+"
    rf"(?:(?!not |n't)[\w-]+\s+){{0,2}}?(?P<verb>{_PASSING})\b"
)
_NOT_RUN = re.compile(
    rf"(?:(?:was|were|is|are|has|have|had|did|do|does)\s+(?:been\s+)?(?:not|never)|\bnot\b|n't)\s+"
    rf"(?:yet\s+|been\s+|be\s+|re-?\s*)*{_RUN}\b"
    rf"|\bunt(?:ested|ried)\b|\bno\s+{_BETWEEN}{_TESTS}\s+(?:was|were|have been)?\s*{_RUN}"
    rf"|\bwithout\s+(?:re-?)?(?:running|testing|validating|executing)\b|{_TESTS}\s+(?:was|were)\s+skipped"
)
_VALIDATED = re.compile(
    r"\b(?:validated|verified|tested|confirmed|proven|benchmarked|exercised)\b|\b(?:validation|verification)\s+"
    r"(?:passed|succeeded|complete(?:d)?)\b"
)
_BOUNDS = (
    (re.compile(r"(?:at least|more than|over|above|exceed(?:s|ing)?|>=?)\s*$"), ">"),
    (re.compile(r"(?:at most|less than|under|below|within|no more than|<=?)\s*$"), "<"),
)
_BETTER = re.compile(
    r"faster|quicker|lower|less|fewer|reduc\w+|decreas\w+|drop\w*|speed-?\s?ups?|speeds up|improve\w*|sav(?:es|ed|ing)"
    r"|gains?|cuts?|shav\w+|shorter|better|win"
)
_WORSE = re.compile(
    r"slower|higher|more (?:time|latency)|longer|increas\w+|regress\w+|overhead|worse|rises?|grew|slow-?down"
)


def claims(sentence: Sentence) -> Iterator[Claim]:
    """Yield the claims of a sentence."""
    yield from _about_tests(sentence)
    yield from _about_numbers(sentence)


def _about_tests(sentence: Sentence) -> Iterator[Claim]:
    text = sentence.text
    taken: list[tuple[int, int]] = []
    for match in _NOT_RUN.finditer(text):
        taken.append(match.span())
        start = _clause(text, match.start())
        part = _part(text[start : match.end()]) or _part(text[match.end() : _clause_end(text, match.end())])
        yield Claim(kind=Kind.NOT_RUN, sentence=sentence, quote=text[start : match.end()].strip(), part=part)
    for pattern in _COUNTS:
        for match in _free(pattern.finditer(text), taken):
            taken.append(match.span())
            status = next(name for name in ("passed", "failed", "not_run") if match[name])
            part = _part(text[match.start() : _clause_end(text, match.end())])
            yield Claim(
                kind=Kind.COUNT, sentence=sentence, quote=match.group(), part=part, count=_count(match), status=status
            )
    for match in _free(_STATUS.finditer(text), taken):
        taken.append(match.span())
        part = _part(text[match.start() : _clause_end(text, match.end())])
        everything = bool(re.search(r"\b(?:all|every|everything|ci|pipeline|suite)\b", match["subject"]))
        yield Claim(kind=Kind.STATUS, sentence=sentence, quote=match.group(), part=part, everything=everything)
    for match in _free(_VALIDATED.finditer(text), taken):
        start, end = _clause(text, match.start()), _clause_end(text, match.end())
        if any(start <= begin < end for begin, _ in taken):
            continue
        taken.append((start, end))
        clause = text[start:end].strip()
        yield Claim(
            kind=Kind.VALIDATED,
            sentence=sentence,
            quote=clause.rstrip(".!?;"),
            part=_part(clause) or _on_device(clause),
        )


def _about_numbers(sentence: Sentence) -> Iterator[Claim]:
    text = sentence.text
    found_pairs = list(pairs(text))
    inside = [(pair.start, pair.end) for pair in found_pairs]
    single = [q for q in quantities(text) if not any(start <= q.start < end for start, end in inside)]
    own = _own(found_pairs, single, sentence.around)
    for pair in found_pairs:
        quote = text[pair.start : pair.end]
        kind = Kind.LATENCY if _is_time(pair.after) else Kind.RATE
        yield Claim(kind=kind, sentence=sentence, quote=quote, values=(pair.before, pair.after))
    for quantity in single:
        quote = text[quantity.start : quantity.end]
        bound = next((sign for pattern, sign in _BOUNDS if pattern.search(text[: quantity.start])), "")
        if quantity.unit in ("%", "x"):
            better = _better(quantity, text)
            yield Claim(
                kind=Kind.RATIO, sentence=sentence, quote=quote, values=(quantity,), own=own, bound=bound, better=better
            )
        else:
            kind = Kind.LATENCY if _is_time(quantity) else Kind.RATE
            yield Claim(kind=kind, sentence=sentence, quote=quote, values=(quantity,), bound=bound)


def _own(found: list[Pair], single: list[Quantity], around: str) -> Pair | None:
    """Return the before and after that a ratio can only mean: of its sentence, else the only one of its paragraph."""
    ordered = [pair for pair in found if not pair.between]
    if len(ordered) == 1:
        return ordered[0]
    times = [quantity for quantity in single if quantity.unit not in ("%", "x")]
    if not found and len(times) == 2 and times[0].unit == times[1].unit:
        return Pair(times[0].start, times[1].end, times[0], times[1])
    nearby = [pair for pair in pairs(around) if not pair.between]
    return nearby[0] if not found and len(nearby) == 1 else None


def _better(quantity: Quantity, text: str) -> bool | None:
    """Return whether the words around a ratio call it an improvement: the nearest ones behind it, else before it."""
    behind, before = text[quantity.end : quantity.end + 40], text[max(0, quantity.start - 60) : quantity.start]
    for window, pick in ((behind, 0), (before, -1)):
        found = sorted(
            [(m.start(), True) for m in _BETTER.finditer(window)]
            + [(m.start(), False) for m in _WORSE.finditer(window)]
        )
        if found:
            return found[pick][1]
    return True if quantity.negative else None


def _is_time(quantity: Quantity) -> bool:
    return "/" not in quantity.unit and quantity.unit != "tflops"


def _count(match: re.Match[str]) -> int:
    text = match["count"]
    return WORDS[text] if text in WORDS else int(readings(text)[0].value)


def _free(matches: Iterable[re.Match[str]], taken: list[tuple[int, int]]) -> Iterator[re.Match[str]]:
    return (m for m in matches if not any(start < m.end() and m.start() < end for start, end in taken))


def _clause(text: str, place: int) -> int:
    return max(text.rfind(",", 0, place), text.rfind(":", 0, place), text.rfind(" but ", 0, place)) + 1


def _clause_end(text: str, place: int) -> int:
    ends = [end for mark in (",", " but ", " and ", ":") if (end := text.find(mark, place)) >= 0]
    return min(ends, default=len(text))


_PARTS = (
    (r"\b(?:gpu|cuda|hardware|device)s?\b", "gpu"),
    (r"\bcpu\b", "cpu"),
    (r"\bpolicy\b", "policy"),
    (r"\block(?:file)?\b", "lock"),
    (r"\bpin(?:s|ned|ning)?\b", "pins"),
)


def _part(text: str) -> str:
    return next((part for pattern, part in _PARTS if re.search(pattern, text)), "")


def _on_device(text: str) -> str:
    return "gpu" if devices(text) else ""
