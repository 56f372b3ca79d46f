from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from pinproof.verify import checks, run
from pinproof.verify.config import Config
from pinproof.verify.context import Context, Options
from pinproof.verify.files import InputError
from pinproof.verify.model import Check, Finding, Location, NotRun, Outcome, Severity, Status, Tally
from pinproof.verify.project import Project
from pinproof.verify.run import UnknownCheckError, choose, run_checks

LOCK = 'version = 1\n[[package]]\nname = "demo"\nversion = "1"\nsource = { virtual = "." }\n'
PROJECT = '[project]\nname = "demo"\nversion = "1"\n'


def finding(severity: Severity = Severity.ERROR, *, package: str | None = None, line: int = 1) -> Finding:
    return Finding(code="AAA001", message="m", severity=severity, package=package, location=Location("uv.lock", line))


@dataclass(frozen=True)
class Saying(Check):
    """A check that gives the same answers to whatever it is asked."""

    said: tuple[Finding | Tally | BaseException, ...] = ()

    def run(self, _: Context) -> Iterator[Finding | Tally]:
        for answer in self.said:
            if isinstance(answer, BaseException):
                raise answer
            yield answer


def check(code: str, name: str, *said: Finding | Tally | BaseException, **more: Any) -> Check:
    return Saying(code, name, "", said=said, **more)


@pytest.fixture
def outcomes(
    write_project: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[dict[str, Outcome], int]]:
    """Run the given checks over a small project; return the outcomes by name, and the exit code."""

    def run_them(
        *given: Check, configuration: str = "", options: Options | None = None, **more: object
    ) -> tuple[dict[str, Outcome], int]:
        both = (checks.CHECKS[0], *given)
        monkeypatch.setattr(run, "CHECKS", both)
        project = Project.load(write_project({"pyproject.toml": PROJECT + configuration, "uv.lock": LOCK}))
        context = Context(project=project, config=Config.load(project.pyproject), options=options or Options())
        report = run_checks(context, **more)  # type: ignore[arg-type]
        return {outcome.check.name: outcome for outcome in report.outcomes}, report.exit_code

    return run_them


Outcomes = Callable[..., tuple[dict[str, Outcome], int]]


def test_status_and_exit_code_follow_the_findings(outcomes: Outcomes) -> None:
    found, code = outcomes(check("AAA001", "a"))
    assert (found["a"].status, code) == (Status.PASSED, 0)
    found, code = outcomes(check("AAA001", "a", finding(Severity.WARNING)))
    assert (found["a"].status, code) == (Status.PASSED, 0)
    found, code = outcomes(check("AAA001", "a", finding(Severity.WARNING)), fail_on=Severity.WARNING)
    assert (found["a"].status, code) == (Status.PASSED, 1)
    found, code = outcomes(check("AAA001", "a", finding()))
    assert (found["a"].status, code) == (Status.FAILED, 1)


def test_not_run_is_neither_passed_nor_failed_and_matters_when_required(outcomes: Outcomes) -> None:
    quiet = check("AAA001", "a", NotRun("no device"))
    found, code = outcomes(quiet)
    assert (found["a"].status, found["a"].reason, code) == (Status.NOT_RUN, "no device", 0)
    assert outcomes(quiet, require=["a"])[1] == 1
    assert outcomes(quiet, configuration='[tool.pinproof]\nrequire = ["a"]\n')[1] == 1
    assert outcomes(check("AAA001", "a", finding(), NotRun("gave up")))[0]["a"].status is Status.FAILED


def test_a_crash_is_ours_and_hides_nothing(outcomes: Outcomes) -> None:
    found, code = outcomes(
        check("AAA001", "a", finding(), ZeroDivisionError("x")),
        check("BBB001", "b", finding()),
        check("CCC001", "c", InputError("f.toml", "is empty")),
    )
    assert found["a"].status is Status.ERRORED
    assert found["a"].reason == "ZeroDivisionError: x; this is a bug in pinproof, please report it"
    assert len(found["a"].findings) == 1
    assert found["c"].reason == "f.toml: is empty"
    assert found["b"].status is Status.FAILED
    assert code == 2


def test_static_leaves_out_what_executes(outcomes: Outcomes) -> None:
    found, _ = outcomes(check("AAA001", "a", finding(), executes=True), options=Options(static=True))
    assert found["a"].status is Status.NOT_RUN
    assert found["a"].reason == "it executes programs, and --static forbids that"


def test_a_check_waits_for_what_it_requires(outcomes: Outcomes) -> None:
    found, _ = outcomes(check("AAA001", "a", requires=("b",)), check("BBB001", "b", finding()))
    assert (found["a"].status, found["a"].reason) == (Status.NOT_RUN, "it needs b, which is failed")
    found, _ = outcomes(check("AAA001", "a", requires=("b",)), check("BBB001", "b"))
    assert found["a"].status is Status.PASSED


