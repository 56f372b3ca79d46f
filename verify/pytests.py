"""Tests of the project under check, run by pytest in the project's own environment and counted one by one."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.etree import ElementTree  # expat 2.4.1 and later limits the expansion of entities

from .context import Context
from .execute import Completed, clean_environment, execute
from .model import Case, Finding, NotRun, Status, Tally
from .words import counted

_NONE_COLLECTED = 5
_TESTS_RAN = (0, 1, _NONE_COLLECTED)


def run_tests(context: Context, code: str, paths: Sequence[str], *, marker: str = "") -> Iterator[Finding | Tally]:
    """Run the tests in `paths` and yield a finding for each that failed, and the tally.

    The counts come from pytest's JUnit file, never from its exit code. A skipped test is not run.

    Raises:
        NotRun: there is no environment, or not one test was executed; the reasons are those of the tests.
    """
    root = context.project.root
    python = interpreter(context)
    with tempfile.TemporaryDirectory(prefix="pinproof-") as scratch:
        report = Path(scratch) / "junit.xml"
        command: list[str | Path] = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}"]
        command += ["-m", marker] if marker else []
        environment = clean_environment(root, PYTHONDONTWRITEBYTECODE="1")
        try:
            done = execute([*command, "--", *paths], cwd=root, environment=environment, timeout=context.options.timeout)
        except OSError as error:
            raise NotRun(f"{python} cannot be started: {error.strerror}") from None
        if done.timed_out:
            message = f"pytest did not end within {context.options.timeout:g} s"
            yield Finding(code=code, message=message, hint="raise --timeout, or look for a test that hangs")
            return
        cases = _cases(report)
    yield from _judged(code, done, cases)


def interpreter(context: Context) -> Path:
    """Return the interpreter of the project's environment: `--python`, else that of its `.venv`.

    Raises:
        NotRun: there is none.
    """
    if context.options.python is not None:
        return context.options.python.absolute()
    python = context.project.root / ".venv" / "bin" / "python"
    if not python.exists():
        raise NotRun("the project has no environment here (.venv); name one with --python")
    return python


def _judged(code: str, done: Completed, cases: tuple[Case, ...] | None) -> Iterator[Finding | Tally]:
    if cases is None or (done.code not in _TESTS_RAN):
        if "No module named pytest" in done.stderr:
            raise NotRun("the project's environment has no pytest")
        message = f"pytest ended with exit code {done.code} and no complete result: {done.last_lines()}"
        yield Finding(code=code, message=message, hint="run the tests by hand and mend what stops pytest")
        return
    failed = [case for case in cases if case.status is Status.FAILED]
    for case in failed:
        yield Finding(code=code, message=f"{case.name} failed: {case.reason}", hint="mend the code or the test")
    passed = sum(case.status is Status.PASSED for case in cases)
    if not passed and not failed:
        reasons = sorted({case.reason for case in cases if case.reason})
        why = (
            f"{counted(len(cases), 'test')}, none executed: {'; '.join(reasons[:3])}"
            if cases
            else "no test was collected"
        )
        raise NotRun(why, cases=cases)
    yield Tally(detail=_counts(cases), cases=cases)


def _counts(cases: tuple[Case, ...]) -> str:
    counts = {status: sum(case.status is status for case in cases) for status in Status}
    words = [f"{count} {status.words}" for status, count in counts.items() if count]
    return f"{counted(len(cases), 'test')}: {', '.join(words)}"


def _cases(report: Path) -> tuple[Case, ...] | None:
    try:
        tree = ElementTree.parse(report)  # noqa: S314 - see the import
    except (OSError, ElementTree.ParseError):
        return None
    return tuple(_case(element) for element in tree.iter("testcase"))


def _case(element: ElementTree.Element) -> Case:
    name = "::".join(part for part in (element.get("classname", ""), element.get("name", "")) if part)
    for tag, status in (("failure", Status.FAILED), ("error", Status.FAILED), ("skipped", Status.NOT_RUN)):
        found = element.find(tag)
        if found is not None:
            reason = found.get("message") or (found.text or "").strip().partition("\n")[0]
            return Case(name=name, status=status, reason=reason)
    return Case(name=name, status=Status.PASSED)
