"""What is measured: gathers of emulated ranks on one GPU, or of the ranks of a process group."""

from __future__ import annotations

import os
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Final

import torch
import torch.distributed as dist

from ..backend import TransportName
from ..emulation import emulated
from ..gather import PairedGather
from .rank_streams import RankStreams
from .result import Variant

LATENT_WIDTH: Final = 224
ROUTER_WIDTH: Final = 56
"""Elements of a rank's row at TP16, bfloat16 and float32."""


class Prepared(ABC):
    """One variant at one number of rows, ready to be timed."""

    @abstractmethod
    def replay_us(self, replays: int) -> float:
        """Return microseconds a replay of `gathers` gathers; the slowest rank counts."""

    @abstractmethod
    def right(self) -> bool:
        """Gather into poisoned outputs; return whether every byte of every rank is as `torch.cat` puts it."""


class Harness(ABC):
    """Where ranks live."""

    world: int
    emulated: bool
    topology: str
    gathers: int

    @abstractmethod
    def variants(self, rows: int, asked: Sequence[Variant]) -> list[Variant]:
        """Return those of `asked` that can be measured here at `rows` rows."""

    @abstractmethod
    def prepare(self, variant: Variant, rows: int) -> Prepared:
        """Draw random inputs, gather once, and capture."""


class EmulatedHarness(Harness):
    """All ranks on one GPU, a launch a rank on streams of their own."""

    emulated = True

    def __init__(self, world: int, *, gathers: int) -> None:
        self.world = world
        self.gathers = gathers
        self.topology = f"{world} ranks emulated as {world} streams of one process on one GPU"
        self._streams = RankStreams(world)

    def variants(self, rows: int, asked: Sequence[Variant]) -> list[Variant]:
        return [variant for variant in asked if 1 <= variant.row_blocks <= rows]

    def prepare(self, variant: Variant, rows: int) -> Prepared:
        return _OnStreams(self._streams, variant, rows, self.world, self.gathers)


class _OnStreams(Prepared):
    def __init__(self, streams: RankStreams, variant: Variant, rows: int, world: int, gathers: int) -> None:
        latent = torch.randn(world, rows, LATENT_WIDTH, device="cuda").bfloat16()
        router = torch.randn(world, rows, ROUTER_WIDTH, device="cuda")
        self._inputs = (latent, router)
        self._out = (
            latent.new_empty(world, rows, world * LATENT_WIDTH),
            router.new_empty(world, rows, world * ROUTER_WIDTH),
        )
        transport: TransportName = "push" if variant.transport == "push" else "pull"
        self._ranks = emulated(world, max_rows=rows, transport=transport)
        self._streams = streams

        def launch(rank: int) -> None:
            self._ranks.one(rank, latent, router, self._out, row_blocks=variant.row_blocks)

        streams.launch(launch)
        torch.cuda.synchronize()
        self._graphs = streams.capture(launch, gathers)

    def replay_us(self, replays: int) -> float:
        return self._streams.replay_us(self._graphs, replays)

    def right(self) -> bool:
        for out in self._out:
            out.fill_(float("nan"))
        self._streams.replay_us(self._graphs, 1)
        self._ranks.check()
        return all(
            bool((out == torch.cat(list(local), dim=1)).all())
            for local, out in zip(self._inputs, self._out, strict=True)
        )


class ProcessHarness(Harness):
    """A process a rank, in a torch.distributed group: each on a GPU of its own, or on the CPU with gloo.

    Where there are fewer GPUs than ranks they share and take turns: that rehearses, and its latency means nothing.
    """

    def __init__(self, device: torch.device, *, gathers: int) -> None:
        self.world = dist.get_world_size()
        self.gathers = gathers
        self._device = device
        self.emulated = device.type == "cuda" and torch.cuda.device_count() < self.world
        if device.type == "cpu":
            where = "processes on one host's CPU"
        elif self.emulated:
            where = f"{self.world} processes that take turns on {torch.cuda.device_count()} GPU"
        else:
            where = f"{self.world} GPUs of one host, {_link()}"
        self.topology = f"{where}, {dist.get_backend()}"

    def variants(self, rows: int, asked: Sequence[Variant]) -> list[Variant]:
        collectives = self._device.type == "cpu" or not self.emulated
        able = [v for v in asked if (collectives if v.transport == "torch" else self._device.type == "cuda")]
        return [variant for variant in able if variant.row_blocks <= rows]

    def prepare(self, variant: Variant, rows: int) -> Prepared:
        return _InProcess(self._device, variant, rows, self.gathers)


