"""Every claim of a text, ruled on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..evidence.judge import Judged
from . import measured, tests_run
from .find import Claim, Kind, claims
from .ruling import Evidence, Ruling, Verdict
from .text import sentences

_NUMBERS = (Kind.LATENCY, Kind.RATE, Kind.RATIO)


def rulings(text: str, judged: Sequence[Judged]) -> tuple[Ruling, ...]:
    """Return the ruling on every claim in `text`, in the order of the text.

    Only records that count support or contradict anything. Where a record that was refused would have supported a
    claim, the reason says so.
    """
    evidence = Evidence(judged)
    found = [claim for sentence in sentences(text) for claim in claims(sentence)]
    return tuple(_rule(claim, evidence) for claim in found)


def _rule(claim: Claim, evidence: Evidence) -> Ruling:
    ruling = _one(claim, evidence)
    if ruling.verdict is Verdict.UNSUPPORTED and evidence.refused:
        other = _one(claim, evidence.only_refused())
        if other.verdict is Verdict.SUPPORTED:
            reason = f"only {other.record} says so, and it does not count: {evidence.refusal(other.record)}"
            return replace(ruling, reason=reason)
    return ruling


def _one(claim: Claim, evidence: Evidence) -> Ruling:
    return measured.rule(claim, evidence) if claim.kind in _NUMBERS else tests_run.rule(claim, evidence)
