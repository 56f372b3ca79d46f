from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import pinproof.verify
from pinproof.verify import InputError, Options, Report, check
from pinproof.verify.formats import FORMATS, render

ROOT = Path(__file__).resolve().parents[2]
PYPROJECT = '[project]\nname = "a"\nversion = "1"\n'
LOCK = 'version = 1\n[[package]]\nname = "a"\nversion = "1"\nsource = { virtual = "." }\n'
STATIC = Options(static=True)


@pytest.fixture
def clean(write_project: Callable[..., Path]) -> Path:
    return write_project({"pyproject.toml": PYPROJECT, "uv.lock": LOCK}, folder="clean")


def state() -> tuple[object, ...]:
    """What a library must leave alone."""
    handlers = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD)]
    return dict(os.environ), Path.cwd(), list(sys.path), list(warnings.filters), handlers, sys.getrecursionlimit()


def test_it_prints_nothing_and_changes_nothing_around_it(
    clean: Path, tampered: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    before = state()
    reports = [check(clean, options=STATIC), check(tampered, options=STATIC)]
    for name in FORMATS:
        render(name, reports)
    assert state() == before
    assert capfd.readouterr() == ("", "")


def test_threads_get_what_a_single_one_gets(clean: Path, tampered: Path) -> None:
    paths = [clean, tampered] * 20
    alone = {path: _said(check(path, options=STATIC)) for path in (clean, tampered)}
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda path: _said(check(path, options=STATIC)), paths))
    assert found == [alone[path] for path in paths]
    assert any("f: another commit is locked than declared" in text for text in found[1])


def _said(report: Report) -> list[str]:
    return [f"{outcome.check.code} {outcome.status} {outcome.findings}" for outcome in report.outcomes]


def test_a_project_that_cannot_be_read_is_an_error_with_a_place_and_a_hint(tmp_path: Path) -> None:
    with pytest.raises(InputError) as raised:
        check(tmp_path)
    assert str(raised.value) == "pyproject.toml: is missing"
    assert (raised.value.hint or "").startswith("expected a uv project")


def test_everything_public_is_listed_and_there() -> None:
    assert {name for name in pinproof.verify.__all__ if not hasattr(pinproof.verify, name)} == set()


def test_the_package_is_typed() -> None:
    assert [name for name in ("policy", "kernels", "verify") if not (ROOT / name / "py.typed").is_file()] == []


def plugin() -> str:
    text = (ROOT / "docs/embedding.md").read_text()
    match = re.search(r"## A pytest plugin in ten lines\n\n```python\n(.*?)```", text, re.DOTALL)
    assert match is not None
    return match[1]


def test_a_pytest_plugin_of_ten_lines(clean: Path, tampered: Path, tmp_path: Path) -> None:
    source = plugin()
    assert len(source.splitlines()) <= 10
    (tmp_path / "guard.py").write_text(source)
    results = []
    for root in (clean, tampered):
        (root / "test_one.py").write_text("def test_one(): pass\n")
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "guard",
            f"--rootdir={root}",
            "-c",
            os.devnull,
            str(root),
        ]
        done = subprocess.run(
            command,
            cwd=root,
            env={**os.environ, "PYTHONPATH": str(tmp_path), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        results.append((done.returncode, done.stdout, done.stderr))
    assert results[0][0] == 0
    assert "1 passed" in results[0][1]
    assert results[1][0] == 4
    assert "pyproject.toml:6:67: f: another commit is locked than declared" in results[1][2]
