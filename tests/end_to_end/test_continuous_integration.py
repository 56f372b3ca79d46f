"""The action, the hook and the workflow: valid by their schemas, and run as a runner would run them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

ROOT = Path(__file__).resolve().parents[2]
Clone = Callable[..., Path]


def load(name: str) -> Any:
    return YAML(typ="safe").load((ROOT / name).read_text())


def git(*arguments: str | Path, cwd: Path) -> str:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"]
    command = ["git", *identity, *map(str, arguments)]
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.mark.parametrize(
    ("schema", "name"),
    [("vendor.github-actions", "action.yml"), ("vendor.github-workflows", ".github/workflows/ci.yml")],
)
def test_the_files_are_valid(schema: str, name: str) -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, str(ROOT / name)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_expression_is_pasted_into_a_script() -> None:
    scripts = [step["run"] for step in load("action.yml")["runs"]["steps"] if "run" in step]
    assert len(scripts) == 2
    assert [script for script in scripts if "${{" in script] == []


def test_every_script_is_valid_bash() -> None:
    scripts = [step["run"] for step in load("action.yml")["runs"]["steps"] if "run" in step]
    for script in [*scripts, (ROOT / ".github/action/check.sh").read_text(), (ROOT / ".ci/run").read_text()]:
        subprocess.run(["bash", "-n"], input=script, text=True, check=True)


def test_the_hook_runs_static_on_the_two_files() -> None:
    (hook,) = load(".pre-commit-hooks.yaml")
    selected = ["--select", "CFG,PIN,LCK,POL001"]
    assert hook["entry"].split() == ["pinproof", "check", "--static", "--quiet", *selected]
    pattern = re.compile(hook["files"])
    names = ["pyproject.toml", "sub/uv.lock", "uv.lock", "my-uv.lock", "pyproject.toml.orig", "README.md"]
    assert [name for name in names if pattern.search(name)] == ["pyproject.toml", "sub/uv.lock", "uv.lock"]


@pytest.fixture
def origin(tampered: Path) -> Path:
    """A repository with a clean first commit, and a second one that changes the locked commit."""
    root = tampered.parent
    (root / ".git/HEAD").unlink()
    (root / ".git").rmdir()
    changed = (tampered / "uv.lock").read_text()
    (tampered / "uv.lock").write_text(changed.replace("b" * 40, "a" * 40))
    git("init", "--quiet", cwd=root)
    git("add", ".", cwd=root)
    git("commit", "--quiet", "-m", "clean", cwd=root)
    (tampered / "uv.lock").write_text(changed)
    git("commit", "--quiet", "-am", "change", cwd=root)
    return root


def run_action(workspace: Path, **inputs: str) -> tuple[int, str, dict[str, str], str]:
    """Run the action's check as a runner does; return exit code, log, outputs and job summary."""
    action = load("action.yml")
    step = next(step for step in action["runs"]["steps"] if step.get("id") == "check")
    temporary = workspace.parent
    launcher = temporary / "pinproof"
    launcher.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m pinproof.verify "$@"\n')
    launcher.chmod(0o755)
    defaults = {name: given.get("default", "") for name, given in action["inputs"].items()} | {"base": ""}
    values = {**defaults, **{name.replace("_", "-"): value for name, value in inputs.items()}}
    environment = {
        name: values[match[1]]
        for name, value in step["env"].items()
        if (match := re.fullmatch(r"\$\{\{ inputs\.([\w-]+) \}\}", value))
    }
    files = {"GITHUB_OUTPUT": temporary / "output", "GITHUB_STEP_SUMMARY": temporary / "summary"}
    for path in files.values():
        path.write_text("")
    environment |= {"PINPROOF": str(launcher), "GITHUB_ACTION_PATH": str(ROOT)}
    environment |= {name: str(path) for name, path in files.items()}
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=workspace,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    outputs = dict(line.split("=", 1) for line in files["GITHUB_OUTPUT"].read_text().splitlines())
    return done.returncode, done.stdout + done.stderr, outputs, files["GITHUB_STEP_SUMMARY"].read_text()


@pytest.fixture
def clone(origin: Path, tmp_path: Path) -> Clone:
    def make(*arguments: str) -> Path:
        target = tmp_path / "runner" / "workspace"
        git("clone", "--quiet", *arguments, f"file://{origin}", target, cwd=tmp_path)
        return target

    return make


def test_the_action_annotates_sums_up_and_writes_sarif(clone: Clone) -> None:
    workspace = clone()
    code, log, outputs, summary = run_action(workspace, path="pkg")
    assert code == 1
    assert "::error file=pkg/pyproject.toml,line=6,col=67,title=PIN001 pins::f: another commit is locked" in log
    assert outputs == {"exit-code": "1", "sarif": "pinproof.sarif"}
    assert (workspace / "pinproof.sarif").read_text().startswith("{")
    assert summary.startswith("### pinproof `pkg`: failed\n")
    assert "shallow" not in log


def test_on_a_shallow_checkout_it_says_what_it_cannot_tell(clone: Clone) -> None:
    code, log, _, _ = run_action(clone("--depth=1"), path="pkg", sarif="")
    assert code == 1
    assert "::notice title=pinproof::This checkout is shallow: history is not in it" in log
    assert "::error file=pkg/pyproject.toml,line=6,col=67" in log


def test_a_base_that_cannot_be_had_is_said(clone: Clone) -> None:
    code, log, _, _ = run_action(clone("--depth=1"), path="pkg", base="0" * 40)
    assert "::warning title=pinproof::No common history with the base is in this checkout" in log
    assert (code, "line=6,col=67,title=PIN001 pins::" in log) == (1, True)


@pytest.mark.parametrize("arguments", [(), ("--depth=1",)], ids=["full", "shallow"])
def test_the_base_is_fetched_where_it_is_missing_and_compared_with(
    clone: Clone, origin: Path, arguments: tuple[str, ...]
) -> None:
    base = git("rev-parse", "HEAD~1", cwd=origin)
    workspace = clone(*arguments)
    code, log, _, _ = run_action(workspace, path="pkg", base=base)
    assert code == 1, log
    assert "could not be fetched" not in log
    assert "line=6,col=67,title=PIN001 pins::" in log
    assert git("cat-file", "-t", base, cwd=workspace) == "commit"
