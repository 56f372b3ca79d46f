"""`pinproof gate`: a table of everything that keeps it shut, each with its reason, and what opens it."""

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

Run = Callable[..., tuple[int, str]]
ALL = ("--require", "pins,lock,policy,gpu")


class Scene:
    """Two good records, outside of the checkout: one of a machine without a GPU, one of a machine with one."""

    def __init__(self, project: Any, folder: Path, cpu: Any, gpu: Any, machine: Any, keys: Path, allow: Any) -> None:
        self.project, self.keys, self.allow = project, keys, allow
        self.cpu_checks, self.gpu_checks, self.machine = cpu, gpu, machine
        folder.mkdir()
        self.cpu, self.gpu = folder / "cpu.json", folder / "gpu.json"
        self.record()

    def record(self, **changes: Any) -> None:
        self.project.record(self.cpu, self.cpu_checks)
        self.record_gpu(**changes)

    def record_gpu(self, checks: Any = None, **changes: Any) -> None:
        self.project.record(self.gpu, checks or self.gpu_checks, machine=self.machine, **changes)

    def sign(self, run: Run, *records: Path, key: str = "alice") -> None:
        for record in records:
            assert run("sign", record, "--key", self.keys / key)[0] == 0

    def gate(self, run: Run, *arguments: str | Path, records: tuple[Path, ...] = ()) -> tuple[int, str]:
        return run("gate", *(records or (self.cpu, self.gpu)), *ALL, "--project", self.project.root, *arguments)


@pytest.fixture
def scene(project: Any, tmp_path: Path, cpu: Any, gpu: Any, h200: Any, keys: Path, allow: Callable[..., Path]) -> Scene:
    return Scene(project, tmp_path / "records", cpu, gpu, h200, keys, allow)


def test_two_machines_together_open_it(scene: Scene, run: Run) -> None:
    code, said = scene.gate(run)
    assert code == 0
    assert said.replace(str(scene.cpu.parent), "R") == (
        f"the gate opens for the commit {scene.project.head}\n"
        "  passed   pins: passed, 2026-12-03, unsigned (R/cpu.json)\n"
        "  passed   lock: passed, 2026-12-03, unsigned (R/cpu.json)\n"
        "  passed   policy: 5 passed, 2026-12-03, unsigned (R/cpu.json)\n"
        "  passed   gpu: 214 passed, 1 not run on NVIDIA H200, 2026-12-03, unsigned (R/gpu.json)\n"
    )


def test_a_folder_of_records(scene: Scene, run: Run) -> None:
    assert scene.gate(run, records=(scene.cpu.parent,))[0] == 0
    empty = scene.cpu.parent / "empty"
    empty.mkdir()
    code, said = scene.gate(run, records=(empty,))
    assert code == 2
    assert "holds no record" in said


def test_signed_records(scene: Scene, run: Run) -> None:
    scene.sign(run, scene.cpu, scene.gpu)
    code, said = scene.gate(run, "--signed", "--allowed-signers", scene.allow("alice"))
    assert code == 0
    assert said.count("signed by alice@example.org") == 4


def test_a_committed_record_cannot_name_the_commit_that_holds_it(scene: Scene, run: Run) -> None:
    folder = scene.project.root / "evidence"
    folder.mkdir()
    shutil.copy(scene.gpu, folder)
    scene.project.commit("add the record", {"README.md": "other files may change"})
    assert scene.gate(run, records=(scene.cpu, folder))[0] == 0


def test_a_commit_that_is_not_checked_out(scene: Scene, run: Run) -> None:
    tested = scene.project.head
    scene.project.commit("later", {"uv.lock": "version = 2\n"})
    assert scene.gate(run)[0] == 1
    assert scene.gate(run, "--commit", tested)[0] == 0


def test_files_in_the_working_tree_do_not_matter(scene: Scene, run: Run) -> None:
    (scene.project.root / "uv.lock").write_text("uncommitted")
    assert scene.gate(run)[0] == 0


