from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pinproof.policy import LaunchPolicy, PolicyError, Provenance, load, loads

SHA256 = "0123456789abcdef" * 4

GOOD = f"""\
schema = 1
transport = "push"
default = 1

[row-blocks]
4 = 2
8 = 4

[provenance]
device = "NVIDIA H200"
topology = "16 ranks emulated on one GPU"
world = 16
emulated = true
date = 2026-12-01T08:00:00Z
samples = 25
versions = {{ torch = "2.11.0", triton = "3.6.0" }}
evidence = "evidence/tune.json"
evidence-sha256 = "{SHA256}"
"""


def policy(text: str = GOOD) -> LaunchPolicy:
    return loads(text.encode())


def test_a_table(tmp_path: Path) -> None:
    path = tmp_path / "h200.toml"
    path.write_text(GOOD)
    loaded = load(path)
    assert [loaded.row_blocks(rows) for rows in range(1, 10)] == [1, 1, 1, 2, 1, 1, 1, 4, 1]
    assert (loaded.transport, loaded.default, dict(loaded.table)) == ("push", 1, {4: 2, 8: 4})
    assert loaded.provenance == Provenance(
        device="NVIDIA H200",
        topology="16 ranks emulated on one GPU",
        world=16,
        emulated=True,
        date=datetime(2026, 12, 1, 8, tzinfo=UTC),
        samples=25,
        versions={"torch": "2.11.0", "triton": "3.6.0"},
        evidence="evidence/tune.json",
        evidence_sha256=SHA256,
    )


def test_the_lookup_takes_what_the_reviewed_policy_takes() -> None:
    class Eight:
        def __index__(self) -> int:
            return 8

    assert policy().row_blocks(Eight()) == 4
    with pytest.raises(TypeError, match="row capacity must be an integer, got the bool True"):
        policy().row_blocks(True)
    with pytest.raises(TypeError, match=r"row capacity must be an integer, got 8\.0 of type float"):
        policy().row_blocks(8.0)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="at least 1 physical row, got 0"):
        policy().row_blocks(0)


def test_the_digest_is_of_the_content_and_not_of_the_text() -> None:
    assert re.fullmatch(r"[0-9a-f]{64}", policy().digest)
    assert policy("# tuned\n" + GOOD.replace("4 = 2\n8 = 4", "8   = 4\n4 = 2")).digest == policy().digest
    others = [
        GOOD.replace("8 = 4", "8 = 5"),
        GOOD.replace("default = 1", "default = 2"),
        GOOD.replace('"push"', '"pull"'),
        GOOD.replace("samples = 25", "samples = 26"),
        GOOD.replace("08:00:00Z", "09:00:00Z"),
    ]
    assert len({policy().digest, *(policy(other).digest for other in others)}) == 6


def test_a_loaded_policy_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        policy().default = 2  # type: ignore[misc]
    with pytest.raises(TypeError):
        policy().table[8] = 1  # type: ignore[index]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("schema = 1", "schema = 2", "schema is 2, expected 1; this pinproof reads no other"),
        ("schema = 1\n", "", "schema is None, expected 1; this pinproof reads no other"),
        ("schema = 1", "schema = true", "schema is True, expected 1; this pinproof reads no other"),
        ('"push"', '"nvlink"', "transport is 'nvlink', expected pull or push"),
        ("default = 1", "default = 0", "default is 0, expected an integer from 1 to 64"),
        ("default = 1\n", "", "default is missing, expected an integer from 1 to 64"),
        (
            "default = 1",
            "defualt = 1",
            "defualt is unknown, expected schema, transport, default, row-blocks, provenance",
        ),
        ("8 = 4", "8 = 65", "row-blocks.8 is 65, expected an integer from 1 to 64"),
        ("8 = 4", "8 = true", "row-blocks.8 is True, expected an integer from 1 to 64"),
        ("8 = 4", "8 = 2.0", "row-blocks.8 is 2.0, expected an integer from 1 to 64"),
        ("8 = 4", "0 = 4", "row-blocks has the key '0', expected a row capacity from 1 to 1048576"),
        ("8 = 4", "08 = 4", "row-blocks has the key '08', expected a row capacity from 1 to 1048576"),
        ("8 = 4", "1048577 = 4", "row-blocks has the key '1048577', expected a row capacity from 1 to 1048576"),
        ("8 = 4", '"٨" = 4', "row-blocks has the key '٨', expected a row capacity from 1 to 1048576"),
        ("[row-blocks]", "[row-block]", "row-blocks is missing, expected a table"),
        ("world = 16", "world = '16'", "provenance.world is '16', expected an integer from 1 to 1024"),
        ("emulated = true", "emulated = 1", "provenance.emulated is 1, expected true or false"),
        ("T08:00:00Z", "", "provenance.date is datetime.date(2026, 12, 1), expected a date and time with a time zone"),
        ("samples = 25\n", "", "provenance.samples is missing, expected an integer from 1 to 1000000"),
        ("{ torch = ", "{ torch = 2, t = ", "provenance.versions is {'torch': 2, 't': '2.11.0', 'triton': '3.6.0'}"),
        (
            "evidence/tune.json",
            "../tune.json",
            "provenance.evidence is '../tune.json', expected a path inside the project",
        ),
        ("evidence/tune.json", "/tune.json", "provenance.evidence is '/tune.json', expected a path inside the project"),
        (SHA256, "abc", "provenance.evidence-sha256 is 'abc', expected 64 hexadecimal digits in lower case"),
        ("NVIDIA H200", "", "provenance.device is '', expected printable text on one line"),
        ("NVIDIA H200", r"a\u0007", r"provenance.device is 'a\x07', expected printable text on one line"),
        ("samples = 25", "samples = 25\nhost = 'x'", "provenance.host is unknown, expected device, topology, world"),
    ],
)
def test_tables_that_are_refused(old: str, new: str, problem: str) -> None:
    assert GOOD.count(old) == 1
    with pytest.raises(PolicyError) as raised:
        loads(GOOD.replace(old, new).encode(), "h200.toml")
    assert f"h200.toml: {problem}" in str(raised.value)


def test_all_problems_are_named_at_once() -> None:
    with pytest.raises(PolicyError) as raised:
        loads(GOOD.replace("8 = 4", "8 = 0").replace("world = 16", "world = 0").encode(), "t.toml")
    assert str(raised.value).splitlines() == [
        "t.toml: row-blocks.8 is 0, expected an integer from 1 to 64",
        "t.toml: provenance.world is 0, expected an integer from 1 to 1024",
    ]


@pytest.mark.parametrize("content", [b"schema = ", b"\xff", b"a = " + b"[" * 5000])
def test_what_is_no_toml(content: bytes) -> None:
    with pytest.raises(PolicyError, match=r"^t\.toml: not TOML: "):
        loads(content, "t.toml")


def test_a_file_that_is_too_large(tmp_path: Path) -> None:
    path = tmp_path / "t.toml"
    path.write_text("#" * (1 << 21))
    with pytest.raises(PolicyError, match="the file has more than 1048576 bytes"):
        load(path)
