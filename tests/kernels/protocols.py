"""The two protocols of the paired gather as programs for `interleavings`, and the ways to break them.

A row has two halves: a lane each may stage and read in `pull`, and they are the 8-byte halves of a line in `push`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from pinproof.kernels.layout import partition

from .interleavings import Interleavings, Lane, Memory, Rank, Step

Partition = Callable[[int, int, int], Iterable[int]]

COPIES: Final = 4
"""Copies of the generation, and the most row blocks."""

HALVES: Final = (0, 1)


class Launch(NamedTuple):
    """One gather of one rank."""

    rows: int
    row_blocks: int = 1


@dataclass(frozen=True)
class Pull:
    """Staged rows behind a flag barrier. The defaults are what `pinproof.kernels.triton_kernels` does.

    Attributes:
        slots: how many there are.
        lanes: of a block; they split staging, signalling and reading.
        count: how generations advance. "copies": one copy a block, of which block `b` of `n` advances `b`, `b + n`, ...
            "last": one for all blocks, which the last of them advances, as in FlashInfer. "first": the first one does.
            "own": one copy a block that counts for itself.
        gathered: which rows a block reads; staged are those of `layout.partition`.
        staged_before_signal: whether the lanes of a block meet between staging and signalling.
        waited_before_read: whether they meet between waiting and reading.
        reached: whether a flag is compared with "has reached"; else for equality.
    """

    slots: int = 2
    lanes: int = 1
    count: str = "copies"
    gathered: Partition = partition
    staged_before_signal: bool = True
    waited_before_read: bool = True
    reached: bool = True


@dataclass(frozen=True)
class Push:
    """Rows written into every peer's slot beside their flags; no barrier. The defaults are what ours does.

    Attributes:
        slots: how many there are.
        both_flags: whether a reader looks at the flag of each half of a line, else at the first one only.
        advance: whether generations grow from launch to launch.
        flag_values: how many generations a flag can tell apart.
        refresh_every: 0, or the number of generations after which two launches renew the flags of their idle lines.
        capacity: rows of a slot.
    """

    slots: int = 2
    both_flags: bool = True
    advance: bool = True
    flag_values: int = 1 << 32
    refresh_every: int = 0
    capacity: int = 4


class _Places:
    """Numbers the words of memory by name."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[object, ...], int] = {}

    def __call__(self, *name: object) -> int:
        return self._numbers.setdefault(name, len(self._numbers))

    def __len__(self) -> int:
        return len(self._numbers)


def _value(launch: int, rank: int, row: int, half: int) -> int:
    """Return what a half row holds: other than any half of any other row, rank or launch, and never 0."""
    return 1 + half + 2 * (row + 16 * (rank + 16 * launch))


@dataclass(frozen=True)
class _Block:
    """One block of one launch of one rank."""

    place: _Places
    world: int
    number: int
    rank: int
    block: int
    launch: Launch

    @property
    def peers(self) -> list[int]:
        return [rank for rank in range(self.world) if rank != self.rank]

    @property
    def rows(self) -> Iterable[int]:
        return partition(self.launch.rows, self.launch.row_blocks, self.block)

    def register(self, lane: int) -> int:
        """The place of a lane's generation."""
        return self.place("register", self.rank, self.number, self.block, lane)

    def meet(self, what: str, lanes: int) -> Lane:
        """Wait until every lane of the block has come here."""
        arrived = self.place("meet", what, self.rank, self.number, self.block)

        def arrive(memory: Memory) -> None:
            memory[arrived] += 1

        return [Step(arrive), Step(lambda memory: None, lambda memory: memory[arrived] == lanes)]


def pull(launches: Sequence[Sequence[Launch]], how: Pull) -> Interleavings:
    """Return the interleavings of `launches[rank]` under `how`."""
    place = _Places()

    def lanes(block: _Block) -> list[Lane]:
        return [_pull_lane(block, how, lane) for lane in range(how.lanes)]

    return Interleavings(_ranks(place, launches, lanes), len(place))


def push(launches: Sequence[Sequence[Launch]], how: Push) -> Interleavings:
    """Return the interleavings of `launches[rank]` under `how`."""
    place = _Places()
    return Interleavings(_ranks(place, launches, lambda block: [_push_lane(block, how)]), len(place))


def _ranks(place: _Places, launches: Sequence[Sequence[Launch]], lanes: Callable[[_Block], list[Lane]]) -> list[Rank]:
    return [
        [
            [
                lane
                for block in range(launch.row_blocks)
                for lane in lanes(_Block(place, len(launches), number, rank, block, launch))
            ]
            for number, launch in enumerate(own)
        ]
        for rank, own in enumerate(launches)
    ]


def _pull_lane(block: _Block, how: Pull, lane: int) -> Lane:
    register = block.register(lane)
    steps = [_read_generation(block, register, "own" if how.count in ("own", "copies") else "shared")]
    steps += [
        _stage(block, register, how.slots, row, half)
        for row in block.rows
        for half in HALVES
        if half % how.lanes == lane
    ]
    if how.staged_before_signal:
        steps += block.meet("staged", how.lanes)
    peers = [peer for peer in block.peers if peer % how.lanes == lane]
    steps += [_signal(block, register, peer) for peer in peers]
    steps += [_await(block, register, peer, how.reached) for peer in peers]
    if how.waited_before_read:
        steps += block.meet("waited", how.lanes)
    steps += [
        _read(block, register, how.slots, peer, row, half)
        for row in how.gathered(block.launch.rows, block.launch.row_blocks, block.block)
        for peer in block.peers
        for half in HALVES
        if half % how.lanes == lane
    ]
    steps += block.meet("read", how.lanes)
    return steps + (_advance(block, register, how.count) if lane == 0 else [])


