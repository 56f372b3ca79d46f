from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pinproof.verify import check

A, B = "a" * 40, "b" * 40
URL = "https://example.org/f"
LOCK = f"""\
version = 1
[[package]]
name = "a"
version = "1"
source = {{ virtual = "." }}
dependencies = [{{ name = "f" }}]
[[package]]
name = "f"
version = "1"
source = {{ git = "{URL}?rev={A}#{A}" }}
"""
HEAD = '[project]\nname = "a"\nversion = "1"\n'
SOURCE = f'[tool.uv.sources]\nf = {{ git = "{URL}", rev = "{A}" }}\n'
Said = Callable[..., list[tuple[str, str, str]]]


@pytest.fixture
def said(write_project: Callable[..., Path]) -> Said:
    """Check a project and return severity, message and place of what PIN003 finds."""

    def run(body: str, **files: str) -> list[tuple[str, str, str]]:
        root = write_project({"pyproject.toml": HEAD + body, "uv.lock": LOCK, **files})
        (outcome,) = check(root, select=["PIN003"]).outcomes
        return [(f.severity.value, f.message, str(f.location)) for f in outcome.findings]

    return run


def test_a_source_that_is_depended_on_has_an_effect(said: Said) -> None:
    assert said(f'dependencies = ["f"]\n{SOURCE}') == []


@pytest.mark.parametrize("rev", [A, A.upper()])
def test_a_url_that_says_what_the_source_says_is_no_finding(said: Said, rev: str) -> None:
    assert said(f'dependencies = ["f @ git+{URL}@{rev}"]\n{SOURCE}') == []


def test_a_url_that_a_source_beats(said: Said) -> None:
    assert said(f'dependencies = ["f @ git+{URL}@{B}"]\n{SOURCE}') == [
        ("warning", "f: the URL in the requirement has no effect, a source beats it", "pyproject.toml:4:17")
    ]


def test_a_source_that_nobody_depends_on_is_information(said: Said) -> None:
    assert said(f'dependencies = ["f"]\n{SOURCE}g = {{ git = "{URL}", rev = "{A}" }}\n') == [
        ("info", "the source of g has no effect: nothing depends on it", "pyproject.toml:7:1")
    ]


def test_a_git_reference_that_a_build_requires(said: Said) -> None:
    build = f'[build-system]\nrequires = ["setuptools", "b @ git+{URL}@{A}"]\n'
    assert said(f'dependencies = ["f"]\n{build}{SOURCE}') == [
        (
            "warning",
            f"the build requirement b comes from git+{URL}@{A}, and no lock holds it",
            "pyproject.toml:6:27",
        )
    ]


def test_what_uv_toml_cannot_hold(said: Said) -> None:
    found = said(f'dependencies = ["f"]\n{SOURCE}', **{"uv.toml": 'override-dependencies = ["f==2"]\n'})
    assert found == [("warning", "`override-dependencies` in uv.toml has no effect on uv.lock", "uv.toml:1:1")]
