from __future__ import annotations

import datetime
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pinproof.kernels.checkout import Checkout
from pinproof.kernels.record import (
    CaseResult,
    CheckResult,
    Machine,
    Measurement,
    encode,
    result,
    statement,
    write,
)

COMMIT = "ab" * 20
SUBJECTS = {"uv.lock": {"sha256": "22" * 32}, "pyproject.toml": {"sha256": "11" * 32}, "policy": {"dirHash": "33" * 32}}
WHEN = datetime.datetime(2026, 12, 3, 11, 0, tzinfo=datetime.timezone(datetime.timedelta(hours=1)))
GPU = CheckResult(
    "gpu",
    "failed",
    "1 of 4 failed",
    (
        CaseResult("t.py::a", "passed"),
        CaseResult("t.py::b", "failed"),
        CaseResult("t.py::c", "not_run", "needs two devices"),
        CaseResult("t.py::a", "warned"),
    ),
)


def test_the_whole_statement() -> None:
    machine = Machine({"torch": "2.11.0"}, "NVIDIA H200", "570.1", (2, 16), emulated=True)
    measured = Measurement("paired gather, 8 rows", 4.5, "us", "component, sixteen emulated ranks", "median of 9")
    made = statement(
        SUBJECTS,
        Checkout(COMMIT, dirty=False),
        [CheckResult("pins", "passed"), GPU],
        machine=machine,
        measurements=[measured],
        created=WHEN,
    )
    assert json.loads(encode(made)) == {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [
            {"name": "policy", "digest": {"dirHash": "33" * 32}},
            {"name": "pyproject.toml", "digest": {"sha256": "11" * 32}},
            {"name": "uv.lock", "digest": {"sha256": "22" * 32}},
        ],
        "predicateType": "https://in-toto.io/attestation/test-result/v0.1",
        "predicate": {
            "result": "FAILED",
            "configuration": [
                {"name": "pyproject.toml", "digest": {"sha256": "11" * 32}},
                {"name": "uv.lock", "digest": {"sha256": "22" * 32}},
                {"name": "commit", "digest": {"gitCommit": COMMIT}},
            ],
            "passedTests": ["pins", "gpu::t.py::a"],
            "warnedTests": ["gpu::t.py::a #2"],
            "failedTests": ["gpu::t.py::b"],
            "pinproof": {
                "schema": 1,
                "commit": COMMIT,
                "dirty": False,
                "commitReason": "",
                "created": "2026-12-03T10:00:00Z",
                "checks": [
                    {"name": "pins", "status": "passed", "passed": 0, "failed": 0, "not_run": 0, "reason": ""},
                    {
                        "name": "gpu",
                        "status": "failed",
                        "passed": 2,
                        "failed": 1,
                        "not_run": 1,
                        "reason": "1 of 4 failed",
                    },
                ],
                "notRunTests": [{"name": "gpu::t.py::c", "reason": "needs two devices"}],
                "versions": {"torch": "2.11.0"},
                "device": "NVIDIA H200",
                "driver": "570.1",
                "world": [2, 16],
                "emulated": True,
                "measurements": [
                    {
                        "name": "paired gather, 8 rows",
                        "value": 4.5,
                        "unit": "us",
                        "scope": "component, sixteen emulated ranks",
                        "conditions": "median of 9",
                    }
                ],
            },
        },
    }


PASSED = CheckResult("pins", "passed")
ONE_SKIPPED = CheckResult("gpu", "passed", "", (CaseResult("a", "passed"), CaseResult("b", "not_run", "why")))


