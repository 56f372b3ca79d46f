"""Every byte of every rank as `torch.cat` puts it, all ranks emulated on one GPU."""

from __future__ import annotations

import pytest
import torch

from pinproof.kernels import emulated
from pinproof.kernels.backend import TransportName

from .pairs import DTYPES, ROWS, TP16, Pair, apart, together, wrong

TRANSPORTS: tuple[TransportName, ...] = ("pull", "push")
WORLDS = (2, 4, 8, 16)


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("world", WORLDS)
def test_rows_and_row_blocks(world: int, transport: TransportName) -> None:
    """Rows 1 to 9 and 16, row blocks 1 to 8 whether or not they divide the rows, on one object."""
    ranks = emulated(world, max_rows=16, transport=transport)
    results = {}
    for rows in ROWS:
        pair = Pair(world, rows)
        for blocks in range(1, 9):
            results[f"{rows} rows, {blocks} blocks"] = pair.gather(together(ranks, blocks))
    assert len(results) == 80
    assert wrong(results) == []
    ranks.check()


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("world", WORLDS)
def test_dtype_pairs(world: int, transport: TransportName) -> None:
    results = {}
    for latent in DTYPES:
        for router in DTYPES:
            ranks = emulated(
                world,
                latent_width=448 // latent.itemsize,
                router_width=224 // router.itemsize,
                latent_dtype=latent,
                router_dtype=router,
                max_rows=8,
                transport=transport,
            )
            for rows, blocks in ((1, 1), (3, 2), (8, 2)):
                pair = Pair(world, rows, TP16, (latent, router))
                results[f"{latent} {router} {rows}"] = pair.gather(together(ranks, blocks))
    assert len(results) == 48
    assert wrong(results) == []


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("world", [2, 16])
@pytest.mark.parametrize(
    "row_bytes",
    [(16, 16), (16, 48), (208, 16), (2064, 16), (16, 1040), (14336, 512)],
    ids=lambda pair: f"{pair[0]}+{pair[1]}",
)
def test_odd_widths(row_bytes: tuple[int, int], world: int, transport: TransportName) -> None:
    """Rows of one 16-byte unit, of odd numbers of units, and rows that take several column tiles."""
    ranks = emulated(
        world, latent_width=row_bytes[0] // 2, router_width=row_bytes[1] // 4, max_rows=9, transport=transport
    )
    results = {}
    for rows, blocks in ((1, 1), (3, 2), (9, 1), (9, 4)):
        results[f"{rows} rows, {blocks} blocks"] = Pair(world, rows, row_bytes).gather(together(ranks, blocks))
    assert wrong(results) == []


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_more_rows_than_one_step(transport: TransportName) -> None:
    ranks = emulated(16, max_rows=100, transport=transport)
    results = {
        f"{rows} rows, {blocks} blocks": Pair(16, rows).gather(together(ranks, blocks))
        for rows, blocks in ((33, 1), (64, 2), (100, 3), (100, 8))
    }
    assert wrong(results) == []


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("world", WORLDS)
def test_a_launch_a_rank(world: int, transport: TransportName) -> None:
    """Ranks on streams of their own, launched in another order each time."""
    ranks = emulated(world, max_rows=9, transport=transport)
    results = {}
    for turn, (rows, blocks) in enumerate(((1, 1), (8, 2), (9, 4), (3, 8), (8, 1), (1, 2))):
        pair = Pair(world, rows)
        pair.renew()
        order = torch.randperm(world).tolist()
        ranks.apart(*pair.inputs, pair.outputs, row_blocks=blocks, order=order)
        results[f"{turn}: {rows} rows, {blocks} blocks, order {order}"] = pair.right()
        results[f"{turn}: again"] = pair.gather(apart(ranks, blocks))
    assert wrong(results) == []
    ranks.check()
