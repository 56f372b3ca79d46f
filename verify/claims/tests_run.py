"""Claims about tests, held against the checks that records name."""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.gate import counts
from ..evidence.record import CheckRecord, Record
from .context import devices, normal_devices, speaks_of_whole_model
from .find import Claim, Kind
from .ruling import Evidence, Ruling, Verdict


def rule(claim: Claim, evidence: Evidence) -> Ruling:
    """Return the ruling on a claim about tests."""
    if claim.kind is Kind.COUNT:
        return _count(claim, evidence)
    if claim.kind is Kind.NOT_RUN:
        return _not_run(claim, evidence)
    if claim.kind is Kind.VALIDATED:
        return _validated(claim, evidence)
    return _passed(claim, evidence.counted)


def _about(record: Record, part: str) -> Iterator[CheckRecord]:
    """Yield the checks that a part means: `policy` means policy and policy-tests, `cpu` all but gpu."""
    for check in record.checks:
        kin = check.name == part or check.name.startswith(f"{part}-")
        if not part or kin or (part == "cpu" and check.name != "gpu"):
            yield check


def _count(claim: Claim, evidence: Evidence) -> Ruling:
    seen = []
    for path, record in evidence.counted:
        checks = [check for check in _about(record, claim.part) if check.passed + check.failed + check.not_run]
        groups = [*([check] for check in checks), checks] if len(checks) > 1 else [checks]
        for group in groups:
            if sum(getattr(check, claim.status) for check in group) == claim.count and group:
                return _counted(claim, path, group)
        seen += [f"{check.name} {counts(check)} ({path})" for check in checks]
    if not seen:
        return Ruling(claim=claim, verdict=Verdict.UNSUPPORTED, reason="no record counts such tests")
    definite = claim.part not in ("", "cpu")
    verdict = Verdict.CONTRADICTED if definite else Verdict.UNSUPPORTED
    return Ruling(claim=claim, verdict=verdict, reason=f"the records say: {'; '.join(seen)}")


def _counted(claim: Claim, path: str, group: list[CheckRecord]) -> Ruling:
    said = ", ".join(f"{check.name} {counts(check)}" for check in group)
    bad = [check for check in group if check.status in ("failed", "errored")]
    if claim.status == "passed" and bad:
        return Ruling(claim=claim, verdict=Verdict.CONTRADICTED, reason=f"not all passed: {said}", record=path)
    return Ruling(claim=claim, verdict=Verdict.SUPPORTED, reason=said, record=path)


def _passed(claim: Claim, counted: list[tuple[str, Record]]) -> Ruling:
    found = [(path, check) for path, record in counted for check in _about(record, claim.part)]
    for path, check in found:
        if check.status in ("failed", "errored"):
            reason = f"{check.name} failed: {counts(check)}"
            return Ruling(claim=claim, verdict=Verdict.CONTRADICTED, reason=reason, record=path)
    passed = {check.name: path for path, check in found if check.status == "passed"}
    missing = [(path, check) for path, check in found if check.name not in passed]
    if passed and (not missing or claim.part not in ("", "cpu")):
        reason = ", ".join(f"{check.name} {counts(check)}" for _, check in found if check.status == "passed")
        return Ruling(claim=claim, verdict=Verdict.SUPPORTED, reason=reason, record=min(passed.values()))
    if not found:
        return Ruling(claim=claim, verdict=Verdict.UNSUPPORTED, reason="no record speaks of it")
    reason = "; ".join(f"{check.name} did not run: {check.reason or 'no reason is given'}" for _, check in missing)
    definite = claim.everything or not passed
    verdict = Verdict.CONTRADICTED if definite else Verdict.UNSUPPORTED
    return Ruling(claim=claim, verdict=verdict, reason=reason, record=missing[0][0])


def _not_run(claim: Claim, evidence: Evidence) -> Ruling:
    found = [(path, check) for path, record in evidence.counted for check in _about(record, claim.part)]
    ran = [(path, check) for path, check in found if check.status != "not_run"]
    idle = [(path, check) for path, check in found if check.status == "not_run"]
    if claim.part and ran:
        path, check = ran[0]
        reason = f"{check.name} did run: {counts(check)}"
        return Ruling(claim=claim, verdict=Verdict.CONTRADICTED, reason=reason, record=path)
    if idle:
        path, check = idle[0]
        reason = f"{check.name} did not run: {check.reason or 'no reason is given'}"
        return Ruling(claim=claim, verdict=Verdict.SUPPORTED, reason=reason, record=path)
    if claim.part:
        return Ruling(claim=claim, verdict=Verdict.SUPPORTED, reason="no record says that they ran")
    return Ruling(claim=claim, verdict=Verdict.UNSUPPORTED, reason="no record says what did not run")


def _validated(claim: Claim, evidence: Evidence) -> Ruling:
    named = devices(claim.quote) or devices(claim.sentence.text)
    counted = [
        (path, record) for path, record in evidence.counted if not named or named & normal_devices(record.device)
    ]
    if named and not counted:
        others = sorted({record.device for _, record in evidence.counted if record.device})
        there = f"; there are records of {', '.join(others)}" if others else ""
        reason = f"no record is of {', '.join(sorted(named))}{there}"
        return Ruling(claim=claim, verdict=Verdict.UNSUPPORTED, reason=reason)
    ruling = _passed(claim, counted)
    whole = speaks_of_whole_model(claim.sentence.text)
    scopes = [m.scope.lower() for _, record in counted for m in record.measurements]
    if whole and ruling.verdict is Verdict.SUPPORTED and not any(not s.startswith("component") for s in scopes):
        reason = "the records are of components, and no record speaks of a whole model"
        return Ruling(claim=claim, verdict=Verdict.CONTRADICTED, reason=reason, record=ruling.record, overreach=True)
    return ruling
