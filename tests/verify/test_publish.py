from __future__ import annotations

import json
from pathlib import Path

import pytest

from pinproof.verify.cli import guarded, pinproof
from pinproof.verify.formats.markdown import shortened


def run(*arguments: str | Path) -> int:
    return guarded(
        lambda: pinproof.main([str(part) for part in arguments], prog_name="pinproof", standalone_mode=False)
    )


def test_one_run_writes_several_formats(tampered: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sarif, junit = tmp_path / "a.sarif", tmp_path / "a.xml"
    reports = ["--report", f"sarif={sarif}", "--report", f"junit={junit}"]
    assert run("check", "--static", "--select", "PIN001", *reports, tampered) == 1
    assert json.loads(sarif.read_text())["version"] == "2.1.0"
    assert junit.read_text().startswith('<?xml version="1.0"')
    assert capsys.readouterr().out.startswith("failed   PIN001 pins")


@pytest.mark.parametrize("value", ["sarif", "sarif=", "pdf=x"])
def test_a_report_needs_a_format_and_a_file(value: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("check", "--report", value) == 2
    assert f"{value!r} is not FORMAT=FILE" in capsys.readouterr().err


def test_the_job_summary_is_appended(
    tampered: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    run("check", "--static", "--select", "PIN001", "--format", "github", tampered)
    assert summary.read_text().startswith("before\n### pinproof `pkg`: failed\n")
    assert capsys.readouterr().out.startswith("::error file=pkg/pyproject.toml,line=6,col=67,")


def test_other_formats_leave_the_job_summary_alone(
    tampered: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    run("check", "--static", "--select", "PIN001", "--format", "json", tampered)
    assert not (tmp_path / "summary.md").exists()


def test_a_long_summary_is_cut_at_a_line() -> None:
    text = "é" * 100 + "\n" + "b" * 100 + "\n"
    assert shortened(text, 302) == text
    cut = shortened(text, 301)
    assert cut == "é" * 100 + "\n\nThe rest is left out: it is longer than a job summary may be.\n"
    assert shortened(text, 10) == ""


def test_an_unreadable_project_is_in_the_report_and_on_standard_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "uv.lock").write_text("")
    assert run("check", "--format", "github", tmp_path) == 2
    captured = capsys.readouterr()
    assert "::pyproject.toml: is missing%0Afix: expected a uv project" in captured.out
    assert captured.err.startswith("error: pyproject.toml: is missing\n  fix: ")
