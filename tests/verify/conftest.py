"""Small projects, and what a check says of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pinproof.verify import Options, check

PYPROJECT = '[project]\nname = "app"\nversion = "1"\nrequires-python = ">=3.11"\ndependencies = ["click"]\n'

Said = Callable[..., list[tuple[str, str, str]]]


@pytest.fixture
def said(write_project: Callable[..., Path]) -> Said:
    """Return severity, message and place of what the check `code` finds, statically, in a project with this lock."""

    def run(code: str, lock: str, *, pyproject: str = PYPROJECT, files: dict[str, str] | None = None) -> object:
        root = write_project({"pyproject.toml": pyproject, "uv.lock": lock, **(files or {})})
        (outcome,) = check(root, options=Options(static=True), select=[code]).outcomes
        assert outcome.reason == ""
        return [(f.severity.value, f.message, str(f.location)) for f in outcome.findings]

    return run  # type: ignore[return-value]
