"""The protocol on a harness whose times are given: in which order it measures, and what becomes of that."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import pytest

pytest.importorskip("torch")

from pinproof.kernels.measure import main as command
from pinproof.kernels.measure.harness import Harness, Prepared
from pinproof.kernels.measure.result import Variant, decode
from pinproof.kernels.measure.session import measure
from pinproof.policy import load

TIMES = {"pull:1": 40.0, "pull:2": 20.0, "push:1": 80.0}
"""Microseconds a replay."""


class Given(Harness):
    """Takes `TIMES`, writes down what is asked of it, and is wrong where it is told to be."""

    world = 4
    emulated = True
    topology = "4 ranks of a test"
    gathers = 4

    def __init__(self, wrong: tuple[str, int] = ("", 0)) -> None:
        self.wrong = wrong
        self.asked: list[str] = []

    def variants(self, rows: int, asked: Sequence[Variant]) -> list[Variant]:
        return [variant for variant in asked if variant.row_blocks <= rows]

    def prepare(self, variant: Variant, rows: int) -> Prepared:
        return OneGiven(self, str(variant))


class OneGiven(Prepared):
    def __init__(self, harness: Given, name: str) -> None:
        self.harness, self.name, self.comparisons = harness, name, 0

    def replay_us(self, replays: int) -> float:
        self.harness.asked.append(f"time {self.name}")
        return TIMES[self.name]

    def right(self) -> bool:
        self.comparisons += 1
        self.harness.asked.append(f"compare {self.name}")
        return self.harness.wrong != (self.name, self.comparisons)


def measured(harness: Given, rows: Sequence[int] = (2,)) -> dict[str, bool]:
    variants = [Variant("pull", 1), Variant("pull", 2)]
    result = measure(harness, rows, variants, samples=3, replays=1, command="a test")
    assert [line.samples for line in result.lines if line.rows == 2] == [{"pull:1": (10.0,) * 3, "pull:2": (5.0,) * 3}]
    return dict(result.lines[0].exact)


def test_samples_alternate_between_two_comparisons() -> None:
    harness = Given()
    assert measured(harness) == {"pull:1": True, "pull:2": True}
    compared, timed = ["compare pull:1", "compare pull:2"], ["time pull:1", "time pull:2"]
    assert harness.asked == compared + timed + timed * 3 + compared


@pytest.mark.parametrize("comparison", [1, 2])
def test_wrong_bytes_before_or_after_count(comparison: int) -> None:
    assert measured(Given(("pull:2", comparison))) == {"pull:1": True, "pull:2": False}


def run(monkeypatch: pytest.MonkeyPatch, folder: Path, harness: Given, *more: str) -> int:
    monkeypatch.setattr(command, "_harness", lambda _: (harness, True))
    monkeypatch.chdir(folder)
    sizes = ["--rows", "1,2", "--samples", "3", "--variants", ",".join(TIMES)]
    return command.main([*more[:1], "gather", *sizes, *more[1:]])


def test_tuning_writes_a_table_and_its_evidence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert run(monkeypatch, tmp_path, Given(), "tune", "--json", "a.json", "--table", "a.toml") == 0
    policy, data = load(tmp_path / "a.toml"), (tmp_path / "a.json").read_bytes()
    assert (policy.transport, dict(policy.table), policy.provenance.evidence) == ("pull", {2: 2}, "a.json")
    assert policy.provenance.evidence_sha256 == hashlib.sha256(data).hexdigest()
    assert [list(line.samples) for line in decode(data).lines] == [["pull:1", "push:1"], list(TIMES)]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.json", "a.toml"]
    assert decode(data).command == (
        "python -m pinproof.kernels.measure tune gather --rows 1,2 --samples 3 --variants pull:1,pull:2,push:1 "
        "--json a.json --table a.toml"
    )


def test_wrong_bytes_are_an_exit_code_of_one_and_no_row_blocks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    wrong = Given(("pull:2", 2))
    assert run(monkeypatch, tmp_path, wrong, "tune", "--json", "a.json", "--table", "a.toml") == 1
    assert dict(load(tmp_path / "a.toml").table) == {}


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (
            ["--against", "torch"],
            "error: --against torch is none of --variants, expected one of pull:1, pull:2, push:1\n",
        ),
        (["--plot", "a.pdf"], "error: a.pdf ends in '.pdf', expected .png or .svg\n"),
    ],
)
def test_what_could_not_be_reported_is_refused_before_measuring(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    option: list[str],
    message: str,
) -> None:
    harness = Given()
    assert run(monkeypatch, tmp_path, harness, "bench", "--json", "a.json", *option) == 2
    assert (capsys.readouterr().err, harness.asked, list(tmp_path.iterdir())) == (message, [], [])
