"""Rulings as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from ..escape import clean, excerpt, guard_line
from .ruling import Ruling, Verdict

SCHEMA = 1


def as_text(path: str, rulings: Sequence[Ruling]) -> str:
    return "".join(f"{guard_line(line)}\n" for line in _lines(path, rulings))


def _lines(path: str, rulings: Sequence[Ruling]) -> Iterator[str]:
    for ruling in rulings:
        record = f" ({ruling.record})" if ruling.record else ""
        place = f"{clean(path)}:{ruling.claim.sentence.line}"
        yield f"{ruling.verdict.value:<12} {place}: '{_quote(ruling)}': {ruling.reason}{record}"
    counts = {verdict: sum(ruling.verdict is verdict for ruling in rulings) for verdict in Verdict}
    yield ", ".join(f"{number} {verdict.value}" for verdict, number in counts.items() if number) or "no claims found"


def _quote(ruling: Ruling) -> str:
    return excerpt(" ".join(ruling.claim.quote.split()), 120)


def as_json(path: str, rulings: Sequence[Ruling]) -> str:
    data = {
        "schema": SCHEMA,
        "file": clean(path),
        "claims": [
            {
                "line": ruling.claim.sentence.line,
                "kind": ruling.claim.kind.value,
                "quote": _quote(ruling),
                "verdict": ruling.verdict.value,
                "overreach": ruling.overreach,
                "reason": ruling.reason,
                "record": ruling.record or None,
            }
            for ruling in rulings
        ],
    }
    return json.dumps(data, indent=2) + "\n"
