"""The whole path between two real processes on the CPU, and what is said where nothing can be measured."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pinproof.kernels.measure.main import main
from pinproof.kernels.measure.plot import plot
from pinproof.kernels.measure.result import decode


def processes(arguments: list[str], folder: Path) -> list[subprocess.CompletedProcess[str]]:
    """Run two ranks as torchrun would start them."""
    environment = os.environ | {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "OMP_NUM_THREADS": "1"}
    environment |= {"MASTER_PORT": str(29500 + os.getpid() % 20000), "CUDA_VISIBLE_DEVICES": ""}
    command = [sys.executable, "-m", "pinproof.kernels.measure", *arguments]
    started = [
        subprocess.Popen(
            command,
            cwd=folder,
            env=environment | {"RANK": str(rank)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]
    done = []
    for process in started:
        out, err = process.communicate(timeout=120)
        done.append(subprocess.CompletedProcess(command, process.returncode, out, err))
    return done


def test_two_processes_measure_and_write(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("matplotlib")
    how = ["--rows", "1,3", "--variants", "torch", "--samples", "3", "--replays", "2", "--gathers", "4"]
    into = ["--json", "a.json", "--plot", "a.svg", "--plot", "a.png"]
    first, second = processes(["bench", "gather", *how, *into], tmp_path)
    assert (first.returncode, second.returncode, second.stdout) == (0, 0, ""), first.stderr + second.stderr
    result = decode((tmp_path / "a.json").read_bytes())
    assert (result.world, result.emulated, result.gathers) == (2, False, 4)
    assert [(line.rows, list(line.samples), len(line.samples["torch"])) for line in result.lines] == [
        (1, ["torch"], 3),
        (3, ["torch"], 3),
    ]
    assert all(line.exact["torch"] for line in result.lines)
    assert "component, 2 ranks, processes on one host's CPU, gloo; says nothing about a whole model" in first.stdout
    assert "emulated" not in first.stdout
    assert (tmp_path / "a.svg").read_text().startswith("<?xml")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG\r\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.json", "a.png", "a.svg"]


def test_without_a_gpu_nothing_is_measured(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    assert main(["bench", "gather"]) == 2
    assert capsys.readouterr().err == (
        "not run: there is no CUDA device to emulate ranks on; start several processes with torchrun\n"
    )


def test_evidence_outside_of_the_project_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    arguments = ["--json", str(tmp_path / "a.json"), "--table", str(tmp_path / "a.toml"), "--root", str(tmp_path / "b")]
    assert main(["tune", "gather", *arguments]) == 2
    assert "is not below the project's root" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_tuning_without_what_all_is_held_against(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    arguments = ["--json", "a.json", "--table", "a.toml", "--variants", "push:1"]
    assert main(["tune", "gather", *arguments]) == 2
    assert capsys.readouterr().err == "error: --variants lacks pull:1, which all else is held against\n"


def test_a_plot_of_another_kind_is_refused(tmp_path: Path) -> None:
    empty = decode(
        json.dumps(
            {
                "schema": 1,
                "kind": "pinproof gather measurement",
                "world": 2,
                "emulated": True,
                "topology": "t",
                "device": "d",
                "date": "2026-12-01T13:00:00Z",
                "command": "c",
                "versions": {},
                "telemetry": {},
                "gathers": 1,
                "lines": [],
            }
        ).encode()
    )
    with pytest.raises(ValueError, match=r"expected \.png or \.svg"):
        plot(empty, tmp_path / "a.pdf")
