"""Measured policy tables are held against their evidence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pinproof.kernels.measure.result import Line, Result
from pinproof.kernels.measure.tuning import policy_table
from pinproof.verify import Options, check

PYPROJECT = '[project]\nname = "app"\nversion = "1"\n[tool.pinproof]\ntables = ["policy/measured.toml"]\n'
LOCK = 'version = 1\n[[package]]\nname = "app"\nversion = "1"\nsource = { virtual = "." }\n'
SAMPLES = {"pull:1": (5.0, 5.1, 5.2), "pull:2": (4.0, 4.1, 4.2)}
MEASURED = Result(
    world=16,
    emulated=True,
    topology="16 ranks emulated on one GPU",
    device="a GPU",
    date="2026-12-01T13:00:00Z",
    command="pinproof tune gather",
    versions={"torch": "2.11.0"},
    telemetry={},
    gathers=64,
    lines=(Line(8, SAMPLES, dict.fromkeys(SAMPLES, True)),),
)

Found = Callable[..., list[str]]


@pytest.fixture
def found(write_project: Callable[..., Path]) -> Found:
    """What the check says of a table and its evidence, each edited from `old` to `new`."""

    def run(table: tuple[str, str] = ("", ""), evidence: tuple[str, str] = ("", ""), **files: str) -> list[str]:
        encoded = MEASURED.encode()
        text = policy_table(MEASURED, "evidence/a.json", encoded).decode()
        assert table[0] in text
        assert evidence[0] in encoded.decode()
        given = {
            "pyproject.toml": PYPROJECT,
            "uv.lock": LOCK,
            "policy/measured.toml": text.replace(*table) if table[0] else text,
            "evidence/a.json": encoded.decode().replace(*evidence) if evidence[0] else encoded.decode(),
        }
        root = write_project(given | files)
        (outcome,) = check(root, options=Options(static=True), select=["policy-tables"]).outcomes
        return [finding.message for finding in outcome.findings] or [outcome.status.value + outcome.reason]

    return run


def test_a_table_with_its_evidence(found: Found) -> None:
    assert found() == ["passed"]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (("8 = 2", "8 = 4"), "its row blocks is {8: 4}, and its evidence evidence/a.json says {8: 2}"),
        (("default = 1", "default = 2"), "its default is 2, and its evidence evidence/a.json says 1"),
        (('"pull"', '"push"'), "its transport is push, and its evidence evidence/a.json says pull"),
        (("emulated = true", "emulated = false"), "its emulated is False, and its evidence evidence/a.json says True"),
        (("world = 16", "world = 8"), "its world is 8, and its evidence evidence/a.json says 16"),
        (("samples = 3", "samples = 300"), "its samples is 300, and its evidence evidence/a.json says 3"),
        (
            ("2026-12-01T13", "2026-12-02T13"),
            "its date is 2026-12-02T13:00:00Z, and its evidence evidence/a.json says 2026-12-01T13:00:00Z",
        ),
        (
            ('"2.11.0"', '"2.12.0"'),
            "its versions is {'torch': '2.12.0'}, and its evidence evidence/a.json says {'torch': '2.11.0'}",
        ),
        (("8 = 2", "8 = 0"), "row-blocks.8 is 0, expected an integer from 1 to 64"),
        (("evidence/a.json", "evidence/b.json"), "its evidence evidence/b.json does not exist"),
    ],
)
def test_a_table_changed_by_hand(found: Found, table: tuple[str, str], message: str) -> None:
    assert found(table) == [f"policy/measured.toml: {message}"]


def test_evidence_changed_by_hand(found: Found) -> None:
    (message,) = found(("", ""), ("4.1", "3.1"))
    assert message.startswith("policy/measured.toml: its evidence evidence/a.json has the digest ")


def test_no_table(found: Found) -> None:
    assert found(**{"pyproject.toml": PYPROJECT.replace("measured", "absent")}) == [
        "policy/absent.toml: does not exist"
    ]
    assert found(**{"pyproject.toml": PYPROJECT.split("[tool")[0]}) == ["not_run[tool.pinproof] tables lists none"]