def test_selecting_and_leaving_out(outcomes: Outcomes) -> None:
    given = (check("AAA001", "a"), check("AAA002", "b"), check("BBB001", "third"))
    assert list(outcomes(*given, select=["AAA"])[0]) == ["a", "b"]
    assert list(outcomes(*given, select=["aaa", "third"], ignore=["AAA001"])[0]) == ["b", "third"]
    assert list(outcomes(*given, select=["third"])[0]) == ["third"]
    for selector in ("ZZZ", ""):
        with pytest.raises(UnknownCheckError, match="no check, code or prefix is called"):
            outcomes(*given, select=[selector])
    with pytest.raises(UnknownCheckError, match="no check is called 'AAA001'"):
        outcomes(*given, require=["AAA001"])


IGNORE = '[[tool.pinproof.ignore]]\ncode = "AAA001"\nreason = "known"\n'


def test_ignored_findings_are_kept_with_their_reason(outcomes: Outcomes) -> None:
    found, code = outcomes(check("AAA001", "a", finding()), configuration=IGNORE)
    assert (found["a"].status, code) == (Status.PASSED, 0)
    assert [reason for _, reason in found["a"].ignored] == ["known"]
    assert found["configuration"].findings == ()


@pytest.mark.parametrize(
    ("configuration", "message"),
    [
        (IGNORE + 'package = "torch"\n', "the ignore of AAA001 matches no finding"),
        (IGNORE + "until = 2020-01-31\n", "the ignore of AAA001 ended on 2020-01-31"),
        (IGNORE.replace("AAA001", "ZZZ001"), "the ignore names the code ZZZ001, which no check has"),
    ],
)
def test_an_ignore_that_does_nothing_is_a_warning(outcomes: Outcomes, configuration: str, message: str) -> None:
    found, code = outcomes(check("AAA001", "a", finding(package="numpy")), configuration=configuration)
    assert (found["a"].status, code) == (Status.FAILED, 1)
    assert [(f.message, f.severity, f.location) for f in found["configuration"].findings] == [
        (message, Severity.WARNING, Location("pyproject.toml", 4, 1))
    ]


def test_an_ignore_of_a_check_that_did_not_run_is_not_stale(outcomes: Outcomes) -> None:
    found, _ = outcomes(check("AAA001", "a", NotRun("x")), configuration=IGNORE)
    assert found["configuration"].findings == ()


def test_configured_severity(outcomes: Outcomes) -> None:
    found, code = outcomes(
        check("AAA001", "a", finding()), configuration='[tool.pinproof.severity]\nAAA001 = "warning"\n'
    )
    assert (found["a"].status, found["a"].findings[0].severity, code) == (Status.PASSED, Severity.WARNING, 0)
    found, code = outcomes(check("AAA001", "a", finding()), configuration='[tool.pinproof.severity]\nAAA001 = "off"\n')
    assert (found["a"].findings, code) == ((), 0)
    assert [reason for _, reason in found["a"].ignored] == ["the severity of AAA001 is off"]


def test_findings_come_in_the_order_of_severity_and_place(outcomes: Outcomes) -> None:
    found, _ = outcomes(
        check(
            "AAA001",
            "a",
            finding(Severity.WARNING, line=1),
            finding(line=9),
            Finding(code="AAA001", message="m"),
            finding(line=3),
        )
    )
    assert [f.location and f.location.line for f in found["a"].findings] == [3, 9, None, 1]


def test_codes_and_names_are_unique_and_every_check_is_documented() -> None:
    codes = [check.code for check in checks.CHECKS]
    names = [check.name for check in checks.CHECKS]
    assert len(set(codes)) == len(codes)
    assert len(set(names)) == len(names)
    for given in choose([], []):
        assert given.summary
        for part in ("Example:", "Fix:", "How to allow:"):
            assert part in given.documentation, given.code


def test_every_module_is_a_check_and_finds_under_its_code() -> None:
    modules = {path.stem for path in Path(checks.__file__).parent.glob("*.py")} - {"__init__"}
    assert {check.name.replace("-", "_") for check in checks.CHECKS} == modules
    for check in checks.CHECKS:
        module = import_module(f"{checks.__name__}.{check.name.replace('-', '_')}")
        assert getattr(module, "CODE", check.code) == check.code


@pytest.mark.parametrize(
    "accepted",
    [
        '[[tool.pinproof.ignore]]\ncode = "AAA001"\nreason = "known"\n',
        '[tool.pinproof.severity]\nAAA001 = "warning"\n',
        '[tool.pinproof.severity]\nAAA001 = "off"\n',
    ],
)
def test_accepting_its_errors_makes_no_pass_of_what_was_left_out(outcomes: Outcomes, accepted: str) -> None:
    partly = check("AAA001", "a", finding(), NotRun("half of it has no answer"))
    found, code = outcomes(partly, require=["a"])
    assert (found["a"].status, found["a"].reason, code) == (Status.FAILED, "half of it has no answer", 1)
    found, code = outcomes(partly, configuration=accepted, require=["a"])
    assert (found["a"].status, found["a"].reason, code) == (Status.NOT_RUN, "half of it has no answer", 1)
