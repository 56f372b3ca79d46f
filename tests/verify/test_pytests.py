"""The project's own tests are counted one by one, in small stand-in projects run by this very interpreter."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pinproof.policy import launch
from pinproof.verify import Options, Outcome, Status, check

PROJECT = (
    '[project]\nname = "demo"\nversion = "1"\n[tool.pinproof.tests]\npolicy = ["tests"]\ngpu = ["tests"]\n'
    '[tool.pytest.ini_options]\nmarkers = ["gpu"]\n'
)
LOCK = 'version = 1\n[[package]]\nname = "demo"\nversion = "1"\nsource = { virtual = "." }\n'
Write = Callable[..., Path]


def outcome_of(root: Path, name: str, *, python: str | None = sys.executable, timeout: float = 120) -> Outcome:
    options = Options(python=Path(python) if python else None, timeout=timeout)
    (outcome,) = check(root, options=options, select=[name]).outcomes
    return outcome


@pytest.fixture
def tests_of(write_project: Write) -> Callable[[str], Path]:
    return lambda text: write_project(
        {"pyproject.toml": PROJECT, "uv.lock": LOCK, "tests/test_x.py": "import pytest\n" + text}
    )


def test_passed_failed_and_skipped_are_counted(tests_of: Callable[[str], Path]) -> None:
    root = tests_of(
        "def test_a(): pass\n"
        "def test_b(): assert 1 == 2, 'no'\n"
        "@pytest.mark.skip(reason='no device')\ndef test_c(): pass\n"
        "@pytest.mark.xfail(reason='known')\ndef test_d(): assert False\n"
        "@pytest.fixture\ndef broken(): raise ValueError('x')\n"
        "def test_e(broken): pass\n"
    )
    outcome = outcome_of(root, "policy-tests")
    assert outcome.status is Status.FAILED
    assert outcome.tally is not None
    assert outcome.tally.detail == "5 tests: 1 passed, 2 failed, 2 not run"
    assert [(case.name, case.status.value) for case in outcome.tally.cases] == [
        ("tests.test_x::test_a", "passed"),
        ("tests.test_x::test_b", "failed"),
        ("tests.test_x::test_c", "not_run"),
        ("tests.test_x::test_d", "not_run"),
        ("tests.test_x::test_e", "failed"),
    ]
    assert outcome.tally.cases[2].reason == "no device"
    assert outcome.findings[0].message.startswith("tests.test_x::test_b failed: AssertionError: no")


def test_all_skipped_is_not_run_although_pytest_exits_0(tests_of: Callable[[str], Path]) -> None:
    outcome = outcome_of(tests_of("pytestmark = pytest.mark.skip(reason='why')\ndef test_a(): pass\n"), "policy-tests")
    assert (outcome.status, outcome.reason) == (Status.NOT_RUN, "1 test, none executed: why")


def test_none_collected_is_not_run(tests_of: Callable[[str], Path]) -> None:
    outcome = outcome_of(tests_of(""), "policy-tests")
    assert (outcome.status, outcome.reason) == (Status.NOT_RUN, "no test was collected")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def test_a(): import os; os._exit(0)\n", "pytest ended with exit code 0 and no complete result"),
        ("def (\n", "pytest ended with exit code 2 and no complete result: E   SyntaxError: invalid syntax"),
        ("def test_a(): import os; os.kill(os.getpid(), 9)\n", "pytest ended with exit code -9 and no complete result"),
    ],
)
def test_a_run_that_breaks_off_is_failed(tests_of: Callable[[str], Path], text: str, message: str) -> None:
    outcome = outcome_of(tests_of(text), "policy-tests")
    assert outcome.status is Status.FAILED
    assert message in outcome.findings[0].message


def test_the_time_limit(tests_of: Callable[[str], Path]) -> None:
    outcome = outcome_of(tests_of("def test_a(): import time; time.sleep(60)\n"), "policy-tests", timeout=3)
    assert [finding.message for finding in outcome.findings] == ["pytest did not end within 3 s"]


def test_without_an_environment_nothing_is_run(tests_of: Callable[[str], Path]) -> None:
    root = tests_of("def test_a(): pass\n")
    outcome = outcome_of(root, "policy-tests", python=None)
    assert outcome.status is Status.NOT_RUN
    assert outcome.reason == "the project has no environment here (.venv); name one with --python"
    missing = outcome_of(root, "policy-tests", python="/nowhere/python")
    assert (missing.status, missing.reason) == (
        Status.NOT_RUN,
        "/nowhere/python cannot be started: No such file or directory",
    )


def test_options_of_the_environment_do_not_reach_pytest(
    tests_of: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_ADDOPTS", "--deselect tests/test_x.py::test_a")
    outcome = outcome_of(tests_of("def test_a(): pass\n"), "policy-tests")
    assert outcome.tally is not None
    assert outcome.tally.detail == "1 test: 1 passed"


GPU = "@pytest.mark.gpu\ndef test_g(): pass\ndef test_other(): assert False\n"


def test_only_the_tests_marked_gpu_count(tests_of: Callable[[str], Path]) -> None:
    outcome = outcome_of(tests_of(GPU), "gpu")
    assert outcome.status is Status.PASSED
    assert outcome.tally is not None
    assert [case.name for case in outcome.tally.cases] == ["tests.test_x::test_g"]


def test_gpu_tests_that_skip_themselves_are_not_run_in_words(
    tests_of: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pinproof.verify.checks.gpu._DRIVER", ())
    root = tests_of("@pytest.mark.gpu\n@pytest.mark.skip(reason='needs CUDA')\ndef test_g(): pass\n")
    outcome = outcome_of(root, "gpu")
    assert outcome.status is Status.NOT_RUN
    assert outcome.reason == (
        "the GPU tests were not run: no CUDA device on this machine; 1 test, none executed: needs CUDA"
    )
    report = check(root, options=Options(python=Path(sys.executable)), select=["gpu"], require=["gpu"])
    assert report.exit_code == 1
    assert [missing.check.name for missing in report.missing] == ["gpu"]


def test_the_five_cases_are_executed_in_process(
    tests_of: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tests_of("")
    outcome = outcome_of(root, "policy")
    assert outcome.tally is not None
    assert [(c.name, c.status.value) for c in outcome.tally.cases] == [
        ("1 rows -> 1 row blocks", "passed"),
        ("2 rows -> 1 row blocks", "passed"),
        ("4 rows -> 1 row blocks", "passed"),
        ("8 rows -> 2 row blocks", "passed"),
        ("16 rows -> 1 row blocks", "passed"),
    ]
    monkeypatch.setattr("pinproof.verify.checks.policy.row_blocks", lambda rows: 2 if rows >= 8 else 1)
    changed = outcome_of(root, "policy")
    assert changed.status is Status.FAILED
    assert [f.message for f in changed.findings] == ["row_blocks(16) is 2, expected the reviewed 1"]
    assert launch.row_blocks(16) == 1