def _push_lane(block: _Block, how: Push) -> Lane:
    register = block.register(0)
    steps = [_read_generation(block, register, "own")]
    steps += [
        _send(block, register, how, peer, row, half) for row in block.rows for peer in block.peers for half in HALVES
    ]
    steps += [
        _receive(block, register, how, peer, row, half) for row in block.rows for peer in block.peers for half in HALVES
    ]
    if how.refresh_every:
        idle = range(block.launch.rows + block.block, how.capacity, block.launch.row_blocks)
        steps += [
            _refresh(block, register, how, peer, row, half) for row in idle for peer in block.peers for half in HALVES
        ]
    return steps + (_advance(block, register, "copies") if how.advance else [])


def _read_generation(block: _Block, register: int, whose: str) -> Step:
    copy = block.place("generation", block.rank, block.block if whose == "own" else 0)

    def run(memory: Memory) -> None:
        memory[register] = memory[copy] + 1

    return Step(run)


def _stage(block: _Block, register: int, slots: int, row: int, half: int) -> Step:
    places = [block.place("slot", block.rank, slot, row, half) for slot in range(slots)]
    staged = _value(block.number, block.rank, row, half)

    def run(memory: Memory) -> None:
        memory[places[memory[register] % slots]] = staged

    return Step(run)


def _signal(block: _Block, register: int, peer: int) -> Step:
    flag = block.place("flag", peer, block.block, block.rank)

    def run(memory: Memory) -> None:
        memory[flag] = memory[register]

    return Step(run)


def _await(block: _Block, register: int, peer: int, reached: bool) -> Step:
    flag = block.place("flag", block.rank, block.block, peer)
    if reached:
        return Step(lambda memory: None, lambda memory: memory[flag] >= memory[register])
    return Step(lambda memory: None, lambda memory: memory[flag] == memory[register])


def _read(block: _Block, register: int, slots: int, peer: int, row: int, half: int) -> Step:
    places = [block.place("slot", peer, slot, row, half) for slot in range(slots)]
    expected = _value(block.number, peer, row, half)
    return Step(lambda memory: memory[places[memory[register] % slots]] == expected)


def _advance(block: _Block, register: int, count: str) -> Lane:
    blocks = block.launch.row_blocks
    shared, retired = block.place("generation", block.rank, 0), block.place("retired", block.rank)
    if count == "own":
        return [_store(block.place("generation", block.rank, block.block), register)]
    if count == "copies":
        copies = range(block.block, COPIES, blocks)
        return [_store(block.place("generation", block.rank, copy), register) for copy in copies]
    last = {"last": blocks, "first": 1}[count]

    def retire(memory: Memory) -> None:
        memory[retired] += 1
        if memory[retired] == last:
            memory[retired] = 0
            memory[shared] += 1

    return [Step(retire)]


def _store(place: int, register: int) -> Step:
    def run(memory: Memory) -> None:
        memory[place] = memory[register]

    return Step(run)


def _line(block: _Block, how: Push, owner: int, source: int, row: int, half: int) -> list[tuple[int, int]]:
    """Return the places of data and flag of half a line, a pair for each slot of rank `owner`."""
    name = (owner, source, row, half)
    return [(block.place("data", slot, *name), block.place("flag", slot, *name)) for slot in range(how.slots)]


def _send(block: _Block, register: int, how: Push, peer: int, row: int, half: int) -> Step:
    """Write one half: 4 bytes of data and the flag, at once."""
    lines = _line(block, how, peer, block.rank, row, half)
    sent = _value(block.number, block.rank, row, half)

    def run(memory: Memory) -> None:
        data, flag = lines[memory[register] % how.slots]
        memory[data], memory[flag] = sent, memory[register] % how.flag_values

    return Step(run)


def _receive(block: _Block, register: int, how: Push, peer: int, row: int, half: int) -> Step:
    lines = _line(block, how, block.rank, peer, row, half)
    guards = lines if how.both_flags else _line(block, how, block.rank, peer, row, 0)
    expected = _value(block.number, peer, row, half)
    return Step(
        lambda memory: memory[lines[memory[register] % how.slots][0]] == expected,
        lambda memory: memory[guards[memory[register] % how.slots][1]] == memory[register] % how.flag_values,
    )


def _refresh(block: _Block, register: int, how: Push, source: int, row: int, half: int) -> Step:
    """Renew the flag of a line of own slot that nobody writes in this launch, in two launches of `refresh_every`."""
    lines = _line(block, how, block.rank, source, row, half)

    def run(memory: Memory) -> None:
        if memory[register] % how.refresh_every < 2:
            memory[lines[memory[register] % how.slots][1]] = memory[register] % how.flag_values

    return Step(run)
