from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pinproof.kernels.checkout import Checkout
from pinproof.kernels.record import CaseResult, CheckResult, Machine, Measurement, encode, statement
from pinproof.verify.evidence.record import parse_record, read_record
from pinproof.verify.evidence.shape import ShapeError
from pinproof.verify.files import InputError

SUBJECTS = {"pyproject.toml": {"sha256": "11" * 32}, "policy": {"dirHash": "22" * 32}}


def _statement(count: int = 3) -> dict[str, Any]:
    cases = [CaseResult(f"t.py::test[{number}]", "passed") for number in range(count)]
    cases.append(CaseResult("t.py::skipped", "not_run", "why"))
    return statement(
        SUBJECTS,
        Checkout("ab" * 20, dirty=False),
        [CheckResult("pins", "passed"), CheckResult("gpu", "passed", "", tuple(cases))],
        machine=Machine({"torch": "2.11.0"}, "NVIDIA H200", "570.1", (16,), emulated=True),
        measurements=[Measurement("gather", 4.5, "us", "component")],
    )


def test_what_is_written_is_read() -> None:
    record = parse_record("a.json", encode(_statement()))
    assert record.subjects == SUBJECTS
    assert (record.result, record.commit, record.dirty) == ("WARNED", "ab" * 20, False)
    gpu = record.check("gpu")
    assert gpu is not None
    assert (gpu.status, gpu.passed, gpu.failed, gpu.not_run) == ("passed", 3, 0, 1)
    assert record.check("lock") is None
    assert record.tests["passed"][0] == "pins"
    assert record.not_run == {"gpu::t.py::skipped": "why"}
    assert record.measurements == (Measurement("gather", 4.5, "us", "component"),)
    assert (record.device, record.world, record.emulated) == ("NVIDIA H200", (16,), True)


def _set(*path: str | int, to: Any) -> Callable[[dict[str, Any]], None]:
    def change(data: Any) -> None:
        for key in path[:-1]:
            data = data[key]
        data[path[-1]] = to

    return change


def _delete(*path: str | int) -> Callable[[dict[str, Any]], None]:
    def change(data: Any) -> None:
        for key in path[:-1]:
            data = data[key]
        del data[path[-1]]

    return change


OURS = ("predicate", "pinproof")
UPPER = {"sha256": "AB" * 32}
CHANGES = [
    (_set("_type", to="https://in-toto.io/Statement/v2"), "_type is 'https://in-toto.io/Statement/v2', expected"),
    (_set("predicateType", to=None), "predicateType is null, expected"),
    (_delete("predicateType"), "predicateType is missing"),
    (_set(*OURS, "schema", to=2), "predicate.pinproof.schema is 2, expected 1; a newer pinproof"),
    (_set(*OURS, "schema", to=True), "predicate.pinproof.schema is true, expected 1"),
    (_set(*OURS, "schema", to=1.0), "predicate.pinproof.schema is 1.0, expected 1"),
    (_delete(*OURS), "predicate.pinproof is missing"),
    (_set("subject", to=[]), "subject is empty"),
    (_set("subject", to={}), "subject is an object, expected an array"),
    (_set("subject", 1, "name", to="policy"), "the subject 'policy' is named twice"),
    (_set("subject", 0, "digest", to={}), "subject[0].digest is an object, expected one sha256 or one dirHash"),
    (_set("subject", 1, "digest", to=UPPER), "expected 64 hexadecimal digits in lower case"),
    (_set("subject", 1, "digest", to={"sha256": "ab"}), "expected 64 hexadecimal digits in lower case"),
    (_set("subject", 1, "digest", to={"sha256": "11" * 32, "sha1": "1" * 40}), "expected one sha256 or one dirHash"),
    (_set("subject", 1, "digest", to={"md5": "1" * 32}), "expected one sha256 or one dirHash"),
    (_set("subject", 1, "digest", to={"sha256": "33" * 32}), "contradicts the subjects about 'pyproject.toml'"),
    (_set(*OURS, "commit", to="cd" * 20), "contradicts the subjects about 'commit'"),
    (_set(*OURS, "commit", to="AB" * 20), "expected a full commit in lower case"),
    (_set(*OURS, "commit", to="main"), "is 'main', expected a full commit"),
    (_set(*OURS, "dirty", to="no"), "predicate.pinproof.dirty is 'no', expected true or false"),
    (_set(*OURS, "dirty", to=0), "predicate.pinproof.dirty is 0, expected true or false"),
    (_set(*OURS, "created", to="yesterday"), "expected a time such as"),
    (_set(*OURS, "created", to="2026-02-30T00:00:00Z"), "expected a time that exists"),
    (_set(*OURS, "created", to="２026-02-20T00:00:00Z"), "expected a time such as"),
    (_set(*OURS, "checks", to=[]), "checks is empty"),
    (_set(*OURS, "checks", 0, "name", to="gpu"), "a check is named twice"),
    (_set(*OURS, "checks", 0, "name", to="a::b"), "expected the name of a check"),
    (_set(*OURS, "checks", 0, "name", to="other"), "tests are listed for 'pins', which is none of the checks"),
    (_set(*OURS, "checks", 0, "status", to="fine"), "is 'fine', expected one of passed, failed, not_run, errored"),
    (_set(*OURS, "checks", 0, "status", to="not_run"), "the check 'pins' is not_run, but listed otherwise"),
    (_set(*OURS, "checks", 1, "passed", to=214), "states 214 passed, 0 failed, 1 not run, but the lists hold 3 passed"),
    (_set(*OURS, "checks", 1, "passed", to=-1), "expected a count"),
    (_set(*OURS, "checks", 1, "passed", to=True), "passed is true, expected a count"),
    (_set(*OURS, "checks", 1, "passed", to=10**100), "expected a count"),
    (_set(*OURS, "checks", 1, "not_run", to=0), "states 3 passed, 0 failed, 0 not run, but"),
    (_set(*OURS, "notRunTests", to=[]), "but the lists hold 3 passed, 0 failed, 0 not run"),
    (_set("predicate", "passedTests", to=["pins"]), "but the lists hold 0 passed"),
    (_set("predicate", "passedTests", to=["pins", 1]), "predicate.passedTests[1] is 1, expected a string"),
    (_set("predicate", "passedTests", 1, to="pins"), "the test 'pins' is named twice"),
    (_set("predicate", "passedTests", 1, to="gpu::t.py::skipped"), "the test 'gpu::t.py::skipped' is named twice"),
    (_set("predicate", "failedTests", to=["gpu::x"]), "the check 'gpu' states 3 passed, 0 failed"),
    (_set("predicate", "result", to="PASSED"), "predicate.result is PASSED, but the checks and tests make it WARNED"),
    (_set("predicate", "result", to="GREAT"), "expected one of PASSED, WARNED, FAILED"),
    (_set(*OURS, "measurements", 0, "value", to="4.5"), "value is '4.5', expected a number"),
    (_set(*OURS, "measurements", 0, "value", to=True), "value is true, expected a number"),
    (_set(*OURS, "measurements", 0, "value", to=10**400), "expected a number that a double holds"),
    (_set(*OURS, "measurements", 0, "scope", to=" "), "expected what the number speaks of"),
    (_set(*OURS, "device", to=7), "device is 7, expected a string"),
    (_set(*OURS, "versions", "torch", to=None), "predicate.pinproof.versions.torch is null, expected a string"),
    (_set(*OURS, "device", to=7), "device is 7"),
]


