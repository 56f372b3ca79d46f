"""`pinproof report`: the validation section of a pull request."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pinproof.kernels.checkout import Checkout
from pinproof.kernels.record import CaseResult, CheckResult, Machine, Measurement
from pinproof.verify.evidence.markdown import plain

Run = Callable[..., tuple[int, str]]


@pytest.fixture
def report(project: Any, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    def call(*records: tuple[Any, dict[str, Any]]) -> str:
        monkeypatch.chdir(tmp_path)
        names = []
        for number, (checks, changes) in enumerate(records):
            names.append(f"r{number}.json")
            project.record(tmp_path / names[-1], checks, **changes)
        code, said = run("report", *names, "--format", "markdown", "--project", project.root)
        assert code == 0
        return said

    return call


def test_the_whole_section(
    project: Any, report: Callable[..., str], cpu: Any, gpu: Any, h200: Machine, measurement: Measurement
) -> None:
    said = report((cpu[:3], {}), (gpu, {"machine": h200, "measurements": [measurement]}))
    short = project.head[:12]
    assert (
        said
        == f"""## Validation

Held against commit `{project.head}`.

Records:

- r0.json: commit `{short}`, clean tree, 2026-12-03; unsigned
- r1.json: commit `{short}`, clean tree, 2026-12-03, NVIDIA H200, driver 570.1, 2, 16 ranks, emulated in one process, \
torch 2.11.0, triton 3.6.0; unsigned

What ran:

- pins: passed (r0.json)
- lock: passed (r0.json)
- policy: 5 passed (r0.json)
- gpu: 214 passed, 1 not run on NVIDIA H200 (r1.json)

What did not run:

- 1 of the gpu tests: needs SM12x (r1.json)

Measurements:

- paired gather, 8 rows, 2 row blocks: 4.5 us (component, sixteen emulated ranks on one NVIDIA H200; says nothing \
about a whole model). median of 9, 64 gathers a CUDA graph
"""
    )


def test_what_did_not_run_is_said(report: Callable[..., str], cpu: Any) -> None:
    said = report((cpu, {}))
    assert "What did not run:\n\n- gpu: no CUDA device (r0.json)\n" in said
    assert "gpu: passed" not in said


def test_what_failed_is_said_first_by_name_then_by_count(report: Callable[..., str]) -> None:
    cases = tuple(CaseResult(f"test_{number:02}", "failed") for number in range(23))
    said = report(([CheckResult("policy-tests", "failed", "23 of 23 failed", cases)], {}))
    assert "What failed:\n\n- policy-tests: 23 failed: 23 of 23 failed (r0.json)\n  - `test_00`\n" in said
    assert "  - `test_19`\n  - and 3 more\n" in said
    assert "What ran:" not in said


def test_a_record_that_does_not_count_shows_nothing(
    report: Callable[..., str], gpu: Any, project: Any, measurement: Measurement
) -> None:
    said = report((gpu, {"checkout": Checkout(project.head, dirty=True), "measurements": [measurement]}))
    assert "No record counts: nothing is shown to have run." in said
    assert "- r0.json: dirty tree; files differed from the commit when it was made" in said
    assert "214 passed" not in said
    assert "4.5 us" not in said


def test_outside_of_a_checkout(run: Run, project: Any, gpu: Any, tmp_path: Path) -> None:
    record = project.record(tmp_path / "r.json", gpu)
    code, said = run("report", record, "--project", tmp_path)
    assert code == 0
    assert "Not held against any commit: this is no git checkout." in said


def test_a_signature(run: Run, project: Any, gpu: Any, tmp_path: Path, keys: Path, allow: Callable[..., Path]) -> None:
    record = project.record(tmp_path / "r.json", gpu)
    run("sign", record, "--key", keys / "alice")
    assert "; signed, not verified\n" in run("report", record, "--project", project.root)[1]
    signers = allow("alice", principal="alice")
    assert "; signed by alice\n" in run("report", record, "--project", project.root, "--allowed-signers", signers)[1]


def test_a_number_for_a_whole_model_keeps_its_scope(
    report: Callable[..., str], gpu: Any, measurement: Measurement
) -> None:
    whole = dataclasses.replace(measurement, name="decode", scope="whole model, sixteen GPUs", conditions="")
    assert "- decode: 4.5 us (whole model, sixteen GPUs)\n" in report((gpu, {"measurements": [whole]}))


def test_foreign_text_stays_text(report: Callable[..., str], gpu: Any) -> None:
    evil = "x](https://evil.example.org) @maintainer #1 <img src=x> `code`\n## All checks passed\n- gpu: 9999 passed"
    line = evil.replace("\n", " ")
    machine = Machine({}, evil, evil)
    skipped = [CheckResult("gpu", "not_run", evil)]
    said = report((skipped, {"machine": machine, "measurements": [Measurement("m", 1.0, "us", line, evil)]}))
    escaped = evil.replace("\n", "\\n")
    assert said.count(f"``{escaped}``") == 5
    assert f"(``{line}``)" in said
    assert "\n## All checks passed" not in said


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("NVIDIA H200", "NVIDIA H200"),
        ("torch 2.11.0+cu130 (a/b)", "torch 2.11.0+cu130 (a/b)"),
        ("@who", "`@who`"),
        ("#12", "`#12`"),
        ("snake_case", "`snake_case`"),
        ("see www.example.org", "`see www.example.org`"),
        ("https://example.org", "`https://example.org`"),
        ("`", "`` ` ``"),
        ("a `` b", "```a `` b```"),
        ("a\nb", "`a\\nb`"),
        ("\u202ex", "`\\u202ex`"),
    ],
)
def test_plain(text: str, expected: str) -> None:
    assert plain(text) == expected
