"""Twenty texts of pull requests, and what becomes of every claim in them."""

from __future__ import annotations

import datetime

import pytest

from pinproof.kernels.checkout import Checkout
from pinproof.kernels.record import CaseResult, CheckResult, Machine, Measurement, encode, statement
from pinproof.verify.claims.judge import rulings
from pinproof.verify.evidence.judge import Judged
from pinproof.verify.evidence.record import parse_record

S, C, U = "supported", "contradicted", "unsupported"
SUBJECTS = {"uv.lock": {"sha256": "11" * 32}}
WHEN = datetime.datetime(2026, 12, 3, tzinfo=datetime.UTC)


def _judged(
    path: str, *checks: CheckResult, machine: Machine | None = None, measurements: tuple[Measurement, ...] = ()
) -> Judged:
    made = statement(
        SUBJECTS,
        Checkout("ab" * 20, dirty=False),
        checks,
        machine=machine,
        measurements=measurements,
        created=WHEN,
    )
    return Judged(path=path, record=parse_record(path, encode(made)))


def _cases(count: int, status: str = "passed", name: str = "case") -> tuple[CaseResult, ...]:
    return tuple(
        CaseResult(f"{name} {number}", status, "why" if status == "not_run" else "") for number in range(count)
    )


def _gather(blocks: str, value: float, scope: str) -> Measurement:
    return Measurement(f"paired gather, 8 rows, {blocks}", value, "us", scope, "512 threads, 64 gathers a CUDA graph")


CPU = _judged(
    "cpu.json",
    CheckResult("pins", "passed"),
    CheckResult("lock", "passed"),
    CheckResult("policy", "passed", "", _cases(5)),
    CheckResult("policy-tests", "passed", "", _cases(41)),
    CheckResult("gpu", "not_run", "no CUDA device"),
)
H200_SCOPE = "component, sixteen emulated ranks on one NVIDIA H200"
H200 = _judged(
    "h200.json",
    CheckResult("gpu", "passed", "", (*_cases(214), *_cases(1, "not_run", "pool"))),
    machine=Machine({}, "NVIDIA H200", "570.1", (16,), emulated=True),
    measurements=(_gather("1 row block", 6.1, H200_SCOPE), _gather("2 row blocks", 4.5, H200_SCOPE)),
)
RTX_SCOPE = "component, TP16 on sixteen RTX PRO 6000 over PCIe"
RTX = _judged(
    "rtx.json",
    CheckResult("policy-tests", "passed", "", _cases(41)),
    machine=Machine({}, "NVIDIA RTX PRO 6000 Blackwell", "580.1", (16,), emulated=False),
    measurements=(_gather("1 row block", 33.31, RTX_SCOPE), _gather("2 row blocks", 31.0, RTX_SCOPE)),
)
FAILING = _judged("bad.json", CheckResult("gpu", "failed", "1 failed", (*_cases(213), *_cases(1, "failed", "bad"))))

ORIGIN = """\
Use two row blocks at eight rows

Kimi's paired gather copies the rows of all ranks. With two row blocks at eight rows it goes from 33.31 to 31.00
microseconds on sixteen RTX PRO 6000. This is one component; it says nothing about a whole model.

41 focused CPU checks pass. GPU tests were not rerun.
"""

TEXTS = {
    "the case that the policy came from": (
        ORIGIN,
        [CPU, RTX],
        [("33.31 to 31.00 microseconds", S), ("41 focused cpu checks pass", S), ("gpu tests were not rerun", S)],
    ),
    "the same without the measurement": (
        ORIGIN,
        [CPU],
        [("33.31 to 31.00 microseconds", U), ("41 focused cpu checks pass", S), ("gpu tests were not rerun", S)],
    ),
    "the same with a GPU run": (
        ORIGIN,
        [CPU, H200],
        [("33.31 to 31.00 microseconds", U), ("41 focused cpu checks pass", S), ("gpu tests were not rerun", C)],
    ),
    "a component as a whole model": (
        "The paired gather at 8 rows takes 31.00 us instead of 33.31 us.\nKimi decode latency improves by 7 %.",
        [RTX],
        [("31.00 us instead of 33.31 us", S), ("7 %", C)],
    ),
    "a model, and how it is done": ("Two row blocks at eight rows: Kimi runs 7% faster.", [RTX], [("7%", C)]),
    "a model alone": ("This makes Kimi 7% faster.", [RTX], [("7%", C)]),
    "numbers as other people write them": (
        "Der paired gather: 33,31 µs → 31,00 µs (−6,9 %), i.e. 1.07× at 8 rows.",
        [RTX],
        [("33,31 us → 31,00 us", S), ("6,9 %", S), ("1.07x", S)],
    ),
    "a percentage that the numbers beside it do not give": (
        "The paired gather drops from 33.31 to 31.00 us at 8 rows, 12% faster.",
        [RTX],
        [("33.31 to 31.00 us", S), ("12%", C)],
    ),
    "the wrong direction": (
        "The paired gather went from 33.31 to 31.00 us, 7 % slower.",
        [RTX],
        [("33.31 to 31.00 us", S), ("7 %", C)],
    ),
    "another number for the same thing": (
        "The paired gather takes 3.9 us at 8 rows with 2 row blocks on an H200.",
        [H200],
        [("3.9 us", C)],
    ),
    "another device": (
        "The paired gather at 8 rows with 2 row blocks takes 4.5 us on the H100.",
        [H200],
        [("4.5 us", U)],
    ),
    "other rows": ("The paired gather takes 4.5 us at 4 rows.", [H200], [("4.5 us", U)]),
    "another kernel": ("The attention kernel takes 4.5 us.", [H200], [("4.5 us", U)]),
    "counts of GPU tests": (
        "214 GPU tests passed. All 300 GPU tests pass on the H200.",
        [H200],
        [("214 gpu tests passed", S), ("300 gpu tests pass", C)],
    ),
    "a count with a failure beside it": ("213 GPU tests pass.", [FAILING], [("213 gpu tests pass", C)]),
    "all tests": ("All tests pass. CI is green.", [CPU], [("all tests pass", C), ("ci is green", C)]),
    "all tests on two machines": ("All tests pass.", [CPU, H200], [("all tests pass", S)]),
    "validated": (
        "Validated on H200. Also tested on B200.",
        [CPU, H200],
        [("validated on h200", S), ("also tested on b200", U)],
    ),
    "validated end to end": ("Verified end to end.", [CPU, H200], [("verified end to end", C)]),
    "pytest's own words": (
        "```\n41 passed, 3 skipped in 2.10s\n```",
        [CPU],
        [("41 passed", S), ("3 skipped", U), ("2.10s", U)],
    ),
    "a table": (
        "| what | before (us) | after (us) | change |\n|-|-|-|-|\n| paired gather 8 rows | 6.1 | 4.5 | -26 % |",
        [H200],
        [("6.1 us", S), ("4.5 us", S), ("26 %", S)],
    ),
    "nothing is claimed": ("Fix a typo in the README. See #12 and commit 7bb37d6.", [CPU], []),
}


@pytest.mark.parametrize("name", TEXTS)
def test_every_claim(name: str) -> None:
    text, judged, expected = TEXTS[name]
    found = [(" ".join(ruling.claim.quote.split()), ruling.verdict.value) for ruling in rulings(text, judged)]
    assert found == expected, [ruling.reason for ruling in rulings(text, judged)]
