"""What became of a claim."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from ..escape import clean
from ..evidence.judge import Judged
from ..evidence.record import Record
from .find import Claim


class Verdict(enum.StrEnum):
    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    UNSUPPORTED = "unsupported"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """The verdict on a claim, with the reason and the record behind it.

    `overreach`: a component figure is presented as a whole-model effect.
    """

    claim: Claim
    verdict: Verdict
    reason: str
    record: str = ""
    overreach: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "reason", clean(self.reason))


class Evidence:
    """The records that claims are held against; those that do not count are remembered with their refusal."""

    def __init__(self, judged: Sequence[Judged]) -> None:
        self.counted: list[tuple[str, Record]] = []
        self.refused: list[tuple[Judged, Record]] = []
        for entry in judged:
            if entry.record is not None and entry.refusal is None:
                self.counted.append((entry.path, entry.record))
            elif entry.record is not None:
                self.refused.append((entry, entry.record))

    def only_refused(self) -> Evidence:
        """Return the evidence that there would be if the refused records counted."""
        found = Evidence(())
        found.counted = [(entry.path, record) for entry, record in self.refused]
        return found

    def refusal(self, path: str) -> str:
        """Return in words why the record `path` does not count."""
        return next((f"{e.refusal.value}: {e.reason}" for e, _ in self.refused if e.path == path and e.refusal), "")
