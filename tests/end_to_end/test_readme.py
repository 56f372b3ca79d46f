"""What README shows is what happens: its console block, its Python and its configuration are executed."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from uv import find_uv_bin

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The two files, and what `[tool.pinproof]` of this project names beside them."""
    named = ("policy/launch.py", "evidence/h200.toml", "evidence/tune-h200.json")
    for name in ("pyproject.toml", "uv.lock", *named):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def without_positions(text: str) -> str:
    """Leave out line and column: an edit of pyproject.toml moves them, and test_pins.py holds them."""
    return re.sub(r"(pyproject\.toml|uv\.lock):\d+:\d+", r"\1", text)


def test_the_console_block(copy: Path, tmp_path: Path) -> None:
    (block,) = blocks("console")
    commands = [line.removeprefix("$ ") for line in block.splitlines() if line.startswith("$ ")]
    shown = "".join(f"{line}\n" for line in block.splitlines() if not line.startswith("$ "))
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "uv").symlink_to(find_uv_bin())
    pinproof = tools / "pinproof"
    pinproof.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m pinproof.verify "$@"\n')
    pinproof.chmod(0o755)
    environment = os.environ | {"PATH": f"{tools}:{os.environ['PATH']}", "UV_CACHE_DIR": str(tmp_path / "cache")}
    done = subprocess.run(
        ["sh", "-c", "\n".join(commands)], cwd=copy, env=environment, capture_output=True, text=True, check=True
    )
    assert without_positions(done.stdout) == without_positions(shown)


def test_the_python_blocks(copy: Path) -> None:
    library, policy = blocks("python")
    done = subprocess.run([sys.executable, "-c", library], cwd=copy, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    subprocess.run([sys.executable, "-c", policy], cwd=copy, check=True)


def test_the_configuration_is_that_of_this_project() -> None:
    (block,) = blocks("toml")
    shown = tomllib.loads(block)["tool"]["pinproof"]
    own = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pinproof"]
    assert shown["tests"] == own["tests"]
    assert shown["pins"]["flashinfer-python"].items() <= own["pins"]["flashinfer-python"].items()


def test_ci_runs_the_commands_of_the_readme() -> None:
    script = (ROOT / ".ci" / "run").read_text().splitlines()
    assert "uvx --from . pinproof check" in script
    assert "uv run --locked --group test pytest" in script
    assert "uvx --from . pinproof check  " in README
    assert "uv run --locked --group test pytest  " in README