@pytest.mark.parametrize(
    ("checks", "required", "expected"),
    [
        ([PASSED], [], "PASSED"),
        ([PASSED], ["pins"], "PASSED"),
        ([PASSED], ["gpu"], "FAILED"),
        ([PASSED, CheckResult("gpu", "not_run", "no device")], [], "WARNED"),
        ([PASSED, CheckResult("gpu", "not_run", "no device")], ["gpu"], "FAILED"),
        ([PASSED, ONE_SKIPPED], ["gpu"], "WARNED"),
        ([CheckResult("pins", "passed", warned=True)], [], "WARNED"),
        ([CheckResult("pins", "errored", "a bug")], [], "FAILED"),
        ([PASSED, GPU], [], "FAILED"),
        ([CheckResult("gpu", "not_run", "no device"), CheckResult("lock", "failed")], [], "FAILED"),
        ([], [], "FAILED"),
    ],
)
def test_the_result_is_never_passed_where_something_did_not_run(
    checks: list[CheckResult], required: list[str], expected: str
) -> None:
    assert result(checks, required) == expected


def test_a_check_without_cases_is_listed_under_its_own_name() -> None:
    checks = [
        CheckResult("pins", "passed", warned=True),
        CheckResult("lock", "not_run", "no uv"),
        CheckResult("gpu", "errored", "a bug"),
    ]
    predicate = statement(SUBJECTS, Checkout(), checks)["predicate"]
    assert predicate["warnedTests"] == ["pins"]
    assert predicate["failedTests"] == ["gpu"]
    assert predicate["pinproof"]["notRunTests"] == [{"name": "lock", "reason": "no uv"}]


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_measurement_is_finite(value: float) -> None:
    with pytest.raises(ValueError, match="expected a finite number"):
        statement(SUBJECTS, Checkout(), [PASSED], measurements=[Measurement("m", value, "us", "component")])


def test_wrong_checks() -> None:
    with pytest.raises(ValueError, match="two checks have one name"):
        statement(SUBJECTS, Checkout(), [PASSED, PASSED])
    with pytest.raises(ValueError, match="the status 'fine', which does not exist"):
        statement(SUBJECTS, Checkout(), [CheckResult("pins", "fine")])


def test_one_spelling_for_one_statement() -> None:
    first = statement(SUBJECTS, Checkout(), [PASSED], created=WHEN)
    second = statement(dict(reversed(SUBJECTS.items())), Checkout(), [PASSED], created=WHEN)
    assert encode(first) == encode(second)
    assert encode({"b": "é", "a": 1}) == b'{\n "a": 1,\n "b": "\\u00e9"\n}\n'


def test_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    write(path, {"a": 1})
    with pytest.raises(ValueError, match="not JSON compliant"):
        write(path, {"a": float("nan")})
    with pytest.raises(IsADirectoryError):
        write(tmp_path, {"a": 2})
    assert path.read_text() == '{\n "a": 1\n}\n'
    assert [file.name for file in tmp_path.iterdir()] == ["record.json"]


def test_two_writers_do_not_mix(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    code = (
        "import sys, pathlib; from pinproof.kernels.record import write\n"
        "for _ in range(40): write(pathlib.Path(sys.argv[1]), {'who': [sys.argv[2]] * 5000})"
    )
    writers = [subprocess.Popen([sys.executable, "-c", code, str(path), who]) for who in ("left", "right")]
    seen = set()
    while any(writer.poll() is None for writer in writers):
        if path.exists():
            who = json.loads(path.read_text())["who"]
            assert len(who) == 5000
            seen.add(frozenset(who))
    assert [writer.returncode for writer in writers] == [0, 0]
    assert seen <= {frozenset(["left"]), frozenset(["right"])}
    assert os.listdir(tmp_path) == ["record.json"]  # noqa: PTH208 - hidden files too


def test_the_writer_needs_the_standard_library_only() -> None:
    code = (
        "import sys; before = set(sys.modules)\n"
        "import pinproof.kernels.record, pinproof.kernels.subjects, pinproof.kernels.checkout\n"
        "new = {name.partition('.')[0] for name in set(sys.modules) - before}\n"
        "print(sorted(new - sys.stdlib_module_names - {'pinproof'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert [name for name in eval(done.stdout) if not name.startswith("_")] == []  # noqa: S307
