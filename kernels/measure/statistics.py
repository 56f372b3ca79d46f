"""Ratios of alternating samples, with an interval. Standard library only."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

CONFIDENCE: Final = 0.95
RESAMPLES: Final = 2000
_SEED: Final = 0


@dataclass(frozen=True, slots=True)
class Ratio:
    """The median of a ratio pair by pair, and its bootstrap interval of 95 %."""

    median: float
    low: float
    high: float

    @property
    def verdict(self) -> str:
        """`faster` or `slower`; `no difference shown` where the interval holds 1."""
        if self.high < 1:
            return "faster"
        return "slower" if self.low > 1 else "no difference shown"

    def __str__(self) -> str:
        return f"{self.median:.3f} [{self.low:.3f}, {self.high:.3f}]"


def paired_ratio(taken: Sequence[float], against: Sequence[float]) -> Ratio:
    """Return `taken` over `against`, sample by sample as they alternated: a drift of the clock is in both of a pair.

    The interval is that of the percentile bootstrap: pairs are drawn with replacement, as many as there are, 2000
    times, always in the same way.

    Raises:
        ValueError: there are no pairs, their numbers differ, or a sample is not positive.
    """
    if not taken or len(taken) != len(against):
        raise ValueError(f"{len(taken)} samples against {len(against)}, expected as many, and at least one")
    if min(*taken, *against) <= 0:
        raise ValueError("a sample is not positive")
    ratios = [one / other for one, other in zip(taken, against, strict=True)]
    draw = random.Random(_SEED)  # noqa: S311 - it draws samples, and hides nothing
    medians = sorted(median(draw.choices(ratios, k=len(ratios))) for _ in range(RESAMPLES))
    tail = (1 - CONFIDENCE) / 2
    low, high = medians[round(tail * (RESAMPLES - 1))], medians[round((1 - tail) * (RESAMPLES - 1))]
    return Ratio(median(ratios), low, high)