@pytest.mark.parametrize(("change", "message"), CHANGES, ids=[message for _, message in CHANGES])
def test_every_change_is_named(change: Callable[[dict[str, Any]], None], message: str) -> None:
    data = copy.deepcopy(_statement())
    change(data)
    with pytest.raises(ShapeError) as caught:
        parse_record("a.json", json.dumps(data).encode())
    assert message in str(caught.value)


def test_a_failed_check_makes_the_result_failed() -> None:
    made = statement(SUBJECTS, Checkout(), [CheckResult("pins", "failed")])
    assert parse_record("a.json", encode(made)).result == "FAILED"
    made["predicate"]["result"] = "WARNED"
    with pytest.raises(ShapeError, match="result is WARNED, but the checks and tests make it FAILED"):
        parse_record("a.json", json.dumps(made).encode())


def test_a_passed_check_with_nothing_passed() -> None:
    made = statement(SUBJECTS, Checkout(), [CheckResult("gpu", "passed", "", (CaseResult("a", "not_run", "why"),))])
    with pytest.raises(ShapeError, match="is passed with 0 failed and 0 passed tests"):
        parse_record("a.json", encode(made))


WHOLE = encode(_statement())
TEXTS = [
    (b"", "is cut off: the JSON ends too early at line 1, column 1"),
    (WHOLE[: len(WHOLE) // 2], "is cut off: the JSON ends too early"),
    (WHOLE[:-3], "is cut off: the JSON ends too early"),
    (WHOLE.replace(b":", b"=", 1), "is not JSON: Expecting ':' delimiter at line 2, column 9"),
    (WHOLE + b"{}", "is not JSON: Extra data"),
    (b"\xef\xbb\xbf" + WHOLE, "begins with a byte order mark"),
    (WHOLE.replace(b"gather", b"g\xffther"), "is not UTF-8: byte 0xff"),
    (WHOLE.replace(b'"dirty": false', b'"dirty": true, "dirty": false'), "the key 'dirty' stands twice in one object"),
    (WHOLE.replace(b"4.5", b"NaN"), "holds NaN, which is no JSON number"),
    (WHOLE.replace(b"4.5", b"-Infinity"), "holds -Infinity"),
    (WHOLE.replace(b"4.5", b"1e999"), "holds the number 1e999, which no double holds"),
    (WHOLE.replace(b"4.5", b"1" * 5000), "holds a number with too many digits"),
    (b"[" * 100_000, "is nested too deeply"),
    (b'{"a":' * 100_000, "is nested too deeply"),
    (b"null", "the record is null, expected an object"),
    (b"[]", "the record is an array, expected an object"),
    (b'{"_type": "\\ud800"}', "_type is '\\ud800', expected"),
]


@pytest.mark.parametrize(("text", "message"), TEXTS, ids=[message for _, message in TEXTS])
def test_what_is_no_record(text: bytes, message: str) -> None:
    with pytest.raises(ShapeError) as caught:
        parse_record("a.json", text)
    assert message in str(caught.value)


def test_files_that_are_not_read(tmp_path: Path) -> None:
    large = tmp_path / "large.json"
    with large.open("wb") as file:
        file.truncate(200 * 1024 * 1024)
    with pytest.raises(ShapeError, match="has 209715200 bytes, more than the limit of 67108864"):
        read_record(large)
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "link.json").symlink_to(large)
    with pytest.raises(ShapeError, match="leads out of the project"):
        read_record(inside / "link.json")
    with pytest.raises(ShapeError, match="is a directory, expected a regular file"):
        read_record(inside)
    with pytest.raises(InputError, match="does not exist"):
        read_record(tmp_path / "missing.json")


def test_a_hundred_thousand_results(tmp_path: Path) -> None:
    path = tmp_path / "large.json"
    path.write_bytes(encode(_statement(100_000)))
    record = read_record(path)
    assert len(record.tests["passed"]) == 100_001