class _InProcess(Prepared):
    def __init__(self, device: torch.device, variant: Variant, rows: int, gathers: int) -> None:
        world, rank = dist.get_world_size(), dist.get_rank()
        torch.manual_seed(rows)  # every rank draws the rows of all of them
        whole = (
            torch.randn(world, rows, LATENT_WIDTH).bfloat16().to(device),
            torch.randn(world, rows, ROUTER_WIDTH).to(device),
        )
        self._expected = tuple(torch.cat(list(one), dim=1) for one in whole)
        local = (whole[0][rank].clone(), whole[1][rank].clone())
        self._out = (torch.empty_like(self._expected[0]), torch.empty_like(self._expected[1]))
        self._gathers = gathers
        self._device = device
        arguments: dict[str, Any] = {"backend": "torch"}
        if variant.transport != "torch":
            arguments = {"backend": "triton", "transport": variant.transport}
            arguments["row_blocks"] = lambda _: variant.row_blocks
        self._gather = PairedGather(
            latent_width=LATENT_WIDTH, router_width=ROUTER_WIDTH, max_rows=rows, device=device, **arguments
        )
        self._once: Callable[[], object] = lambda: self._gather(*local, out=self._out)
        self._once()
        self._graph: torch.cuda.CUDAGraph | None = None
        if device.type == "cuda":
            torch.cuda.synchronize()
            self._graph = torch.cuda.CUDAGraph()
            with self._gather.capture(), torch.cuda.graph(self._graph):
                self._gather_all()

    def _gather_all(self) -> None:
        for _ in range(self._gathers):
            self._once()

    def _replay(self) -> None:
        if self._graph is None:
            self._gather_all()
        else:
            self._graph.replay()

    def replay_us(self, replays: int) -> float:
        dist.barrier()
        if self._device.type == "cuda":
            start, end = (torch.cuda.Event(enable_timing=True) for _ in "se")
            start.record()
            for _ in range(replays):
                self._replay()
            end.record()
            torch.cuda.synchronize()
            taken = start.elapsed_time(end) * 1e3
        else:
            begun = time.perf_counter()
            for _ in range(replays):
                self._replay()
            taken = (time.perf_counter() - begun) * 1e6
        slowest = torch.tensor([taken / replays], dtype=torch.float64, device=self._device)
        dist.all_reduce(slowest, op=dist.ReduceOp.MAX)
        return float(slowest)

    def right(self) -> bool:
        for out in self._out:
            out.fill_(float("nan"))
        self._replay()
        right = all(bool((out == one).all()) for out, one in zip(self._out, self._expected, strict=True))
        everywhere = torch.tensor([int(right)], device=self._device)
        dist.all_reduce(everywhere, op=dist.ReduceOp.MIN)
        return bool(int(everywhere))


def _link() -> str:
    """Return how the GPUs reach each other, in words."""
    peers = range(1, torch.cuda.device_count())
    direct = all(torch.cuda.can_device_access_peer(0, peer) for peer in peers)
    return "peer access" if direct and len(peers) else "no peer access"


def process_group() -> torch.device:
    """Join the group that torchrun describes, and return the device of this rank."""
    if not torch.cuda.is_available():
        dist.init_process_group("gloo")
        return torch.device("cpu")
    rank, count = int(os.environ.get("LOCAL_RANK", os.environ.get("RANK", "0"))), torch.cuda.device_count()
    device = torch.device("cuda", rank % count)
    torch.cuda.set_device(device)
    if count < int(os.environ["WORLD_SIZE"]):
        os.environ.setdefault("TORCH_SYMM_MEM_ALLOW_OVERLAPPING_DEVICES", "1")
        dist.init_process_group("gloo")
    else:
        dist.init_process_group("nccl", device_id=device)
    return device
