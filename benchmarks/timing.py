"""Timing of gathers in CUDA graphs, shared by the benchmarks."""

from __future__ import annotations

import datetime
import json
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch


def graph_of(launch: Callable[[], object]) -> torch.cuda.CUDAGraph:
    """Return a CUDA graph of what `launch` launches, after two runs outside of it."""
    for _ in range(2):
        launch()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=torch.cuda.Stream()):
        launch()
    return graph


def replay_us(graph: torch.cuda.CUDAGraph, replays: int) -> float:
    """Return microseconds a replay."""
    start, end = (torch.cuda.Event(enable_timing=True) for _ in "se")
    start.record()
    for _ in range(replays):
        graph.replay()
    end.record()
    torch.cuda.synchronize()
    return float(start.elapsed_time(end)) * 1e3 / replays


def alternate(
    graphs: Mapping[str, torch.cuda.CUDAGraph],
    *,
    samples: int,
    replays: int,
    gathers: int,
) -> dict[str, list[float]]:
    """Return microseconds a gather of each graph of `gathers` gathers.

    Every round samples each graph once, in random order: a graph that always follows the same one is timed with it.
    """
    order = random.Random(0)  # noqa: S311
    for graph in graphs.values():
        for _ in range(2):
            replay_us(graph, replays)
    found: dict[str, list[float]] = {name: [] for name in graphs}
    for _ in range(samples):
        for name in order.sample(list(graphs), len(graphs)):
            found[name].append(replay_us(graphs[name], replays) / gathers)
    return found


def median(samples: list[float]) -> float:
    return round(statistics.median(samples), 3)


def machine() -> dict[str, Any]:
    """Return what a result depends on: device, driver, clocks, versions, date, command."""
    query = "name,driver_version,clocks.sm,clocks.mem,power.draw,temperature.gpu,clocks_throttle_reasons.active"
    said = subprocess.run(
        ["nvidia-smi", f"--query-gpu={query}", "--format=csv,noheader"], capture_output=True, text=True, check=False
    )
    return {
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "command": " ".join(["python", "-m", f"benchmarks.{Path(sys.argv[0]).stem}", *sys.argv[1:]]),
        "device": torch.cuda.get_device_name(),
        "nvidia-smi": dict(zip(query.split(","), said.stdout.strip().split("\n")[0].split(", "), strict=False)),
        "python": platform.python_version(),
        "torch": torch.__version__,
        "cuda": torch.version.cuda,
    }


def write_json(path: Path, result: Mapping[str, Any]) -> None:
    """Write `result` whole or not at all."""
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(result, file, indent=1)
        file.write("\n")
    Path(temporary).replace(path)
