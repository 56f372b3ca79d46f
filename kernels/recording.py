"""`pytest --record FILE`: a plugin for the GPU tests' conftest.py. Standard library and pytest only.

    from pinproof.kernels.recording import Recorder, add_options

    def pytest_addoption(parser):
        add_options(parser)

    def pytest_configure(config):
        Recorder.register(config, root=ROOT, folder="tests/gpu", machine=describe_machine)

A test that measures calls `request.config.stash[MEASUREMENTS].append(Measurement(...))`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from .checkout import checkout
from .record import CaseResult, CheckResult, Machine, Measurement, statement, write
from .subjects import subjects

MEASUREMENTS = pytest.StashKey[list[Measurement]]()


def add_options(parser: pytest.Parser) -> None:
    """Add `--record` and `--record-commit`."""
    group = parser.getgroup("pinproof")
    group.addoption("--record", metavar="FILE", help="write what ran into FILE, as an in-toto test result")
    group.addoption("--record-commit", metavar="COMMIT", help="the full commit, where the files come without .git")


class Recorder:
    """Collects the outcome of every test of one folder, and writes the record when the session ends.

    A run that left out a test of the folder (a file, a deselection, an abort) is recorded as not run, whatever passed.
    """

    def __init__(self, config: pytest.Config, root: Path, folder: str, machine: Callable[[], Machine]) -> None:
        self._config = config
        self._path = Path(config.invocation_params.dir, config.getoption("--record"))
        self._root = root
        self._folder = folder
        self._machine = machine
        self._expected: dict[str, str] = {}
        self._results: dict[str, CaseResult] = {}
        config.stash[MEASUREMENTS] = []
        # Before the tests run: what they leave behind is no part of what was tested.
        self._checkout = checkout(root, stated=config.getoption("--record-commit"))
        self._subjects = subjects(root)

    @classmethod
    def register(cls, config: pytest.Config, *, root: Path, folder: str, machine: Callable[[], Machine]) -> None:
        """Register a recorder if `--record` was given.

        Args:
            config: pytest's.
            root: the project's root, where the subjects are.
            folder: the folder of the tests, relative to `root`.
            machine: called once, when all tests have ended.

        Raises:
            pytest.UsageError: `--record` was given with a plugin that spreads tests over processes, or the subjects
                cannot be digested.
        """
        if not config.getoption("--record") or hasattr(config, "workerinput"):
            return
        if getattr(config.option, "dist", "no") != "no":
            raise pytest.UsageError("--record needs all tests in one process: add -n0")
        path = Path(config.invocation_params.dir, config.getoption("--record"))
        if not path.parent.is_dir() or path.is_dir():
            raise pytest.UsageError(f"--record: {path} cannot be written, expected a file in a folder that exists")
        try:
            config.pluginmanager.register(cls(config, root, folder, machine), "pinproof-recorder")
        except ValueError as error:
            raise pytest.UsageError(f"--record: {error}") from None

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: Sequence[pytest.Item]) -> None:
        for item in items:
            self._expected.setdefault(item.nodeid, "it did not run: the session ended before")

    def pytest_deselected(self, items: Sequence[pytest.Item]) -> None:
        for item in items:
            self._expected[item.nodeid] = "it was deselected"

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._results[report.nodeid] = CaseResult(report.nodeid, "failed", "it cannot be collected")
        elif report.skipped:
            self._results[report.nodeid] = CaseResult(report.nodeid, "not_run", _skip_reason(report))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        case = _case(report)
        known = self._results.get(report.nodeid)
        if case is not None and (known is None or known.status != "failed"):
            self._results[report.nodeid] = case

    def pytest_sessionfinish(self) -> None:
        check = self._check()
        measured: list[Measurement] = self._config.stash[MEASUREMENTS]
        record = statement(
            self._subjects,
            self._checkout,
            [check],
            required=["gpu"],
            machine=self._machine(),
            measurements=measured,
        )
        write(self._path, record)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        terminalreporter.write_line(f"record written to {self._path}")

    def _check(self) -> CheckResult:
        missing = {name: reason for name, reason in self._expected.items() if name not in self._results}
        missing |= dict.fromkeys(self._uncollected(), "it was not collected")
        cases = (*self._results.values(), *(CaseResult(name, "not_run", reason) for name, reason in missing.items()))
        counts = Counter(case.status for case in cases)
        if counts["failed"]:
            return CheckResult("gpu", "failed", f"{counts['failed']} of {len(cases)} failed", cases)
        if missing:
            return CheckResult("gpu", "not_run", f"the run left out {len(missing)} of {len(cases)}", cases)
        if not counts["passed"] + counts["warned"]:
            reasons = Counter(case.reason for case in cases if case.reason).most_common(1)
            return CheckResult("gpu", "not_run", reasons[0][0] if reasons else "there are no tests", cases)
        return CheckResult("gpu", "passed", "", cases)

    def _uncollected(self) -> list[str]:
        """Return the test files of the folder from which nothing was collected, as node identifiers."""
        seen = {name.partition("::")[0] for name in (*self._expected, *self._results)}
        base = self._config.rootpath
        files = sorted((self._root / self._folder).rglob("test_*.py"))
        names = [file.relative_to(base).as_posix() if file.is_relative_to(base) else str(file) for file in files]
        return [name for name in names if name not in seen]


def _case(report: pytest.TestReport) -> CaseResult | None:
    """Return what one phase of a test says about it; None for a phase that says nothing."""
    if report.failed:
        return CaseResult(report.nodeid, "failed", f"it failed in its {report.when}")
    if report.skipped:
        expected = getattr(report, "wasxfail", None)
        reason = _skip_reason(report) if expected is None else f"it failed as expected: {expected}".rstrip(": ")
        return CaseResult(report.nodeid, "not_run", reason)
    if report.when == "call":
        return CaseResult(report.nodeid, "warned" if hasattr(report, "wasxfail") else "passed")
    return None


def _skip_reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    said = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr or "")
    return said.removeprefix("Skipped: ").strip() or "it was skipped without a reason"
