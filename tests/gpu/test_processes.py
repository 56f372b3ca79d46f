"""The public class between real processes: on one GPU they share it, on several each has its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import torch

from pinproof.kernels.backend import TransportName

from .ranks import LIMIT_S

ROOT = Path(__file__).resolve().parents[2]
TRANSPORTS: tuple[TransportName, ...] = ("pull", "push")
WORLDS = sorted({2, 4} | {world for world in (8, 16) if world <= torch.cuda.device_count()})


class Played(NamedTuple):
    world: int
    transport: str
    ranks: list[dict[str, Any]]


def run(scenarios: str, transport: str, world: int, folder: Path, *, dies: int | None = None) -> list[dict[str, Any]]:
    """Run the ranks to their end, and return what each left; `dies` is the rank that may not come back."""
    environment = os.environ | {"LOCAL_WORLD_SIZE": str(world), "OMP_NUM_THREADS": "1"}
    if world > torch.cuda.device_count():
        environment["TORCH_SYMM_MEM_ALLOW_OVERLAPPING_DEVICES"] = "1"
    processes = []
    for rank in range(world):
        command = [sys.executable, "-m", "tests.gpu.ranks", scenarios, transport, str(rank), str(world), str(folder)]
        with (folder / f"{rank}.log").open("w") as log:
            processes.append(subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log))
    try:
        codes = [process.wait(timeout=150) for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.wait()
    logs = "\n".join((folder / f"{rank}.log").read_text()[-3000:] for rank in range(world))
    assert [code for rank, code in enumerate(codes) if rank != dies] == [0] * (world - (dies is not None)), logs
    return [json.loads((folder / f"{rank}.json").read_text()) for rank in range(world) if rank != dies]


@pytest.fixture(scope="module", params=[(w, t) for w in WORLDS for t in TRANSPORTS], ids=lambda p: f"{p[0]}-{p[1]}")
def played(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Played:
    """What all ranks but the last left, which was killed in the end."""
    world, transport = request.param
    results = run("eager,graphs,killed", transport, world, tmp_path_factory.mktemp("ranks"), dies=world - 1)
    return Played(world, transport, results)


def test_eager(played: Played) -> None:
    assert len(played.ranks) == played.world - 1
    for said in (rank["eager"] for rank in played.ranks):
        assert said["failures"] == []
        assert said["backend"] == "triton"
        assert said["row_blocks"] == {"None": [1, 1, 1, 1, 1, 1, 1, 2, *[1] * 8], "3": [3] * 16}
        assert said["notes"] == [f"transport {played.transport}", "waits up to 60 s on the device"]


def test_graphs(played: Played) -> None:
    assert [rank["graphs"]["failures"] for rank in played.ranks] == [[]] * (played.world - 1)


def test_killed_rank_is_an_error_on_the_others_within_the_limit(played: Played) -> None:
    for said in (rank["killed"] for rank in played.ranks):
        assert said["right"]
        assert LIMIT_S * 0.9 < said["waited"] < LIMIT_S + 5
        assert said["nan"]
        assert said["said"].startswith(f"rank {played.world - 1} did not arrive within 3 s: rank ")


def test_refusals(tmp_path: Path) -> None:
    for said in (rank["refusals"] for rank in run("refusals", "pull", 2, tmp_path)):
        assert said["right"]
        starts = {name: text.partition(":")[0] for name, text in said["said"].items() if name != "closed"}
        assert starts == dict.fromkeys(
            ("dtype", "width", "rows", "rows differ", "contiguous", "aligned", "overlap", "device", "output"),
            "ValueError",
        )
        assert "latent_local" in said["said"]["aligned"]
        assert "16" in said["said"]["aligned"]
        assert "overlap" in said["said"]["overlap"]
        assert "cpu" in said["said"]["device"]
        assert said["said"]["closed"] == "the gather is closed"


@pytest.mark.parametrize("world", [2, 4, 8])
def test_nccl(world: int, tmp_path: Path) -> None:
    if torch.cuda.device_count() < world:
        pytest.skip(f"NCCL needs {world} GPUs, this machine has {torch.cuda.device_count()}")
    for said in (rank["nccl"] for rank in run("nccl", "pull", world, tmp_path)):
        assert said["failures"] == []
        assert said["backend"] == "triton"
