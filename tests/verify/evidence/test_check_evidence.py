"""`pinproof check --evidence`, and what a check says about records of earlier runs."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pinproof.kernels.checkout import Checkout
from pinproof.kernels.record import CaseResult, CheckResult
from pinproof.kernels.subjects import subjects
from pinproof.verify.checks import CHECKS
from pinproof.verify.evidence.machine import this_machine
from pinproof.verify.evidence.record import parse_record, read_record
from pinproof.verify.evidence.recorded import recorded
from pinproof.verify.evidence.writer import RunRecord
from pinproof.verify.model import Case, Check, Finding, Outcome, Report, Severity, Status, Tally

Run = Callable[..., tuple[int, str]]


def test_a_run_writes_its_record(project: Any, run: Run, tmp_path: Path) -> None:
    lock = 'version = 1\n\n[[package]]\nname = "p"\nversion = "1"\nsource = { virtual = "." }\n'
    project.commit("a real lock", {"uv.lock": lock})
    code, _ = run("check", project.root, "--static", "--evidence", tmp_path / "r.json")
    record = read_record(tmp_path / "r.json")
    assert (record.commit, record.dirty) == (project.head, False)
    assert record.subjects == subjects(project.root)
    assert [check.name for check in record.checks] == [check.name for check in CHECKS if not check.opt_in]
    policy, gpu = record.check("policy"), record.check("gpu")
    assert policy is not None
    assert (policy.status, policy.passed) == ("passed", 5)
    assert "policy::8 rows -> 2 row blocks" in record.tests["passed"]
    assert gpu is not None
    assert gpu.status == "not_run"
    assert record.result in ("WARNED", "FAILED")
    assert code == (1 if record.result == "FAILED" else 0)
    assert set(record.versions) >= {"python", "pinproof", "uv"}


def test_a_required_check_that_did_not_run_makes_the_result_failed(project: Any, run: Run, tmp_path: Path) -> None:
    run("check", project.root, "--static", "--require", "gpu", "--evidence", tmp_path / "r.json")
    assert read_record(tmp_path / "r.json").result == "FAILED"


def test_a_record_that_cannot_be_written(project: Any, run: Run, tmp_path: Path) -> None:
    code, said = run("check", project.root, "--static", "--evidence", tmp_path / "missing" / "r.json")
    assert code == 2
    assert "cannot be written" in said


def test_a_project_that_no_digest_covers(project: Any, run: Run, tmp_path: Path) -> None:
    (project.root / "kernels/link.py").symlink_to("gather.py")
    code, said = run("check", project.root, "--static", "--evidence", tmp_path / "r.json")
    assert code == 2
    assert "no record can be made: 'kernels/link.py' is a symbolic link" in said
    assert not (tmp_path / "r.json").exists()


def _check(name: str) -> Check:
    return Check("TST001", name, "")


def _finding(severity: Severity) -> Finding:
    return Finding(code="TST001", message="something", severity=severity)


GOOD, BAD = Case(name="a", status=Status.PASSED), Case(name="b", status=Status.FAILED)
SKIPPED = Case(name="c", status=Status.NOT_RUN, reason="why")
OUTCOMES = [
    (Outcome(check=_check("x"), status=Status.PASSED), "passed", "PASSED"),
    (Outcome(check=_check("x"), status=Status.PASSED, findings=(_finding(Severity.WARNING),)), "passed", "WARNED"),
    (Outcome(check=_check("x"), status=Status.FAILED, findings=(_finding(Severity.ERROR),)), "failed", "FAILED"),
    (Outcome(check=_check("x"), status=Status.ERRORED, reason="a bug"), "errored", "FAILED"),
    (Outcome(check=_check("x"), status=Status.NOT_RUN, reason="why"), "not_run", "WARNED"),
    (
        Outcome(check=_check("x"), status=Status.PASSED, tally=Tally(detail="", cases=(GOOD, SKIPPED))),
        "passed",
        "WARNED",
    ),
    # Configuration softened the findings of failed cases: the record does not.
    (Outcome(check=_check("x"), status=Status.PASSED, tally=Tally(detail="", cases=(GOOD, BAD))), "failed", "FAILED"),
    (Outcome(check=_check("x"), status=Status.PASSED, tally=Tally(detail="", cases=(SKIPPED,))), "not_run", "WARNED"),
    (
        Outcome(
            check=_check("x"),
            status=Status.PASSED,
            findings=(_finding(Severity.WARNING),),
            tally=Tally(detail="", cases=(GOOD,)),
        ),
        "passed",
        "WARNED",
    ),
]


@pytest.mark.parametrize(("outcome", "status", "result"), OUTCOMES)
def test_every_outcome_gives_a_record_that_can_be_read(
    project: Any, outcome: Outcome, status: str, result: str
) -> None:
    made = RunRecord(project.root).statement(Report(root=".", outcomes=(outcome,)))
    record = parse_record("r.json", json.dumps(made).encode())
    assert (record.checks[0].status, record.result) == (status, result)


def test_findings_that_were_set_aside_are_counted(project: Any) -> None:
    outcome = Outcome(check=_check("x"), status=Status.PASSED, ignored=((_finding(Severity.ERROR), "accepted"),))
    made = RunRecord(project.root).statement(Report(root=".", outcomes=(outcome,)))
    assert made["predicate"]["pinproof"]["checks"][0]["reason"] == "1 findings set aside by configuration"


def test_the_machine_is_read_not_asked(tmp_path: Path) -> None:
    for number in range(2):
        (tmp_path / f"driver/gpus/{number}").mkdir(parents=True)
        (tmp_path / f"driver/gpus/{number}/information").write_text("Model: \t\t NVIDIA H200\nIRQ: 1\n")
    (tmp_path / "driver/version").write_text(
        "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.124.06  Release Build\nGCC version: 12\n"
    )
    info = tmp_path / "env/lib/python3.12/site-packages/torch-2.11.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: torch\nVersion: 2.11.0\n")
    found = this_machine(tmp_path / "env", driver=tmp_path / "driver")
    assert (found.device, found.driver, found.versions["torch"]) == ("2 x NVIDIA H200", "570.124.06", "2.11.0")
    without = this_machine(tmp_path / "none", driver=tmp_path / "none")
    assert (without.device, without.driver) == (None, None)
    assert "torch" not in without.versions


class TestRecorded:
    @pytest.fixture
    def place(self, project: Any) -> Path:
        folder: Path = project.root / "evidence"
        folder.mkdir()
        return folder / "gpu.json"

    def test_a_matching_record(self, project: Any, place: Path, gpu: Any, h200: Any) -> None:
        project.record(place, gpu, machine=h200)
        said = "recorded: 214 cases, 1 not run on NVIDIA H200, 2026-12-03, digests match, unsigned"
        assert recorded(project.root, "gpu") == said
        Path(f"{place}.sig").write_text("")
        assert recorded(project.root, "gpu") == said.replace("unsigned", "signed, not verified")

    def test_no_record(self, project: Any, place: Path, gpu: Any) -> None:
        assert recorded(project.root, "gpu") is None
        project.record(place, gpu)
        assert recorded(project.root, "policy") is None

    def test_a_record_of_other_files(self, project: Any, place: Path, gpu: Any) -> None:
        project.record(place, gpu)
        (project.root / "kernels/gather.py").write_text("changed")
        assert recorded(project.root, "gpu") == "1 earlier record about other files"

    @pytest.mark.parametrize("status", ["failed", "not_run"])
    def test_a_record_that_is_no_pass(self, project: Any, place: Path, status: str) -> None:
        project.record(place, [CheckResult("gpu", status, "", (CaseResult("a", status),))])
        assert recorded(project.root, "gpu") is None

    def test_a_record_of_a_dirty_tree(self, project: Any, place: Path, gpu: Any) -> None:
        project.record(place, gpu, checkout=Checkout(project.head, dirty=True))
        assert recorded(project.root, "gpu") == "1 earlier record about other files"

    def test_damaged_and_linked_records_are_passed_over(
        self, project: Any, place: Path, gpu: Any, tmp_path: Path
    ) -> None:
        place.write_text("{")
        (place.parent / "link.json").symlink_to(project.record(tmp_path / "r.json", gpu))
        assert recorded(project.root, "gpu") is None
        shutil.rmtree(place.parent)
        (tmp_path / "elsewhere").mkdir()
        project.record(tmp_path / "elsewhere/r.json", gpu)
        place.parent.symlink_to(tmp_path / "elsewhere")
        assert recorded(project.root, "gpu") is None

    def test_the_reason_of_the_gpu_check_mentions_it(self, project: Any, run: Run, place: Path, gpu: Any) -> None:
        project.commit("configure", {"pyproject.toml": "[tool.pinproof.tests]\ngpu = ['tests/gpu']\n"})
        project.record(place, gpu)
        code, said = run("check", project.root, "--select", "gpu", "--require", "gpu")
        assert code == 1
        assert "not run" in said
        assert "; recorded: 214 cases, 1 not run, 2026-12-03, digests match, unsigned (required)" in said


def test_a_record_is_of_one_project(project: Any, run: Run, tmp_path: Path) -> None:
    code, said = run("check", project.root, project.root, "--evidence", tmp_path / "r.json")
    assert code == 2
    assert "--evidence writes the record of one project, but 2 are checked" in said
