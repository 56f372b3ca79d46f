"""A rank that does not come is an error that names it, and no hang."""

from __future__ import annotations

import time

import pytest
import torch

from pinproof.kernels import RankMissingError, emulated
from pinproof.kernels.backend import TransportName

from .pairs import Pair, apart, as_bytes, together

TRANSPORTS: tuple[TransportName, ...] = ("pull", "push")


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_missing_rank_is_named_and_outputs_are_nan(transport: TransportName) -> None:
    ranks = emulated(4, max_rows=4, transport=transport, timeout_s=0.2)
    pair = Pair(4, 4)
    assert bool(pair.gather(together(ranks, 2)))
    pair.renew()
    started = time.monotonic()
    ranks(*pair.inputs, pair.outputs, row_blocks=2, ranks=range(3))
    torch.cuda.synchronize()
    assert 0.15 < time.monotonic() - started < 10
    with pytest.raises(RankMissingError) as caught:
        ranks.check()
    assert str(caught.value) == (
        "rank 3 did not arrive within 0.2 s: rank 0, row block 0 waited for rank 3; "
        "rank 0, row block 1 waited for rank 3; rank 1, row block 0 waited for rank 3; "
        "rank 1, row block 1 waited for rank 3; rank 2, row block 0 waited for rank 3; "
        "rank 2, row block 1 waited for rank 3. "
        "The outputs of this gather and of later ones are NaN; make a new PairedGather on every rank"
    )
    for out in pair.outputs:
        assert as_bytes(out[:3]).unique().tolist() == [0xFF]
        assert bool(out[:3].isnan().all())
    with pytest.raises(RankMissingError, match=r"^rank 3 did not arrive"):
        ranks(*pair.inputs, pair.outputs)


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_missing_rank_in_a_replayed_graph(transport: TransportName) -> None:
    """The host takes no part in a replay: the outputs say NaN, also in later replays, and the next call raises."""
    ranks = emulated(2, max_rows=4, transport=transport, timeout_s=0.1)
    pair = Pair(2, 4)
    ranks(*pair.inputs, pair.outputs)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        ranks(*pair.inputs, pair.outputs, ranks=range(1))
    for _ in range(3):
        pair.renew()
        graph.replay()
        assert [as_bytes(out[:1]).unique().tolist() for out in pair.outputs] == [[0xFF], [0xFF]]
    with pytest.raises(RankMissingError, match=r"^rank 1 did not arrive within 0\.1 s: rank 0, row block 0 waited"):
        ranks(*pair.inputs, pair.outputs)


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("timeout_s", [5.0, None])
def test_late_rank_within_the_limit_is_no_error(timeout_s: float | None, transport: TransportName) -> None:
    ranks = emulated(4, max_rows=4, transport=transport, timeout_s=timeout_s)
    pair = Pair(4, 4)

    def late(rank: int) -> None:
        if rank == 2:
            torch.cuda._sleep(500_000_000)

    torch.cuda._sleep(1)
    torch.cuda.synchronize()
    assert bool(pair.gather(apart(ranks, 2)))
    started = time.monotonic()
    assert bool(pair.gather(apart(ranks, 2, before=late)))
    assert time.monotonic() - started > 0.1
    ranks.check()