def test_a_stated_commit_counts_where_the_digests_are_those_of_the_commit(scene: Scene, run: Run) -> None:
    scene.record_gpu(checkout=Checkout(scene.project.head, None, "stated by hand"))
    assert scene.gate(run)[0] == 0


# Each change is made after the two good records were written.


def _stale(scene: Scene, run: Run) -> None:
    scene.project.commit("later", {"kernels/gather.py": "two = 2\n"})
    scene.project.record(scene.cpu, scene.cpu_checks)


def _stale_test(scene: Scene, run: Run) -> None:
    scene.project.commit("later", {"tests/gpu/test_new.py": ""})
    scene.project.record(scene.cpu, scene.cpu_checks)


def _new_subject(scene: Scene, run: Run) -> None:
    scene.project.commit("later", {"pyproject.toml": "[tool.pinproof.tests]\ngpu = ['cuda']\n", "cuda/test_a.py": ""})
    scene.project.record(scene.cpu, scene.cpu_checks)


def _contradicting(scene: Scene, run: Run) -> None:
    checks = [CheckResult("policy", "failed", "1 failed", (CaseResult("case 0", "failed"),)), *scene.gpu_checks]
    scene.record_gpu(checks)


def _dirty(scene: Scene, run: Run) -> None:
    scene.record_gpu(checkout=Checkout(scene.project.head, dirty=True))


def _another_commit(scene: Scene, run: Run) -> None:
    scene.project.git("checkout", "-qb", "side")
    scene.project.commit("side")
    scene.record_gpu()
    scene.project.git("checkout", "-q", "main")


def _unknown_commit(scene: Scene, run: Run) -> None:
    scene.record_gpu(checkout=Checkout("ab" * 20, dirty=False))


def _later_commit(scene: Scene, run: Run) -> None:
    scene.project.commit("later")
    scene.record_gpu()
    scene.project.git("reset", "-q", "--hard", "HEAD^")


def _no_commit(scene: Scene, run: Run) -> None:
    scene.record_gpu(checkout=Checkout(None, None, "git is not on this machine"))


def _other_files(scene: Scene, run: Run) -> None:
    scene.record_gpu(subjects={**subjects(scene.project.root), "kernels": {"dirHash": "12" * 32}})


def _fewer_files(scene: Scene, run: Run) -> None:
    named = subjects(scene.project.root)
    del named["kernels"]
    scene.record_gpu(subjects=named)


def _more_files(scene: Scene, run: Run) -> None:
    scene.record_gpu(subjects={**subjects(scene.project.root), "extra": {"dirHash": "12" * 32}})


def _edited_by_hand(scene: Scene, run: Run) -> None:
    text = scene.gpu.read_text().replace('"passed": 214', '"passed": 999')
    scene.gpu.write_text(text)


def _truncated(scene: Scene, run: Run) -> None:
    scene.gpu.write_bytes(scene.gpu.read_bytes()[:-100])


def _empty(scene: Scene, run: Run) -> None:
    scene.gpu.write_bytes(b"")


def _replaced_by_a_link(scene: Scene, run: Run) -> None:
    elsewhere = scene.gpu.parent.parent / "elsewhere.json"
    scene.gpu.rename(elsewhere)
    scene.gpu.symlink_to(elsewhere)


def _newer_schema(scene: Scene, run: Run) -> None:
    scene.gpu.write_text(scene.gpu.read_text().replace('"schema": 1', '"schema": 2'))


def _gpu_failed(scene: Scene, run: Run) -> None:
    cases = (CaseResult("a", "passed"), CaseResult("b", "failed"))
    scene.record_gpu([CheckResult("gpu", "failed", "1 of 2 failed", cases)])


def _gpu_not_run(scene: Scene, run: Run) -> None:
    scene.record_gpu([CheckResult("gpu", "not_run", "the run left out 3 of 9")])


def _no_gpu_at_all(scene: Scene, run: Run) -> None:
    scene.project.record(scene.cpu, scene.cpu_checks[:3])
    scene.project.record(scene.gpu, scene.cpu_checks[:3])


