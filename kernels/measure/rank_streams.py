"""Ranks as streams of one process, a launch a rank: how separately launched ranks are emulated on one GPU."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import torch

LaunchRank = Callable[[int], object]
"""Launches the part of one rank on the current stream."""

Graphs = Sequence[torch.cuda.CUDAGraph]
"""A graph a rank. One graph with a branch a rank would not do: the driver may queue a rank behind one that waits."""

_HEAD_START: Final = 4_000_000
"""Clocks that the GPU is kept busy, about 2 ms, while the host launches for every rank."""


def prepare_environment() -> None:
    """Set what the driver reads when CUDA starts, unless it is set: a hardware queue a stream, kernels loaded at once.

    Two ranks in one queue, or a kernel that is loaded while another one waits for it, wait for ever.
    """
    os.environ.setdefault("CUDA_DEVICE_MAX_CONNECTIONS", "32")
    os.environ.setdefault("CUDA_MODULE_LOADING", "EAGER")


class RankStreams:
    """A stream a rank, on the current device."""

    def __init__(self, world: int) -> None:
        self._streams = [torch.cuda.Stream() for _ in range(world)]
        torch.cuda._sleep(1)
        torch.cuda.synchronize()

    def launch(self, launch: LaunchRank) -> None:
        """Launch once for every rank, each on its stream."""
        main = torch.cuda.current_stream()
        for rank, stream in enumerate(self._streams):
            stream.wait_stream(main)
            with torch.cuda.stream(stream):
                launch(rank)
        for stream in self._streams:
            main.wait_stream(stream)

    def capture(self, launch: LaunchRank, gathers: int) -> Graphs:
        """Capture `gathers` launches of each rank."""
        graphs = []
        for rank, stream in enumerate(self._streams):
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, stream=stream):
                for _ in range(gathers):
                    launch(rank)
            graphs.append(graph)
        return graphs

    def replay_us(self, graphs: Graphs, replays: int) -> float:
        """Return microseconds a replay, from when all ranks may start until the slowest one has ended."""
        start, end = (torch.cuda.Event(enable_timing=True) for _ in "se")
        main = torch.cuda.current_stream()
        torch.cuda._sleep(_HEAD_START)
        start.record()
        for stream in self._streams:
            stream.wait_event(start)
        for _ in range(replays):
            for stream, graph in zip(self._streams, graphs, strict=True):
                with torch.cuda.stream(stream):
                    graph.replay()
        for stream in self._streams:
            main.wait_stream(stream)
        end.record()
        torch.cuda.synchronize()
        return float(start.elapsed_time(end)) * 1e3 / replays

    def alternate(
        self, variants: Mapping[str, Graphs], *, samples: int, replays: int, gathers: int
    ) -> dict[str, list[float]]:
        """Return microseconds a gather of each variant of `gathers` gathers a graph, sampled in turn: A B A B."""
        for graphs in variants.values():
            for _ in range(2):
                self.replay_us(graphs, replays)
        found: dict[str, list[float]] = {name: [] for name in variants}
        for _ in range(samples):
            for name, graphs in variants.items():
                found[name].append(self.replay_us(graphs, replays) / gathers)
        return found
