"""How the memory of the triton backend is laid out, and how a gather is cut into tiles. Plain arithmetic; no torch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from .backend import TransportName
from .layout import RowLayout, row_share

WORLDS: Final = (2, 4, 8, 16)
MAX_ROW_BLOCKS: Final = 64
FLAG_BYTES: Final = 128
"""Of one flag record, one a block and sender: no two flags share a cache line."""

LIMIT: Final = MAX_ROW_BLOCKS
"""Word of a rank's state that holds the time limit in nanoseconds."""
BROKEN: Final = MAX_ROW_BLOCKS + 1
"""Word of a rank's state that is 1 once a wait was given up."""
STATE_WORDS: Final = MAX_ROW_BLOCKS + 16
"""8-byte words of a rank's state: a generation a block, then `LIMIT` and `BROKEN`."""

REFRESH_EVERY: Final = 1 << 20
"""Gathers after which `push` renews the flags of lines that it did not use; far fewer than the 2^32 a flag can tell."""

NO_LIMIT_NS: Final = 1 << 62
MAX_OUTPUT_BYTES: Final = 1 << 31
"""Offsets inside one output are 32-bit numbers of words; this keeps far away from their end."""


@dataclass(frozen=True, slots=True)
class Tiles:
    """How one block moves its rows: the shape of what one step loads, and the warps that do it.

    Attributes:
        rows: of one step; a power of two.
        latent: words of a latent row in one step; a power of two.
        router: likewise.
        columns: steps a row.
        one_step: whether all rows of a block fit into one step.
        warps: of 32 threads.
    """

    rows: int
    latent: int
    router: int
    columns: int
    one_step: bool
    warps: int


@dataclass(frozen=True, slots=True)
class Geometry:
    """Sizes that all ranks of one gather share.

    Attributes:
        transport: "pull" or "push".
        world_size: ranks; one of `WORLDS`.
        layout: bytes of one row of one rank.
        max_rows: the most rows of one gather.
    """

    transport: TransportName
    world_size: int
    layout: RowLayout
    max_rows: int

    @property
    def word_bytes(self) -> int:
        """Bytes that one element of a tile stands for: `push` puts 8 into each line of 16."""
        return 4 if self.transport == "pull" else 8

    @property
    def flags_bytes(self) -> int:
        """Bytes of the flag records at the start of a buffer; `push` has its flags in the lines."""
        return MAX_ROW_BLOCKS * self.world_size * FLAG_BYTES if self.transport == "pull" else 0

    @property
    def slot_bytes(self) -> int:
        """Bytes of one of the two slots: own rows in `pull`, everybody's rows as lines in `push`."""
        if self.transport == "pull":
            return self.layout.slot_bytes(self.max_rows)
        return 2 * self.world_size * self.max_rows * self.layout.row_bytes

    @property
    def buffer_bytes(self) -> int:
        """Bytes of a rank's buffer, which its peers reach."""
        return self.flags_bytes + 2 * self.slot_bytes

    def tiles(self, rows: int, row_blocks: int) -> Tiles:
        """Return how a gather of `rows` rows is cut when `row_blocks` blocks share it."""
        share = row_share(rows, row_blocks)
        warps = 8
        budget = self._words_a_thread * warps * 32 // self.world_size
        widths = (self.layout.latent_bytes // self.word_bytes, self.layout.router_bytes // self.word_bytes)
        columns = 1
        while (tiles := _column_tiles(widths, columns)) and sum(tiles) > budget:
            columns *= 2
        step = 1
        while step < share and 2 * step * sum(tiles) <= budget:
            step *= 2
        return Tiles(step, tiles[0], tiles[1], columns, step >= share, warps)

    @property
    def _words_a_thread(self) -> int:
        # 96 words of 4 bytes are eight rows of sixteen ranks at TP16 in 256 threads. A line of `push` takes four
        # registers while it is awaited, and two more for its address.
        return 96 if self.transport == "pull" else 24


def _column_tiles(widths: tuple[int, int], columns: int) -> tuple[int, int]:
    latent, router = (_power_of_two(-(-width // columns)) for width in widths)
    return latent, router


def _power_of_two(number: int) -> int:
    return 1 << (number - 1).bit_length()
