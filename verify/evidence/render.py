"""The gate's verdict as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ..escape import clean, guard_line
from .gate import Verdict
from .judge import Judged

SCHEMA = 1


def verdict_text(verdict: Verdict) -> str:
    return "".join(f"{guard_line(line)}\n" for line in _lines(verdict))


def _lines(verdict: Verdict) -> Iterator[str]:
    yield f"the gate {'opens' if verdict.opens else 'stays shut'} for the commit {verdict.commit}"
    for part in verdict.parts:
        yield f"  {'passed' if part.holds else 'missing':<8} {clean(part.name)}: {clean(part.said)}"
    for judged in verdict.refused:
        yield f"  refused  {judged.path}: {_why(judged)}"
    for judged in verdict.skipped:
        yield f"  skipped  {judged.path}: {_why(judged)}"


def _why(judged: Judged) -> str:
    return f"{judged.refusal.value if judged.refusal else ''}: {judged.reason}"


def verdict_json(verdict: Verdict) -> str:
    data = {
        "schema": SCHEMA,
        "opens": verdict.opens,
        "commit": verdict.commit,
        "parts": [{"name": clean(p.name), "holds": p.holds, "said": clean(p.said)} for p in verdict.parts],
        "records": [_judged(judged) for judged in verdict.records],
        "skipped": [_judged(judged) for judged in verdict.skipped],
    }
    return json.dumps(data, indent=2) + "\n"


def _judged(judged: Judged) -> dict[str, Any]:
    return {
        "path": judged.path,
        "refusal": judged.refusal.value if judged.refusal else None,
        "reason": judged.reason,
        "signer": judged.signer,
        "signature": judged.signature,
    }
