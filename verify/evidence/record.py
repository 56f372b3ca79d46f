"""Reading one record: what `pinproof.kernels.record` writes, and nothing else."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pinproof.kernels.record import CASE_STATUSES, CHECK_STATUSES, PREDICATE_TYPE, SCHEMA, STATEMENT_TYPE, Measurement

from ..escape import excerpt
from ..files import InputError, read_regular
from .shape import At, ShapeError, parse

SIZE_LIMIT = 64 * 1024 * 1024
"""Bytes of a record that is read; 100,000 test results take about 10 MB."""

_COMMIT = r"[0-9a-f]{40}|[0-9a-f]{64}"
_DIGEST = r"[0-9a-f]{64}"
_NAME = r"[A-Za-z0-9][A-Za-z0-9_.-]*"
_TIME = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRecord:
    """One check as recorded; the counts are of its cases."""

    name: str
    status: str
    passed: int
    failed: int
    not_run: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One run as recorded. `raw` are the bytes that a signature is over."""

    path: str
    raw: bytes
    subjects: Mapping[str, Mapping[str, str]]
    result: str
    commit: str | None
    dirty: bool | None
    commit_reason: str
    created: datetime.datetime
    checks: tuple[CheckRecord, ...]
    tests: Mapping[str, tuple[str, ...]]
    not_run: Mapping[str, str]
    versions: Mapping[str, str]
    device: str | None
    driver: str | None
    world: tuple[int, ...]
    emulated: bool | None
    measurements: tuple[Measurement, ...]

    def check(self, name: str) -> CheckRecord | None:
        return next((check for check in self.checks if check.name == name), None)


def read_record(path: Path) -> Record:
    """Read the record in the file `path`.

    Raises:
        InputError: there is no such file.
        ShapeError: the file is not one whole, consistent record of a schema that is known.
    """
    try:
        raw = read_regular(path.parent, path.name, limit=SIZE_LIMIT)
    except FileNotFoundError:
        raise InputError(
            str(path), "does not exist", hint="name a record that `--evidence` or `--record` wrote"
        ) from None
    except InputError as error:
        raise ShapeError(str(error).partition(": ")[2]) from None
    return parse_record(str(path), raw)


def parse_record(path: str, raw: bytes) -> Record:
    """Read a record from its bytes. Raises `ShapeError`."""
    root = At(parse(raw))
    _expect(root.key("_type"), STATEMENT_TYPE)
    _expect(root.key("predicateType"), PREDICATE_TYPE)
    predicate = root.key("predicate")
    ours = predicate.key("pinproof")
    schema = ours.key("schema")
    if type(schema.value) is not int or schema.value != SCHEMA:
        schema.fail(f"{SCHEMA}; a newer pinproof may know this schema")
    subjects = dict(_subjects(root.key("subject")))
    commit = ours.key("commit").optional(lambda at: at.text(_COMMIT, "a full commit in lower case"))
    _configuration(predicate.key("configuration"), subjects, commit)
    record = Record(
        path=path,
        raw=raw,
        subjects=subjects,
        result=predicate.key("result").one_of("PASSED", "WARNED", "FAILED"),
        commit=commit,
        dirty=ours.key("dirty").optional(At.flag),
        commit_reason=ours.key("commitReason").text(),
        created=_time(ours.key("created")),
        checks=tuple(_check(at) for at in ours.key("checks").items()),
        tests={status: predicate.key(name).texts() for status, name in CASE_STATUSES.items() if status != "not_run"},
        not_run=dict(_not_run(ours.key("notRunTests"))),
        versions={name: at.text() for name, at in ours.key("versions").entries()},
        device=ours.key("device").optional(At.text),
        driver=ours.key("driver").optional(At.text),
        world=tuple(at.count() for at in ours.key("world").items()),
        emulated=ours.key("emulated").optional(At.flag),
        measurements=tuple(_measurement(at) for at in ours.key("measurements").items()),
    )
    _require_consistent(record)
    return record


def _expect(at: At, value: str) -> None:
    if at.value != value:
        at.fail(repr(value))


def _subjects(at: At) -> Iterator[tuple[str, dict[str, str]]]:
    seen = set()
    for subject in at.items():
        name = subject.key("name").text(r"[^\0]+", "a path")
        if name in seen:
            raise ShapeError(f"the subject '{excerpt(name, 80)}' is named twice")
        seen.add(name)
        yield name, {kind: digest.text(_DIGEST, _SIXTY_FOUR) for kind, digest in _digest(subject)}
    if not seen:
        raise ShapeError("subject is empty, expected what was tested")


_SIXTY_FOUR = "64 hexadecimal digits in lower case"


def _digest(subject: At) -> Iterator[tuple[str, At]]:
    found = list(subject.key("digest").entries())
    if [kind for kind, _ in found] not in (["sha256"], ["dirHash"]):
        subject.key("digest").fail("one sha256 or one dirHash")
    return iter(found)


