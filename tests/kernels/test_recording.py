"""`pytest --record`, run for real on small folders of tests."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

CONFTEST = """
from pathlib import Path
from pinproof.kernels.record import Machine, Measurement
from pinproof.kernels.recording import MEASUREMENTS, Recorder, add_options

def pytest_addoption(parser):
    add_options(parser)

def pytest_configure(config):
    machine = lambda: Machine({"torch": "2.11.0"}, "NVIDIA H200", "570.1", (16,), emulated=True)
    Recorder.register(config, root=Path(__file__).parents[2], folder="tests/gpu", machine=machine)
"""
TESTS = """
import pytest
from pinproof.kernels.record import Measurement
from pinproof.kernels.recording import MEASUREMENTS

@pytest.mark.parametrize("rows", [1, 8])
def test_good(rows): pass

def test_measured(request):
    request.config.stash[MEASUREMENTS].append(Measurement("gather", 4.5, "us", "component"))
"""
Record = Callable[..., dict[str, Any]]


@pytest.fixture
def record(write_project: Callable[..., Path]) -> Record:
    def run(files: dict[str, str], *arguments: str, code: int) -> dict[str, Any]:
        base = {"pyproject.toml": "", "uv.lock": "", "tests/gpu/conftest.py": CONFTEST}
        root = write_project({**base, **{f"tests/gpu/{name}": text for name, text in files.items()}})
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--record", "out.json", *arguments]
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stdout + done.stderr
        found: dict[str, Any] = json.loads((root / "out.json").read_text())
        return found

    return run


def _gpu(record: dict[str, Any]) -> tuple[str, int, int, int]:
    (check,) = record["predicate"]["pinproof"]["checks"]
    assert check["name"] == "gpu"
    return check["status"], check["passed"], check["failed"], check["not_run"]


def _reasons(record: dict[str, Any]) -> dict[str, str]:
    return {test["name"]: test["reason"] for test in record["predicate"]["pinproof"]["notRunTests"]}


def test_everything_passed(record: Record) -> None:
    found = record({"test_a.py": TESTS}, "tests/gpu", code=0)
    assert _gpu(found) == ("passed", 3, 0, 0)
    assert found["predicate"]["result"] == "PASSED"
    assert found["predicate"]["passedTests"] == [
        "gpu::tests/gpu/test_a.py::test_good[1]",
        "gpu::tests/gpu/test_a.py::test_good[8]",
        "gpu::tests/gpu/test_a.py::test_measured",
    ]
    ours = found["predicate"]["pinproof"]
    assert [measurement["value"] for measurement in ours["measurements"]] == [4.5]
    assert (ours["device"], ours["world"], ours["emulated"]) == ("NVIDIA H200", [16], True)
    assert (ours["commit"], ours["dirty"]) == (None, None)
    assert [subject["name"] for subject in found["subject"]] == ["pyproject.toml", "tests/gpu", "uv.lock"]


def test_a_stated_commit(record: Record) -> None:
    found = record({"test_a.py": TESTS}, "tests/gpu", "--record-commit", "ab" * 20, code=0)
    assert found["predicate"]["pinproof"]["commit"] == "ab" * 20
    assert found["predicate"]["pinproof"]["dirty"] is None


OUTCOMES = """
import pytest

def test_good(): pass
def test_bad(): assert False
def test_skipped(): pytest.skip("needs two devices")
@pytest.mark.xfail(reason="known")
def test_expected(): assert False
@pytest.mark.xfail(reason="known")
def test_unexpected(): pass
@pytest.fixture
def broken_setup(): raise ValueError
@pytest.fixture
def broken_teardown():
    yield
    raise ValueError
