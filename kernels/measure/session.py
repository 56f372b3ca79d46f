"""The measurement protocol: alternating samples, bytes compared before and after, the state of the GPU recorded."""

from __future__ import annotations

import datetime
import platform
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import torch

from . import telemetry
from .harness import Harness
from .result import Line, Result, Variant


def measure(
    harness: Harness,
    rows: Sequence[int],
    variants: Sequence[Variant],
    *,
    samples: int,
    replays: int,
    command: str,
    progress: Callable[[str], object] = lambda _: None,
) -> Result:
    """Measure every variant at every number of rows.

    Args:
        harness: where the ranks live.
        rows: numbers of physical rows.
        variants: those that cannot be measured at a number of rows are left out there.
        samples: of each variant; one of each in turn: A B A B.
        replays: a sample.
        command: that repeats it.
        progress: told what is measured next.
    """
    before = _state()
    lines = [_line(harness, number, variants, samples, replays, progress) for number in rows]
    return Result(
        world=harness.world,
        emulated=harness.emulated,
        topology=harness.topology,
        device=_device(),
        date=datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        command=command,
        versions=_versions(),
        telemetry={"before": before, "after": _state()},
        gathers=harness.gathers,
        lines=tuple(lines),
    )


def _line(
    harness: Harness,
    rows: int,
    variants: Sequence[Variant],
    samples: int,
    replays: int,
    progress: Callable[[str], object],
) -> Line:
    prepared = {}
    for variant in harness.variants(rows, variants):
        progress(f"{rows} rows, {variant}")
        prepared[str(variant)] = harness.prepare(variant, rows)
    exact = {name: one.right() for name, one in prepared.items()}
    for one in prepared.values():
        one.replay_us(replays)
    taken: dict[str, list[float]] = {name: [] for name in prepared}
    for _ in range(samples):
        for name, one in prepared.items():
            taken[name].append(one.replay_us(replays) / harness.gathers)
    exact = {name: one.right() and exact[name] for name, one in prepared.items()}
    return Line(rows, {name: tuple(found) for name, found in taken.items()}, exact)


def _device() -> str:
    return torch.cuda.get_device_name() if torch.cuda.is_available() else f"CPU {platform.machine()}"


def _state() -> dict[str, Any]:
    if not torch.cuda.is_available():
        return {"not recorded": "there is no GPU"}
    return telemetry.read(f"GPU-{torch.cuda.get_device_properties(torch.cuda.current_device()).uuid}")


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version(), "torch": torch.__version__}
    if torch.version.cuda:
        found["cuda"] = torch.version.cuda
    for name in ("pinproof", "triton"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