SHUT = [
    (_stale, "gpu.json: stale: since the commit", "kernels is another one"),
    (_stale_test, "gpu.json: stale: since the commit", "tests/gpu is another one"),
    (_new_subject, "gpu.json: stale: since the commit", "pyproject.toml is another one, cuda is not named by it"),
    (_contradicting, "cpu.json: contradicting: it says that policy passed;", "gpu.json says failed"),
    (_contradicting, "gpu.json: contradicting: it says that policy failed;", "cpu.json says passed"),
    (_dirty, "gpu.json: dirty tree: files differed from the commit", "missing  gpu:"),
    (_another_commit, "gpu.json: another commit: it is about the commit", "which does not lead to"),
    (_later_commit, "gpu.json: another commit: it is about the commit", "which does not lead to"),
    (_unknown_commit, "gpu.json: another commit: it is about the commit abababababab", "this clone does not have"),
    (_no_commit, "gpu.json: no commit: it names no commit: git is not on this machine", "missing  gpu:"),
    (_other_files, "gpu.json: tampered: it names the commit", "but kernels is another one there"),
    (_fewer_files, "gpu.json: tampered: it names the commit", "but kernels is not named by it there"),
    (_more_files, "gpu.json: tampered: it names the commit", "but extra, which it names, does not exist there"),
    (_edited_by_hand, "gpu.json: damaged: the check 'gpu' states 999 passed", "the lists hold 214 passed"),
    (_truncated, "gpu.json: damaged: is cut off", "missing  gpu:"),
    (_empty, "gpu.json: damaged: is cut off", "missing  gpu:"),
    (_replaced_by_a_link, "gpu.json: damaged: leads out of", "missing  gpu:"),
    (_newer_schema, "gpu.json: damaged: predicate.pinproof.schema is 2, expected 1", "missing  gpu:"),
    (_gpu_failed, "missing  gpu: did not run in", "failed in"),
    (_gpu_not_run, "missing  gpu: did not run in", "the run left out 3 of 9"),
    (_no_gpu_at_all, "missing  gpu: no record speaks of it", "passed   pins: passed"),
]


@pytest.mark.parametrize(("change", "first", "second"), SHUT)
def test_it_stays_shut(scene: Scene, run: Run, change: Callable[[Scene, Run], None], first: str, second: str) -> None:
    change(scene, run)
    code, said = scene.gate(run)
    assert code == 1, said
    assert f"the gate stays shut for the commit {scene.project.head}" in said
    assert first in said
    assert second in said


def _unsigned(scene: Scene, run: Run) -> None:
    scene.sign(run, scene.cpu)


def _wrong_signer(scene: Scene, run: Run) -> None:
    scene.sign(run, scene.cpu)
    scene.sign(run, scene.gpu, key="mallory")


def _signature_of_another_file(scene: Scene, run: Run) -> None:
    scene.sign(run, scene.cpu)
    shutil.copy(f"{scene.cpu}.sig", f"{scene.gpu}.sig")


def _changed_after_signing(scene: Scene, run: Run) -> None:
    scene.sign(run, scene.cpu, scene.gpu)
    scene.gpu.write_bytes(scene.gpu.read_bytes() + b" ")


def _signature_is_junk(scene: Scene, run: Run) -> None:
    scene.sign(run, scene.cpu)
    Path(f"{scene.gpu}.sig").write_text("junk")


def _signature_is_a_folder(scene: Scene, run: Run) -> None:
    scene.sign(run, scene.cpu)
    Path(f"{scene.gpu}.sig").mkdir()


def _signature_is_empty(scene: Scene, run: Run) -> None:
    scene.sign(run, scene.cpu)
    Path(f"{scene.gpu}.sig").write_text("")


SHUT_SIGNED = [
    (_unsigned, "gpu.json: unsigned: there is no signature gpu.json.sig beside it"),
    (_wrong_signer, "gpu.json: wrong signer: the key SHA256:"),
    (_signature_of_another_file, "gpu.json: invalid signature: the signature is not one over this record"),
    (_changed_after_signing, "gpu.json: invalid signature: the signature is not one over this record"),
    (_signature_is_junk, "gpu.json: invalid signature: the signature is not one over this record"),
    (_signature_is_empty, "gpu.json: invalid signature: the signature is not one over this record"),
    (_signature_is_a_folder, "gpu.json: invalid signature: gpu.json.sig: is a directory, expected a regular file"),
]


