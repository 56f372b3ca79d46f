"""Gathers captured in CUDA graphs."""

from __future__ import annotations

import pytest
import torch

from pinproof.kernels import emulated
from pinproof.kernels.backend import TransportName

from .pairs import Pair, together, wrong

TRANSPORTS: tuple[TransportName, ...] = ("pull", "push")


def captured(gathers: int, pair: Pair, gather: object) -> torch.cuda.CUDAGraph:
    assert callable(gather)
    gather(*pair.inputs, pair.outputs)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(gathers):
            gather(*pair.inputs, pair.outputs)
    return graph


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize(("rows", "blocks", "gathers"), [(1, 1, 1), (8, 2, 1), (8, 8, 3), (3, 2, 2)])
def test_replayed_a_thousand_times(rows: int, blocks: int, gathers: int, transport: TransportName) -> None:
    """Changed inputs every time; odd and even numbers of gathers a graph; addresses and allocated bytes stay."""
    ranks = emulated(16, max_rows=8, transport=transport)
    pair = Pair(16, rows)
    graph = captured(gathers, pair, together(ranks, blocks))
    good = torch.zeros((), dtype=torch.int64, device="cuda")
    allocated, addresses = [], []
    for turn in range(1000):
        pair.renew()
        graph.replay()
        good += pair.right()
        if turn in (10, 999):
            torch.cuda.synchronize()
            allocated.append(torch.cuda.memory_allocated())
            addresses.append([tensor.data_ptr() for tensor in (*pair.inputs, *pair.outputs, ranks.buffers)])
    assert int(good) == 1000
    assert allocated[0] == allocated[1]
    assert addresses[0] == addresses[1]
    assert ranks.launcher.state[:, 0].tolist() == [1 + 1000 * gathers] * 16
    ranks.check()


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_two_graphs_and_eager_gathers_in_turn(transport: TransportName) -> None:
    """One object, two graphs of other rows and row blocks, eager gathers between them."""
    ranks = emulated(16, max_rows=9, transport=transport)
    pairs = [Pair(16, rows) for rows in (8, 1, 9)]
    graphs = [captured(1, pairs[0], together(ranks, 2)), captured(3, pairs[1], together(ranks, 1))]
    results = {}
    for turn in range(200):
        which = turn % 2 if turn % 7 else (turn // 7) % 2
        pairs[which].renew()
        graphs[which].replay()
        results[f"{turn}: graph {which}"] = pairs[which].right()
        if turn % 3 == 0:
            results[f"{turn}: eager"] = pairs[2].gather(together(ranks, 1 + turn % 8))
    assert wrong(results) == []


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("world", [2, 4, 8, 16])
def test_skewed_ranks(world: int, transport: TransportName) -> None:
    """A graph a rank; in each of three gathers a row another rank is late, by up to a millisecond."""
    ranks = emulated(world, max_rows=8, transport=transport)
    late = {"rank": 0}

    def skew(rank: int) -> None:
        torch.cuda._sleep(2_000_000 if rank == late["rank"] else 1000 * rank)

    skew(0)
    torch.cuda.synchronize()
    pair = Pair(world, 8)
    replays = []
    for late_rank in (0, world // 2, world - 1):
        late["rank"] = late_rank
        replays.append(ranks.graphs_apart(*pair.inputs, pair.outputs, row_blocks=2, before=skew))
    results = {}
    for turn in range(60):
        pair.renew()
        replays[turn % 3]()
        results[str(turn)] = pair.right()
    assert wrong(results) == []
    ranks.check()


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_ranks_that_run_ahead(transport: TransportName) -> None:
    """A graph a rank, eight gathers in each without anything between them, replayed a hundred times."""
    ranks = emulated(16, max_rows=8, transport=transport)
    pair = Pair(16, 8)

    replay = ranks.graphs_apart(*pair.inputs, pair.outputs, row_blocks=4, gathers=8)
    results = {}
    for turn in range(100):
        pair.renew()
        replay()
        results[str(turn)] = pair.right()
    assert wrong(results) == []
    ranks.check()
