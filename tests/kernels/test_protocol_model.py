"""Why the protocols of the paired gather are right, and what breaks them: every interleaving of small gathers, and many
random ones of four ranks whose row blocks change from gather to gather."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import pytest

from .interleavings import DEADLOCK, RIGHT, WRONG, Interleavings, Step
from .protocols import Launch, Pull, Push, pull, push

MIXED = [Launch(3, 2), Launch(4, 1), Launch(2, 3), Launch(4, 4), Launch(1, 1), Launch(3, 2)]
FOUR = [MIXED] * 4
SCHEDULES = 60


def ends(model: Interleavings) -> Counter[str]:
    return Counter(model.random(seed) for seed in range(SCHEDULES))


def other_blocks_once(row_blocks: int) -> list[list[Launch]]:
    """Rank 2 launches the fourth gather with another number of row blocks."""
    return [[*MIXED[:3], Launch(4, row_blocks if rank == 2 else 4), *MIXED[4:]] for rank in range(4)]


def strided(rows: int, row_blocks: int, block: int) -> Iterable[int]:
    return range(block, rows, row_blocks)


@pytest.mark.parametrize(
    "how", [Pull(), Pull(count="last"), Pull(lanes=2), Pull(lanes=2, count="last"), Push(), Push(refresh_every=4)]
)
def test_four_ranks_with_mixed_row_blocks_are_right(how: Pull | Push) -> None:
    model = pull(FOUR, how) if isinstance(how, Pull) else push(FOUR, how)
    assert ends(model) == {RIGHT: SCHEDULES}


@pytest.mark.parametrize(
    ("how", "launches"),
    [
        (Pull(), [Launch(2, 2)] * 3),
        (Pull(), [Launch(2, 2), Launch(1, 1), Launch(2, 2)]),
        (Pull(count="last"), [Launch(2, 2), Launch(2, 1), Launch(2, 2)]),
        (Pull(lanes=2), [Launch(1)] * 3),
        (Push(), [Launch(2, 2), Launch(1, 1), Launch(2, 2)]),
    ],
)
def test_every_interleaving_of_two_ranks_is_right(how: Pull | Push, launches: Sequence[Launch]) -> None:
    model = pull([launches] * 2, how) if isinstance(how, Pull) else push([launches] * 2, how)
    found, states = model.all()
    assert found == {RIGHT}
    assert states > 1000


@pytest.mark.parametrize(
    "how",
    [
        pytest.param(Pull(count="first"), id="the first block retires the generation for all"),
        pytest.param(Pull(count="own"), id="every block counts for itself"),
        pytest.param(Pull(gathered=strided), id="blocks gather other rows than they stage"),
        pytest.param(Pull(slots=1), id="one slot"),
        pytest.param(Pull(lanes=2, staged_before_signal=False), id="no barrier between staging and signalling"),
        pytest.param(Pull(lanes=2, waited_before_read=False), id="no barrier between waiting and reading"),
        pytest.param(Pull(reached=False), id="flags compared for equality"),
    ],
)
def test_broken_pulls_fail(how: Pull) -> None:
    assert ends(pull(FOUR, how))[RIGHT] < SCHEDULES * 3 // 4


@pytest.mark.parametrize("row_blocks", [1, 2, 3])
def test_a_rank_that_once_has_other_row_blocks_breaks_every_pull(row_blocks: int) -> None:
    found = ends(pull(other_blocks_once(row_blocks), Pull()))
    assert found[RIGHT] == 0
    assert found[DEADLOCK] > 0


def test_a_rank_with_more_row_blocks_than_its_peers_deadlocks() -> None:
    launches = [[Launch(1, 2 if rank == 0 else 1), Launch(1)] for rank in range(2)]
    assert pull(launches, Pull()).all()[0] == {DEADLOCK}


def test_in_push_row_blocks_are_a_rank_s_own_business() -> None:
    assert ends(push(other_blocks_once(2), Push())) == {RIGHT: SCHEDULES}


@pytest.mark.parametrize(
    ("how", "found"),
    [
        pytest.param(Push(slots=1), {DEADLOCK: SCHEDULES}, id="one slot"),
        pytest.param(Push(both_flags=False), {WRONG: SCHEDULES}, id="the flag of one half only"),
        pytest.param(Push(advance=False), {WRONG: SCHEDULES}, id="the generation does not advance"),
    ],
)
def test_broken_pushes_fail(how: Push, found: dict[str, int]) -> None:
    assert ends(push(FOUR, how)) == found


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        (Pull(slots=1), {RIGHT, WRONG}),
        (Pull(lanes=2, staged_before_signal=False), {RIGHT, WRONG}),
        (Pull(lanes=2, waited_before_read=False), {RIGHT, WRONG}),
        (Push(slots=1), {RIGHT, DEADLOCK}),
        (Push(both_flags=False), {RIGHT, WRONG}),
        (Push(advance=False), {RIGHT, WRONG}),
    ],
)
def test_all_ends_of_what_is_broken(how: Pull | Push, expected: set[str]) -> None:
    launches = [[Launch(1)] * 3] * 2
    model = pull(launches, how) if isinstance(how, Pull) else push(launches, how)
    assert model.all()[0] == expected


def test_a_flag_that_wraps_takes_an_old_line_for_a_new_one_unless_it_is_renewed() -> None:
    seldom = [*[Launch(2, 2)] * 2, *[Launch(1)] * 6, *[Launch(2, 2)] * 2]
    assert ends(push([seldom] * 4, Push(flag_values=8))) == {WRONG: SCHEDULES}
    assert ends(push([seldom] * 4, Push(flag_values=8, refresh_every=4))) == {RIGHT: SCHEDULES}


def test_the_explorer_finds_the_one_bad_interleaving() -> None:
    def set_first(memory: list[int]) -> None:
        memory[0] = 1

    def set_second(memory: list[int]) -> None:
        memory[1] = 1

    writer = [[[Step(set_first), Step(set_second)]]]
    reader = [[[Step(lambda memory: (memory[0], memory[1]) != (1, 0))]]]
    waiting = [[[Step(lambda memory: None, lambda memory: memory[1] == 2)]]]
    assert Interleavings([writer, reader], 2).all() == ({RIGHT, WRONG}, 6)
    assert Interleavings([writer, waiting], 2).all() == ({DEADLOCK}, 3)