@pytest.mark.parametrize(("change", "message"), SHUT_SIGNED)
def test_it_stays_shut_for_what_is_not_signed(
    scene: Scene, run: Run, change: Callable[[Scene, Run], None], message: str
) -> None:
    change(scene, run)
    code, said = scene.gate(run, "--signed", "--allowed-signers", scene.allow("alice"))
    assert code == 1, said
    assert message in said
    assert "missing  gpu:" in said


def test_a_signature_that_is_there_is_verified_even_where_none_is_asked_for(scene: Scene, run: Run) -> None:
    scene.sign(run, scene.gpu, key="mallory")
    assert scene.gate(run)[0] == 0
    code, said = scene.gate(run, "--allowed-signers", scene.allow("alice"))
    assert code == 1
    assert "wrong signer" in said


@pytest.mark.parametrize("options", ['valid-before="20200101"', 'namespaces="git"'])
def test_a_signer_who_may_not_sign_any_more(scene: Scene, run: Run, options: str) -> None:
    scene.sign(run, scene.cpu, scene.gpu)
    code, said = scene.gate(run, "--signed", "--allowed-signers", scene.allow("alice", options=options))
    assert code == 1
    assert said.count(".json: wrong signer: the key SHA256:") == 2


class TestTrust:
    """Who may sign comes from what the user trusts, never from the change under review."""

    def test_signed_without_trusted_signers_is_bad_usage(self, scene: Scene, run: Run) -> None:
        code, said = scene.gate(run, "--signed")
        assert code == 2
        assert "--signed needs trusted signers" in said

    def test_signers_beside_the_trusted_configuration(self, scene: Scene, run: Run) -> None:
        scene.sign(run, scene.cpu, scene.gpu)
        config = scene.allow("alice").with_name("pinproof.toml")
        assert scene.gate(run, "--signed", "--config", config)[0] == 0
        scene.allow("mallory")
        assert scene.gate(run, "--signed", "--config", config)[0] == 1

    def test_signers_of_the_base_not_of_the_change(self, scene: Scene, run: Run) -> None:
        scene.project.commit("trust alice", {"evidence/allowed_signers": scene.allow("alice").read_text()})
        scene.project.git("branch", "base")
        scene.project.commit("trust mallory", {"evidence/allowed_signers": scene.allow("mallory").read_text()})
        scene.record()
        scene.sign(run, scene.cpu, scene.gpu, key="mallory")
        code, said = scene.gate(run, "--signed", "--base", "base")
        assert code == 1
        assert "wrong signer" in said
        scene.sign(run, scene.cpu, scene.gpu)
        assert scene.gate(run, "--signed", "--base", "base")[0] == 0

    def test_a_base_without_signers_is_bad_usage(self, scene: Scene, run: Run) -> None:
        scene.project.git("branch", "base")
        scene.project.commit("trust mallory", {"evidence/allowed_signers": scene.allow("mallory").read_text()})
        assert scene.gate(run, "--signed", "--base", "base")[0] == 2

    def test_signers_in_the_checkout_are_refused(self, scene: Scene, run: Run) -> None:
        place = scene.project.root / "evidence" / "allowed_signers"
        place.parent.mkdir()
        shutil.copy(scene.allow("alice"), place)
        scene.sign(run, scene.cpu, scene.gpu)
        link = scene.gpu.parent / "link"
        link.symlink_to(place)
        for option, file in (("--allowed-signers", place), ("--allowed-signers", link), ("--config", place)):
            code, said = scene.gate(run, "--signed", option, file)
            assert code == 2
            assert "lies in the checkout, so the change under review chose the signers" in said

    def test_signers_that_do_not_exist(self, scene: Scene, run: Run, tmp_path: Path) -> None:
        assert scene.gate(run, "--signed", "--allowed-signers", tmp_path / "none")[0] == 2
        assert scene.gate(run, "--signed", "--base", "nothing")[0] == 2


