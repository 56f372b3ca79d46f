"""Explores interleavings of programs that share sequentially consistent memory.

A rank is a list of launches, a launch is a list of lanes, a lane is a list of steps. Steps of all ranks interleave; a
rank's next launch begins when every lane of the last one is done, as launches of one stream do.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

Memory = list[int]

RIGHT: Final = "right"
WRONG: Final = "wrong rows"
DEADLOCK: Final = "deadlock"

_FAVOUR: Final = 12
"""At most so many steps a random run takes of one lane before it picks another, so that some fall far behind."""


class Step(NamedTuple):
    """Taken once `ready` holds. `run` returns False when it read something that it should not have read."""

    run: Callable[[Memory], bool | None]
    ready: Callable[[Memory], bool] | None = None


Lane = list[Step]
Rank = list[list[Lane]]


class _At(NamedTuple):
    """Where a rank is: its launch, and the next step of each lane."""

    launch: int
    steps: tuple[int, ...]


class Interleavings:
    """The interleavings of `ranks` over `places` words of memory, all 0 at first."""

    def __init__(self, ranks: Sequence[Rank], places: int) -> None:
        self._ranks = ranks
        self._memory = [0] * places
        self._begin = [self._settled(rank, _At(0, (0,) * len(launches[0]))) for rank, launches in enumerate(ranks)]

    def random(self, seed: int) -> str:
        """Return how one random schedule ends."""
        chance = random.Random(seed)
        memory, at = self._memory.copy(), self._begin.copy()
        while ready := list(self._ready(memory, at)):
            rank, lane = chance.choice(ready)
            for _ in range(chance.randint(1, _FAVOUR)):
                launch = at[rank].launch
                if not self._take(memory, at, rank, lane):
                    return WRONG
                if at[rank].launch != launch or not self._may(memory, at, rank, lane):
                    break
        return self._end(at)

    def all(self, limit: int = 400_000) -> tuple[set[str], int]:
        """Return the ends of all schedules, and how many states they go through.

        Raises:
            RuntimeError: there are more than `limit` states.
        """
        waiting = [(tuple(self._memory), tuple(self._begin))]
        seen, ends = set(waiting), set()
        while waiting:
            memory, at = waiting.pop()
            stuck = True
            for rank, lane in self._ready(memory, at):
                stuck = False
                new_memory, new_at = list(memory), list(at)
                if not self._take(new_memory, new_at, rank, lane):
                    ends.add(WRONG)
                    continue
                state = (tuple(new_memory), tuple(new_at))
                if state not in seen:
                    seen.add(state)
                    waiting.append(state)
            if stuck:
                ends.add(self._end(at))
            if len(seen) > limit:
                raise RuntimeError(f"more than {limit} states")
        return ends, len(seen)

    def _ready(self, memory: Sequence[int], at: Sequence[_At]) -> Iterator[tuple[int, int]]:
        for rank, place in enumerate(at):
            for lane in range(len(place.steps)):
                if self._may(memory, at, rank, lane):
                    yield rank, lane

    def _may(self, memory: Sequence[int], at: Sequence[_At], rank: int, lane: int) -> bool:
        steps = self._ranks[rank][at[rank].launch][lane]
        number = at[rank].steps[lane]
        if number == len(steps):
            return False
        ready = steps[number].ready
        return ready is None or ready(memory)  # type: ignore[arg-type]

    def _take(self, memory: Memory, at: list[_At], rank: int, lane: int) -> bool:
        launch, steps = at[rank]
        right = self._ranks[rank][launch][lane][steps[lane]].run(memory)
        at[rank] = self._settled(rank, _At(launch, (*steps[:lane], steps[lane] + 1, *steps[lane + 1 :])))
        return right is not False

    def _settled(self, rank: int, at: _At) -> _At:
        """Begin the next launch where all lanes are done; no lanes are left after the last one."""
        launches = self._ranks[rank]
        while at.steps and all(done == len(lane) for done, lane in zip(at.steps, launches[at.launch], strict=True)):
            following = at.launch + 1
            at = _At(following, (0,) * len(launches[following]) if following < len(launches) else ())
        return at

    def _end(self, at: Sequence[_At]) -> str:
        return DEADLOCK if any(place.steps for place in at) else RIGHT
