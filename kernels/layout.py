"""Where rows lie, and which thread block moves which. Plain arithmetic in bytes; no torch.

*Rank-major*: a row of the output holds rank 0's row, then rank 1's, and so on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

UNIT: Final = 16
"""Bytes of one load or store of one thread. Rows and pointers are multiples of it."""


def row_share(rows: int, row_blocks: int) -> int:
    """Return the most rows that one of `row_blocks` thread blocks moves."""
    return -(-rows // row_blocks)


def partition(rows: int, row_blocks: int, block: int) -> range:
    """Return the complete rows that thread block `block` stages and gathers.

    Contiguous, in order, `row_share(rows, row_blocks)` rows a block until they run out: late blocks may have none.
    The same on every rank, when staging and when gathering.

    Raises:
        ValueError: `rows` or `row_blocks` is below one, or there is no such block.
    """
    if rows < 1 or row_blocks < 1 or not 0 <= block < row_blocks:
        raise ValueError(f"no partition of {rows} rows over {row_blocks} row blocks has a block {block}")
    share = row_share(rows, row_blocks)
    return range(min(block * share, rows), min((block + 1) * share, rows))


@dataclass(frozen=True, slots=True)
class RowLayout:
    """Bytes of one row of one rank.

    Attributes:
        latent_bytes: a multiple of `UNIT`.
        router_bytes: a multiple of `UNIT`.
    """

    latent_bytes: int
    router_bytes: int

    def __post_init__(self) -> None:
        for name, size in (("latent", self.latent_bytes), ("router", self.router_bytes)):
            if size < UNIT or size % UNIT:
                raise ValueError(f"a {name} row has {size} bytes, expected a positive multiple of {UNIT}")

    @property
    def latent_units(self) -> int:
        """16-byte units of a latent row."""
        return self.latent_bytes // UNIT

    @property
    def router_units(self) -> int:
        """16-byte units of a router row."""
        return self.router_bytes // UNIT

    @property
    def row_bytes(self) -> int:
        """Bytes of a latent and a router row together."""
        return self.latent_bytes + self.router_bytes

    def router_offset(self, rows: int) -> int:
        """Return where the router rows begin in a slot of `rows` rows: behind all latent rows."""
        return rows * self.latent_bytes

    def slot_bytes(self, max_rows: int, *, align: int = 128) -> int:
        """Return the bytes of one staging slot of one rank for up to `max_rows` rows, rounded up to `align`."""
        return -(-max_rows * self.row_bytes // align) * align