def test_refused_records_can_be_left_out(scene: Scene, run: Run) -> None:
    old = scene.gpu.with_name("old.json")
    shutil.copy(scene.gpu, old)
    scene.project.commit("later", {"uv.lock": "version = 2\n"})
    scene.record()
    records = (scene.cpu, scene.gpu, old)
    assert scene.gate(run, records=records)[0] == 1
    code, said = scene.gate(run, "--skip-refused", records=records)
    assert code == 0
    assert "skipped  " in said
    assert "old.json: stale" in said
    assert scene.gate(run, "--skip-refused", records=(scene.cpu, old))[0] == 1


def test_a_contradiction_is_never_left_out(scene: Scene, run: Run) -> None:
    _contradicting(scene, run)
    assert scene.gate(run, "--skip-refused")[0] == 1


def test_the_same_record_twice_is_no_contradiction(scene: Scene, run: Run) -> None:
    assert scene.gate(run, records=(scene.cpu, scene.gpu, scene.gpu))[0] == 0


def test_subjects_that_no_digest_covers(scene: Scene, run: Run) -> None:
    (scene.project.root / "kernels" / "link.py").symlink_to("gather.py")
    scene.project.commit("link")
    code, said = scene.gate(run)
    assert code == 2
    assert "'kernels/link.py' is a symbolic link or a submodule; no digest covers it" in said
    scene.project.git("rm", "-qf", "kernels/link.py")
    scene.project.commit("cache", {"kernels/__pycache__/gather.cpython-312.pyc": "hidden code"})
    code, said = scene.gate(run)
    assert code == 2
    assert "is committed, but no digest covers what running and checking leave behind" in said


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("missing.json", "--require", "gpu"), "missing.json: does not exist"),
        (("CPU", "--require", "gpuu"), "no check is called 'gpuu'; there are"),
        (("CPU",), "Missing option '--require'"),
        (("--require", "gpu"), "Missing argument 'EVIDENCE...'"),
        (("CPU", "--require", "pins", "--commit", "nothing"), "revision 'nothing'"),
        (("CPU", "--require", "pins", "--commit", "--output=x"), "revision '--output=x'"),
        (("CPU", "--require", "pins", "--project", "/nonexistent"), "is not a directory"),
    ],
)
def test_bad_usage(scene: Scene, run: Run, arguments: tuple[str, ...], message: str) -> None:
    placed = [str(scene.cpu) if argument == "CPU" else argument for argument in arguments]
    defaults = () if "--project" in arguments else ("--project", scene.project.root)
    code, said = run("gate", *placed, *defaults)
    assert code == 2
    assert message in said


def test_outside_of_a_checkout(scene: Scene, run: Run, tmp_path: Path) -> None:
    code, said = run("gate", scene.cpu, "--require", "pins", "--project", tmp_path)
    assert code == 2
    assert "not a git repository" in said


def test_json(scene: Scene, run: Run, tmp_path: Path) -> None:
    _dirty(scene, run)
    output = tmp_path / "verdict.json"
    assert scene.gate(run, "--format", "json", "--output", output)[0] == 1
    verdict = json.loads(output.read_text())
    assert (verdict["schema"], verdict["opens"], verdict["commit"]) == (1, False, scene.project.head)
    assert [(part["name"], part["holds"]) for part in verdict["parts"]] == [
        ("pins", True),
        ("lock", True),
        ("policy", True),
        ("gpu", False),
    ]
    assert [(entry["refusal"], entry["signature"]) for entry in verdict["records"]] == [
        (None, "unsigned"),
        ("dirty tree", "unsigned"),
    ]


def test_foreign_text_cannot_forge_a_line(scene: Scene, run: Run) -> None:
    evil = "\n::error::forged\n\x1b[2Jthe gate opens\u202e"
    scene.record_gpu([CheckResult("gpu", "not_run", evil)])
    code, said = scene.gate(run)
    assert code == 1
    assert "\\n::error::forged\\n\\x1b[2Jthe gate opens\\u202e" in said
    assert not any(line.strip().startswith(("::", "the gate opens")) for line in said.splitlines())
