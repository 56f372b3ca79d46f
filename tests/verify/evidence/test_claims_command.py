"""`pinproof claims` as a command."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pinproof.kernels.checkout import Checkout

Run = Callable[..., tuple[int, str]]


@pytest.fixture
def claims(project: Any, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[int, str]]:
    monkeypatch.chdir(tmp_path)

    def call(text: str, *arguments: str) -> tuple[int, str]:
        Path("pr.md").write_text(text)
        return run("claims", "pr.md", *arguments, "--project", project.root)

    return call


def test_supported_and_contradicted(claims: Callable[..., tuple[int, str]], project: Any, gpu: Any, h200: Any) -> None:
    project.record(Path("gpu.json"), gpu, machine=h200)
    code, said = claims("Fix.\n\n214 GPU tests passed.\nAll 215 GPU tests pass.\n", "--evidence", "gpu.json")
    assert code == 1
    assert said == (
        "supported    pr.md:3: '214 gpu tests passed': gpu 214 passed, 1 not run (gpu.json)\n"
        "contradicted pr.md:4: '215 gpu tests pass': the records say: gpu 214 passed, 1 not run (gpu.json)\n"
        "1 supported, 1 contradicted\n"
    )
    assert claims("214 GPU tests passed.", "--evidence", "gpu.json")[0] == 0


def test_several_records_after_one_option(
    claims: Callable[..., tuple[int, str]], project: Any, gpu: Any, cpu: Any
) -> None:
    project.record(Path("gpu.json"), gpu)
    project.record(Path("cpu.json"), cpu)
    assert claims("All tests pass.", "--evidence", "gpu.json", "cpu.json")[0] == 0
    assert claims("All tests pass.", "--evidence", "gpu.json", "--evidence", "cpu.json")[0] == 0
    assert claims("All tests pass.", "--evidence", ".")[0] == 0
    assert claims("All tests pass.", "--evidence", "cpu.json")[0] == 1


def test_unsupported_claims_can_be_allowed(claims: Callable[..., tuple[int, str]], project: Any, gpu: Any) -> None:
    project.record(Path("gpu.json"), gpu)
    text = "It takes 3 us."
    assert claims(text, "--evidence", "gpu.json")[0] == 1
    assert claims(text, "--evidence", "gpu.json", "--allow-unsupported")[0] == 0
    assert claims("215 GPU tests pass.", "--evidence", "gpu.json", "--allow-unsupported")[0] == 1


def test_without_records_nothing_is_supported(claims: Callable[..., tuple[int, str]]) -> None:
    code, said = claims("41 tests pass. GPU tests were not rerun. 7% faster, validated.")
    assert code == 1
    assert [line.split()[0] for line in said.splitlines()] == [
        "unsupported",
        "supported",
        "unsupported",
        "unsupported",
        "1",
    ]


def test_a_record_that_does_not_count(claims: Callable[..., tuple[int, str]], project: Any, gpu: Any) -> None:
    project.record(Path("gpu.json"), gpu, checkout=Checkout(project.head, dirty=True))
    code, said = claims("214 GPU tests passed.", "--evidence", "gpu.json")
    assert code == 1
    assert said.startswith(
        "unsupported  pr.md:1: '214 gpu tests passed': only gpu.json says so, and it does not count: dirty tree: "
    )


def test_a_damaged_record_supports_nothing(claims: Callable[..., tuple[int, str]]) -> None:
    Path("gpu.json").write_text("{")
    assert claims("214 GPU tests passed.", "--evidence", "gpu.json")[0] == 1


def test_json(claims: Callable[..., tuple[int, str]], project: Any, gpu: Any, measurement: Any, h200: Any) -> None:
    project.record(Path("gpu.json"), gpu, machine=h200, measurements=[measurement])
    text = "Decode throughput: the paired gather takes 4.5 us at 8 rows end to end."
    code, said = claims(text, "--evidence", "gpu.json", "--format", "json")
    assert code == 1
    (claim,) = json.loads(said)["claims"]
    scope = "component, sixteen emulated ranks on one NVIDIA H200"
    assert claim == {
        "line": 1,
        "kind": "latency",
        "quote": "4.5 us",
        "verdict": "contradicted",
        "overreach": True,
        "reason": f"a component figure presented as a whole-model effect: recorded as '{scope}'",
        "record": "gpu.json",
    }


def test_standard_input(run: Run, project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    class Input:
        buffer = io.BytesIO(b"All tests pass.")

        @staticmethod
        def isatty() -> bool:
            return False

    monkeypatch.setattr(sys, "stdin", Input)
    code, said = run("claims", "-", "--project", project.root)
    assert code == 1
    assert "unsupported  -:1: 'all tests pass': no record speaks of it" in said


def test_no_claims(claims: Callable[..., tuple[int, str]]) -> None:
    assert claims("Fix a typo.") == (0, "no claims found\n")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\xff", "pr.md: is not UTF-8: byte 0xff at offset 0"),
        (b"x" * (1024 * 1024 + 1), "pr.md: has 1048577 bytes, more than the limit of 1048576"),
        (None, "pr.md: does not exist"),
    ],
)
def test_a_text_that_cannot_be_read(
    run: Run, project: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: bytes | None, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    if data is not None:
        Path("pr.md").write_bytes(data)
    code, said = run("claims", "pr.md", "--project", project.root)
    assert code == 2
    assert message in said


def test_a_text_cannot_forge_a_line(claims: Callable[..., tuple[int, str]]) -> None:
    code, said = claims("validated \x1b[2J\u202e on\r\n::error::forged H200\n")
    assert code == 1
    assert "\x1b" not in said
    assert "\u202e" not in said
    assert not any(line.startswith("::") for line in said.splitlines())