def _configuration(at: At, subjects: Mapping[str, Mapping[str, str]], commit: str | None) -> None:
    """Other readers of the predicate look here: what it says must be what the subjects say."""
    for entry in at.items():
        name = entry.key("name").text()
        digest = {kind: value.text() for kind, value in entry.key("digest").entries()}
        if digest != ({"gitCommit": commit} if name == "commit" else subjects.get(name)):
            raise ShapeError(f"{entry.path} contradicts the subjects about '{excerpt(name, 80)}'")


def _time(at: At) -> datetime.datetime:
    text = at.text(_TIME, "a time such as 2026-12-03T10:00:00Z")
    try:
        return datetime.datetime.fromisoformat(text)
    except ValueError:
        at.fail("a time that exists")


def _check(at: At) -> CheckRecord:
    return CheckRecord(
        name=at.key("name").text(_NAME, "the name of a check"),
        status=at.key("status").one_of(*CHECK_STATUSES),
        passed=at.key("passed").count(),
        failed=at.key("failed").count(),
        not_run=at.key("not_run").count(),
        reason=at.key("reason").text(),
    )


def _not_run(at: At) -> Iterator[tuple[str, str]]:
    seen = set()
    for test in at.items():
        name = test.key("name").text()
        if name in seen:
            raise ShapeError(f"the test '{excerpt(name, 80)}' is named twice")
        seen.add(name)
        yield name, test.key("reason").text()


def _measurement(at: At) -> Measurement:
    some = r"\s*\S.*"
    return Measurement(
        name=at.key("name").text(some, "a name"),
        value=at.key("value").number(),
        unit=at.key("unit").text(some, "a unit"),
        scope=at.key("scope").text(some, "what the number speaks of"),
        conditions=at.key("conditions").text(),
    )


def _require_consistent(record: Record) -> None:
    """Hold the record against itself: counts against lists, statuses against counts, the result against all."""
    names = [*record.not_run, *(name for tests in record.tests.values() for name in tests)]
    if len(set(names)) != len(names):
        twice = Counter(names).most_common(1)[0][0]
        raise ShapeError(f"the test '{excerpt(twice, 80)}' is named twice")
    if len({check.name for check in record.checks}) != len(record.checks):
        raise ShapeError("a check is named twice")
    if not record.checks:
        raise ShapeError("predicate.pinproof.checks is empty, expected at least one check")
    listed = {status: Counter(name.partition("::")[0] for name in tests) for status, tests in record.tests.items()}
    listed["not_run"] = Counter(name.partition("::")[0] for name in record.not_run)
    strangers = set().union(*listed.values()) - {check.name for check in record.checks}
    if strangers:
        raise ShapeError(f"tests are listed for '{excerpt(min(strangers), 80)}', which is none of the checks")
    alone = {name for name in names if "::" not in name}
    for check in record.checks:
        counts = {status: counter[check.name] for status, counter in listed.items()}
        _require_counts(check, counts, alone=check.name in alone)
    expected = _result(record)
    if record.result not in expected:
        raise ShapeError(f"predicate.result is {record.result}, but the checks and tests make it {expected[0]}")


def _require_counts(check: CheckRecord, counts: Mapping[str, int], *, alone: bool) -> None:
    if alone:
        allowed = {"passed": ("passed", "warned"), "errored": ("failed",)}.get(check.status, (check.status,))
        if sum(counts.values()) != 1 or not any(counts[status] for status in allowed):
            raise ShapeError(f"the check {check.name!r} is {check.status}, but listed otherwise")
        counts = dict.fromkeys(counts, 0)
    found = (counts["passed"] + counts["warned"], counts["failed"], counts["not_run"])
    if found != (check.passed, check.failed, check.not_run):
        stated = f"{check.passed} passed, {check.failed} failed, {check.not_run} not run"
        listed = f"{found[0]} passed, {found[1]} failed, {found[2]} not run"
        raise ShapeError(f"the check {check.name!r} states {stated}, but the lists hold {listed}")
    if not alone and not sum(found):
        raise ShapeError(f"the check {check.name!r} is in none of the lists")
    if check.status == "passed" and (check.failed or (not check.passed and not alone)):
        raise ShapeError(
            f"the check {check.name!r} is passed with {check.failed} failed and {check.passed} passed tests"
        )


def _result(record: Record) -> tuple[str, ...]:
    """Return what the result may be, the expected one first: a run may be harder on itself, never softer."""
    statuses = {check.status for check in record.checks}
    if statuses & {"failed", "errored"} or record.tests["failed"]:
        return ("FAILED",)
    # FAILED where the run required what did not run: only the run knew what it required.
    return ("WARNED", "FAILED") if record.not_run or record.tests["warned"] else ("PASSED", "WARNED")
