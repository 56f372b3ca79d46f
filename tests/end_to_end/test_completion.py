"""Completion as a shell asks for it: the installed command, with the variables that its completion script sets."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = Path(sys.executable).with_name("pinproof")


def completed(words: str, position: int) -> list[str]:
    environment = {
        **os.environ,
        "_PINPROOF_COMPLETE": "bash_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": str(position),
    }
    done = subprocess.run([COMMAND], env=environment, capture_output=True, text=True, timeout=60, check=True)
    return [line.partition(",")[2] for line in done.stdout.splitlines()]


def test_commands_and_options_are_completed() -> None:
    assert completed("pinproof sch", 1) == ["schema"]
    assert completed("pinproof check --sta", 2) == ["--static"]


def test_values_of_an_option_are_completed() -> None:
    assert completed("pinproof check --format s", 3) == ["sarif"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_a_script(shell: str) -> None:
    environment = {**os.environ, "_PINPROOF_COMPLETE": f"{shell}_source"}
    done = subprocess.run([COMMAND], env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert "_PINPROOF_COMPLETE" in done.stdout
