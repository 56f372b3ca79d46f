"""What the protocols must survive: shapes that alternate, counters that wrap, lines that were not used for long."""

from __future__ import annotations

import random

import pytest
import torch

from pinproof.kernels import emulated
from pinproof.kernels.backend import TransportName
from pinproof.kernels.triton_memory import MAX_ROW_BLOCKS

from .pairs import ROWS, Pair, apart, together, wrong

TRANSPORTS: tuple[TransportName, ...] = ("pull", "push")


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("way", ["together", "apart"])
def test_rows_and_row_blocks_alternate(way: str, transport: TransportName) -> None:
    """Random sequences on one object; blocks that pause return to the slot that all ranks are at."""
    chosen = random.Random(7)
    ranks = emulated(16, max_rows=16, transport=transport)
    pairs = {rows: Pair(16, rows) for rows in ROWS}
    results = {}
    for turn in range(400):
        rows, blocks = chosen.choice(ROWS), chosen.randint(1, 8)
        gather = together(ranks, blocks) if way == "together" else apart(ranks, blocks)
        results[f"{turn}: {rows} rows, {blocks} blocks"] = pairs[rows].gather(gather)
    assert wrong(results) == []
    assert ranks.launcher.state[:, :MAX_ROW_BLOCKS].unique().tolist() == [400]
    ranks.check()


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("before", [2**20 - 4, 2**31 - 4, 2**32 - 4, 2**33 - 4, 2**40 - 4])
def test_generation_passes_a_power_of_two(before: int, transport: TransportName) -> None:
    ranks = emulated(16, max_rows=9, transport=transport)
    ranks.forward(before)
    pairs = {rows: Pair(16, rows) for rows in (1, 3, 8, 9)}
    results = {}
    for turn in range(12):
        rows = (1, 8, 3, 9)[turn % 4]
        results[f"{turn}: {rows} rows"] = pairs[rows].gather(together(ranks, 1 + turn % 3))
    assert wrong(results) == []
    assert ranks.launcher.state[:, 0].tolist() == [before + 12] * 16
    ranks.check()


def test_a_block_that_pauses_for_2_31_gathers_still_waits() -> None:
    """With 32-bit flags that wrap, block 1's flag of gather 1 would look newer than gather 2^31 + 2."""
    ranks = emulated(4, max_rows=8, transport="pull", timeout_s=0.2)
    pair = Pair(4, 8)
    assert bool(pair.gather(together(ranks, 2)))
    ranks.launcher.state[:, :MAX_ROW_BLOCKS] = 2**31 + 1
    flags = ranks.buffers[:, : ranks.geometry.flags_bytes // 4].view(4, MAX_ROW_BLOCKS, 4, 32).view(torch.int64)
    flags[:, 0, :, 0] = 2**31 + 1
    ranks(*pair.inputs, pair.outputs, row_blocks=2, ranks=range(3))
    torch.cuda.synchronize()
    assert ranks.launcher.broken


def test_lines_not_used_for_2_32_gathers_are_not_taken_for_new_ones() -> None:
    """Rows 1 to 7 are written in gathers 1 and 2, then again in gather 2^32 + 2, whose flag is 2 as well.

    Row 0 is written in gathers 3 and 4, too: the flag that it holds is none of the gathers after the jump.
    """
    ranks = emulated(4, max_rows=8, transport="push")
    small, large = Pair(4, 1), Pair(4, 8)
    results = {f"gather {turn}": large.gather(together(ranks, 2)) for turn in (1, 2)}
    results |= {f"gather {turn}": small.gather(together(ranks)) for turn in (3, 4)}
    assert lines_flags(ranks.buffers, slot=0) == [2]
    ranks.launcher.state[:, :MAX_ROW_BLOCKS] = 2**32 - 1
    results["gather 2^32"] = small.gather(together(ranks))
    assert lines_flags(ranks.buffers, slot=0) == [0]
    results["gather 2^32 + 1"] = small.gather(together(ranks))
    assert lines_flags(ranks.buffers, slot=1) == [1]
    results["gather 2^32 + 2"] = large.gather(together(ranks, 2))
    assert wrong(results) == []


def lines_flags(buffers: torch.Tensor, slot: int) -> list[int]:
    """Return the flags of the lines of rows 1 to 7: `[2 slots][4 senders][8 rows][84 lines][16 bytes]` of each rank."""
    lines = buffers.view(4, 2, 4, 8, 84, 4)[:, slot, :, 1:]
    return sorted(lines[..., 1::2].unique().tolist())
