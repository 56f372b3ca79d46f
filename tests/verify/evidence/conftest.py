"""A small project in a git checkout, and records of it."""

from __future__ import annotations

import datetime
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from pinproof.kernels.checkout import Checkout
from pinproof.kernels.record import CaseResult, CheckResult, Machine, Measurement, statement, write
from pinproof.kernels.subjects import subjects
from pinproof.verify.cli import main

FILES = {
    "pyproject.toml": "[project]\nname = 'p'\nversion = '1'\n",
    "uv.lock": "version = 1\n",
    "policy/__init__.py": "",
    "kernels/gather.py": "one = 1\n",
    "tests/gpu/test_gather.py": "def test(): ...\n",
}


class Project:
    """The checkout, with shorthands for what the tests do to it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.git("init", "-q")
        self.commit("first")

    def git(self, *arguments: str) -> str:
        settings = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"]
        done = subprocess.run(["git", *settings, *arguments], cwd=self.root, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    @property
    def head(self) -> str:
        return self.git("rev-parse", "HEAD")

    def commit(self, message: str, files: dict[str, str] | None = None) -> str:
        for name, text in (files or {}).items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.head

    def statement(self, checks: Sequence[CheckResult], **changes: Any) -> dict[str, Any]:
        checkout = changes.pop("checkout", Checkout(self.head, dirty=False))
        created = datetime.datetime(2026, 12, 3, 10, tzinfo=datetime.UTC)
        named = changes.pop("subjects", None) or subjects(self.root)
        return statement(named, checkout, checks, **{"created": created, **changes})

    def record(self, path: Path, checks: Sequence[CheckResult], **changes: Any) -> Path:
        write(path, self.statement(checks, **changes))
        return path


@pytest.fixture
def project(write_project: Callable[..., Path]) -> Project:
    return Project(write_project(FILES))


@pytest.fixture
def cpu() -> list[CheckResult]:
    """What a machine without a GPU records."""
    cases = tuple(CaseResult(f"case {number}", "passed") for number in range(5))
    return [
        CheckResult("pins", "passed"),
        CheckResult("lock", "passed"),
        CheckResult("policy", "passed", "", cases),
        CheckResult("gpu", "not_run", "no CUDA device"),
    ]


@pytest.fixture
def gpu() -> list[CheckResult]:
    """What a machine with a GPU records: 214 tests passed, one skipped."""
    cases = [CaseResult(f"tests/gpu/test_gather.py::test[{number}]", "passed") for number in range(214)]
    cases.append(CaseResult("tests/gpu/test_gather.py::test_pool", "not_run", "needs SM12x"))
    return [CheckResult("gpu", "passed", "", tuple(cases))]


@pytest.fixture
def h200() -> Machine:
    return Machine({"torch": "2.11.0", "triton": "3.6.0"}, "NVIDIA H200", "570.1", (2, 16), emulated=True)


@pytest.fixture
def measurement() -> Measurement:
    return Measurement(
        "paired gather, 8 rows, 2 row blocks",
        4.5,
        "us",
        "component, sixteen emulated ranks on one NVIDIA H200",
        "median of 9, 64 gathers a CUDA graph",
    )


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    """Run the command line in this process and return its exit code and all that it printed."""

    def call(*arguments: str | Path) -> tuple[int, str]:
        with pytest.raises(SystemExit) as stopped:
            main([str(argument) for argument in arguments])
        said = capsys.readouterr()
        assert isinstance(stopped.value.code, int)
        return stopped.value.code, said.out + said.err

    return call


@pytest.fixture(scope="session")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the SSH keys `alice`, `mallory` and, with a passphrase, `locked`."""
    if shutil.which("ssh-keygen") is None:
        pytest.skip("ssh-keygen is not on this machine")
    folder = tmp_path_factory.mktemp("keys")
    for name, passphrase in (("alice", ""), ("mallory", ""), ("locked", "secret")):
        command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", passphrase, "-C", name, "-f", name]
        subprocess.run(command, cwd=folder, check=True)
    return folder


@pytest.fixture
def allow(keys: Path, tmp_path: Path) -> Callable[..., Path]:
    """Write an allowed-signers file with one line: a principal, options, and the public key of a name."""

    def write_file(name: str, *, principal: str = "alice@example.org", options: str = "") -> Path:
        public = " ".join((keys / f"{name}.pub").read_text().split()[:2])
        path = tmp_path / "trusted" / "allowed_signers"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"# who may sign\n{principal} {options} {public}\n")
        return path

    return write_file
