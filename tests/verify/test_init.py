from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pinproof.verify import Status, check
from pinproof.verify.cli import guarded, pinproof

A, B = "a" * 40, "b" * 40
PROJECT = f"""\
[project]
name="demo"   # kept as it is
version = '1'
dependencies = ["r", "s", "t"]

[tool.uv.sources]
r = {{ git = "https://user:secret@example.org/o/r", rev = "{A}" }}
s = {{ git = "https://example.org/o/s", branch = "main" }}

[[tool.uv.index]]
url = "https://declared.example/simple"
"""
LOCK = f"""\
version = 1
[[package]]
name = "demo"
version = "1"
source = {{ virtual = "." }}
dependencies = [{{ name = "r" }}, {{ name = "s" }}, {{ name = "t" }}]
[package.metadata]
requires-dist = [
    {{ name = "r", git = "https://example.org/o/r?rev={A}" }},
    {{ name = "s", git = "https://example.org/o/s?branch=main" }},
    {{ name = "t" }},
]
[[package]]
name = "r"
version = "1"
source = {{ git = "https://example.org/o/r?rev={A}#{A}" }}
[[package]]
name = "s"
version = "1"
source = {{ git = "https://example.org/o/s?branch=main#{B}" }}
[[package]]
name = "t"
version = "1"
source = {{ registry = "https://index.example/simple" }}
sdist = {{ url = "https://files.example/t-1.tar.gz", hash = "sha256:{"0" * 64}" }}
wheels = [{{ url = "https://declared.example/t-1-py3-none-any.whl", hash = "sha256:{"0" * 64}" }}]
"""
SECTION = f"""\
[tool.pinproof]
hosts = ["files.example", "index.example"]

[tool.pinproof.pins.r]
git = "https://example.org/o/r"
rev = "{A}"
"""
NOTE = "note: s is not declared by a full commit, and is not stated; write one as `rev` to pin it\n"
Write = Callable[..., Path]


def run(*arguments: str | Path) -> int:
    return guarded(
        lambda: pinproof.main([str(part) for part in arguments], prog_name="pinproof", standalone_mode=False)
    )


@pytest.fixture
def root(write_project: Write) -> Path:
    return write_project({"pyproject.toml": PROJECT, "uv.lock": LOCK})


def test_pins_and_hosts_are_appended_and_the_rest_stays_as_it_is(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("init", root) == 0
    assert (root / "pyproject.toml").read_text() == PROJECT + "\n" + SECTION
    captured = capsys.readouterr()
    assert captured.out == f"wrote [tool.pinproof] into {root}/pyproject.toml\n"
    assert captured.err == NOTE


def test_what_was_written_passes(root: Path) -> None:
    run("init", root)
    report = check(root, select=["CFG001", "PIN001"])
    assert [outcome.status for outcome in report.outcomes] == [Status.PASSED, Status.PASSED]
    assert report.outcomes[0].findings == ()


def test_dry_run_and_diff_write_nothing(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("init", "--dry-run", root) == 0
    assert capsys.readouterr().out == SECTION
    assert run("init", "--diff", root) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[:2] == ["--- pyproject.toml", "+++ pyproject.toml"]
    assert [line[1:] for line in shown if line.startswith("+") and not line.startswith("+++")] == [
        "",
        *SECTION.splitlines(),
    ]
    assert (root / "pyproject.toml").read_text() == PROJECT


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (PROJECT.replace("\n", "\r\n"), PROJECT.replace("\n", "\r\n") + "\r\n" + SECTION.replace("\n", "\r\n")),
        ("\ufeff" + PROJECT, "\ufeff" + PROJECT + "\n" + SECTION),
        (PROJECT.rstrip("\n"), PROJECT + "\n" + SECTION),
    ],
    ids=["CRLF", "BOM", "no newline at the end"],
)
def test_line_ends_and_byte_order_mark_are_kept(write_project: Write, before: str, after: str) -> None:
    root = write_project({"pyproject.toml": before, "uv.lock": LOCK})
    assert run("init", root) == 0
    assert (root / "pyproject.toml").read_bytes() == after.encode()


@pytest.mark.parametrize(
    ("project", "lock", "message"),
    [
        (PROJECT + "\n[tool.pinproof]\n", LOCK, "pyproject.toml:13: has [tool.pinproof] already"),
        (PROJECT, LOCK.replace(f"#{A}", f"#{B}"), "pyproject.toml: and uv.lock disagree, so no pin can be stated: r: "),
        (
            'tool = { uv = { sources = {} } }\n[project]\nname = "demo"\nversion = "1"\ndependencies = ["t"]\n',
            LOCK.replace('{ name = "r" }, { name = "s" }, ', ""),
            "pyproject.toml: cannot take a table [tool.pinproof]: ",
        ),
    ],
)
def test_where_it_cannot_it_says_why_and_writes_nothing(
    write_project: Write, project: str, lock: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    root = write_project({"pyproject.toml": project, "uv.lock": lock})
    assert run("init", root) == 2
    assert f"error: {message}" in capsys.readouterr().err
    assert (root / "pyproject.toml").read_text() == project
    assert sorted(path.name for path in root.iterdir()) == ["pyproject.toml", "uv.lock"]
