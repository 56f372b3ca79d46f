from __future__ import annotations

import pytest

from pinproof.kernels.measure.statistics import paired_ratio


def test_constant_ratios_have_no_width() -> None:
    ratio = paired_ratio([2.0, 4.0, 6.0], [4.0, 8.0, 12.0])
    assert (ratio.median, ratio.low, ratio.high) == (0.5, 0.5, 0.5)
    assert ratio.verdict == "faster"
    assert str(ratio) == "0.500 [0.500, 0.500]"


def test_pairs_count_not_sums() -> None:
    """The clock doubles half way: pair by pair nothing changes."""
    assert paired_ratio([3, 3, 6, 6], [2, 2, 4, 4]).median == 1.5
    assert paired_ratio([3, 3, 6, 6], [2, 2, 4, 4]).verdict == "slower"


def test_an_interval_that_holds_one_shows_no_difference() -> None:
    ratio = paired_ratio([1.0, 1.2, 0.8, 1.1, 0.9], [1.0] * 5)
    assert ratio.median == 1.0
    assert ratio.low < 1 < ratio.high
    assert ratio.verdict == "no difference shown"


def test_two_samples_can_only_give_their_own_values_or_the_middle() -> None:
    """Medians of two draws of 0.5 and 0.9 are 0.5, 0.7 or 0.9; each end comes a quarter of the time."""
    ratio = paired_ratio([0.5, 0.9], [1.0, 1.0])
    assert (ratio.median, ratio.low, ratio.high) == (0.7, 0.5, 0.9)


def test_the_same_samples_give_the_same_interval() -> None:
    taken = [1.0, 1.3, 0.7, 1.1, 0.95, 1.02]
    assert paired_ratio(taken, [1.0] * 6) == paired_ratio(taken, [1.0] * 6)


@pytest.mark.parametrize(("taken", "against"), [([], []), ([1.0], [1.0, 2.0]), ([0.0], [1.0]), ([1.0], [-1.0])])
def test_what_has_no_ratio(taken: list[float], against: list[float]) -> None:
    with pytest.raises(ValueError, match="sample"):
        paired_ratio(taken, against)