def test_setup(broken_setup): pass
def test_teardown(broken_teardown): pass
"""


def test_every_outcome(record: Record) -> None:
    found = record({"test_a.py": OUTCOMES}, "tests/gpu", code=1)
    assert _gpu(found) == ("failed", 2, 3, 2)
    predicate = found["predicate"]
    assert predicate["result"] == "FAILED"
    assert predicate["passedTests"] == ["gpu::tests/gpu/test_a.py::test_good"]
    assert predicate["warnedTests"] == ["gpu::tests/gpu/test_a.py::test_unexpected"]
    names = ("test_bad", "test_setup", "test_teardown")
    assert predicate["failedTests"] == [f"gpu::tests/gpu/test_a.py::{name}" for name in names]
    assert _reasons(found) == {
        "gpu::tests/gpu/test_a.py::test_skipped": "needs two devices",
        "gpu::tests/gpu/test_a.py::test_expected": "it failed as expected: known",
    }


def test_all_skipped_is_not_run(record: Record) -> None:
    text = (
        "import pytest\npytestmark = pytest.mark.skip(reason='no CUDA device')\ndef test_a(): pass\ndef test_b(): pass"
    )
    found = record({"test_a.py": text}, "tests/gpu", code=0)
    assert _gpu(found) == ("not_run", 0, 0, 2)
    assert found["predicate"]["result"] == "FAILED"
    assert found["predicate"]["pinproof"]["checks"][0]["reason"] == "no CUDA device"


def test_a_skipped_module_is_not_run(record: Record) -> None:
    text = "import pytest\npytest.skip('no CUDA device', allow_module_level=True)"
    found = record({"test_a.py": TESTS, "test_b.py": text}, "tests/gpu", code=0)
    assert _gpu(found) == ("passed", 3, 0, 1)
    assert _reasons(found) == {"gpu::tests/gpu/test_b.py": "no CUDA device"}
    assert found["predicate"]["result"] == "WARNED"


@pytest.mark.parametrize(
    ("arguments", "missing", "reason"),
    [
        (["tests/gpu", "-k", "good"], "test_a.py::test_measured", "it was deselected"),
        (["tests/gpu/test_a.py::test_good"], "test_b.py", "it was not collected"),
        (["tests/gpu", "--ignore", "tests/gpu/test_b.py"], "test_b.py", "it was not collected"),
    ],
)
def test_a_part_of_the_tests_is_not_a_pass(record: Record, arguments: list[str], missing: str, reason: str) -> None:
    found = record({"test_a.py": TESTS, "test_b.py": "def test_b(): pass"}, *arguments, code=0)
    assert _gpu(found)[0] == "not_run"
    assert _reasons(found)[f"gpu::tests/gpu/{missing}"] == reason
    assert found["predicate"]["result"] == "FAILED"


def test_an_aborted_run(record: Record) -> None:
    text = "def test_a(): pass\ndef test_b(): raise KeyboardInterrupt\ndef test_c(): pass"
    found = record({"test_a.py": text}, "tests/gpu", code=2)
    assert _gpu(found) == ("not_run", 1, 0, 2)


def test_a_module_that_cannot_be_imported_failed(record: Record) -> None:
    found = record({"test_a.py": TESTS, "test_b.py": "import nonsense_module"}, "tests/gpu", code=2)
    assert _gpu(found)[0] == "failed"
    assert found["predicate"]["failedTests"] == ["gpu::tests/gpu/test_b.py"]


def test_no_tests_at_all(record: Record) -> None:
    found = record({}, "tests/gpu", code=5)
    assert _gpu(found) == ("not_run", 0, 0, 0)
    assert found["predicate"]["result"] == "FAILED"


def test_a_place_that_cannot_be_written_is_said_before_the_tests(write_project: Callable[..., Path]) -> None:
    root = write_project({"pyproject.toml": "", "tests/gpu/conftest.py": CONFTEST, "tests/gpu/test_a.py": TESTS})
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "tests/gpu", "--record", "missing/out.json"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 4
    assert "missing/out.json cannot be written, expected a file in a folder that exists" in done.stderr
