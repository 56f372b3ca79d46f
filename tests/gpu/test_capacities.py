"""The five reviewed row capacities, executed as such: sixteen ranks, the policy's row blocks, the widths of TP16."""

from __future__ import annotations

import pytest
import torch

from pinproof.kernels import emulated
from pinproof.kernels.backend import TransportName

from .pairs import Pair, together, wrong


@pytest.mark.parametrize("transport", ["pull", "push"])
@pytest.mark.parametrize(("row_capacity", "row_blocks"), [(1, 1), (2, 1), (4, 1), (8, 2), (16, 1)])
def test_row_capacity(row_capacity: int, row_blocks: int, transport: TransportName) -> None:
    ranks = emulated(16, max_rows=row_capacity, transport=transport)
    pair = Pair(16, row_capacity)
    results = {f"gather {turn}": pair.gather(together(ranks)) for turn in range(3)}
    assert wrong(results) == []
    if transport == "pull":
        assert blocks_that_signalled(ranks.buffers) == row_blocks


def blocks_that_signalled(buffers: torch.Tensor) -> int:
    """Return how many row blocks of all ranks have set a flag: the records are `[64 blocks][16 senders][128 bytes]`."""
    flags = buffers[:, : 64 * 16 * 32].view(16, 64, 16, 32)[..., 0]
    return int((flags != 0).any(dim=2).all(dim=0).sum())
