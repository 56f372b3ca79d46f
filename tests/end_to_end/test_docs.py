"""The documentation is current, its links lead somewhere, and its code blocks work."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import click
import pytest
from ruamel.yaml import YAML

from pinproof.verify.checks import CHECKS
from pinproof.verify.cli import pinproof
from pinproof.verify.config import Config
from pinproof.verify.document import Document

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
_BLOCK = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\(([^)\s]+)\)")


def blocks(language: str) -> list[tuple[str, str]]:
    """Return page and text of each block in `language`, without those of the README, which has its own tests."""
    found = [(page, match[3]) for page in PAGES for match in _BLOCK.finditer(page.read_text()) if match[2] == language]
    return [(page.relative_to(ROOT).as_posix(), text) for page, text in found if page.name != "README.md"]


def ids(given: list[tuple[str, str]]) -> list[str]:
    return [f"{page}-{number}" for number, (page, _) in enumerate(given)]


def anchors(page: Path) -> set[str]:
    """Return the anchors of the headings, as the hosting sites make them."""
    text = _BLOCK.sub("", page.read_text())
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_generated_pages_are_current() -> None:
    command = [sys.executable, str(ROOT / "docs/generate.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.code)
def test_every_check_says_why_how_to_fix_and_how_to_allow(check: object) -> None:
    documentation = getattr(check, "documentation", "")
    assert [part for part in ("Example:", "Fix:", "How to allow:") if f"\n{part}" not in documentation] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    broken = []
    for link in _LINK.findall(_BLOCK.sub("", page.read_text())):
        if link.startswith(("https://", "mailto:")):
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)
    assert broken == []


@pytest.mark.parametrize(("page", "text"), blocks("toml"), ids=ids(blocks("toml")))
def test_toml_blocks_are_read_without_a_problem(page: str, text: str) -> None:
    assert isinstance(tomllib.loads(text), dict)
    assert [problem.message for problem in Config.load(Document(page, text.encode())).problems] == []


@pytest.mark.parametrize(("page", "text"), blocks("python"), ids=ids(blocks("python")))
def test_python_blocks_run_on_a_project(page: str, text: str, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "a"\nversion = "1"\n')
    (tmp_path / "uv.lock").write_text(
        'version = 1\n[[package]]\nname = "a"\nversion = "1"\nsource = { virtual = "." }\n'
    )
    (tmp_path / "block.py").write_text(text)
    done = subprocess.run(
        [sys.executable, "block.py"], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stderr) == (0, ""), page


@pytest.mark.parametrize(("page", "text"), blocks("yaml"), ids=ids(blocks("yaml")))
def test_yaml_blocks_are_valid(page: str, text: str, tmp_path: Path) -> None:
    name = text.partition("\n")[0].removeprefix("# ")
    path = tmp_path / Path(name).name
    path.write_text(text)
    assert isinstance(YAML(typ="safe").load(text), dict)
    schemas = {".github": "vendor.github-workflows", ".gitlab-ci.yml": "vendor.gitlab-ci"}
    schema = schemas.get(name.partition("/")[0])
    if schema is None:
        assert name == ".pre-commit-config.yaml", page
        return
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(("page", "text"), blocks("bash"), ids=ids(blocks("bash")))
def test_bash_blocks_are_valid(page: str, text: str) -> None:
    done = subprocess.run(["bash", "-n"], input=text, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), page


def command_lines() -> list[tuple[str, str]]:
    """Return every `pinproof …` in the pages, in blocks and in the text."""
    found = []
    for page in PAGES:
        text = page.read_text()
        lines = re.findall(r"`((?:uvx )?pinproof [^`\n]+)`", _BLOCK.sub("", text))
        for match in _BLOCK.finditer(text):
            if match[2] in ("bash", "console", "yaml", "") and page.name != "cli.md":
                joined = match[3].replace("\\\n", " ")
                lines += re.findall(
                    r"(?:^|\s)((?:uvx )?(?:--from \. )?pinproof (?:check|gate|report|sign|claims)[^\n#;]*)", joined
                )
        found += [(page.relative_to(ROOT).as_posix(), line) for line in lines]
    return found


@pytest.mark.parametrize(("page", "line"), command_lines(), ids=lambda value: value)
def test_command_lines_name_commands_and_options_that_exist(page: str, line: str) -> None:
    words = shlex.split(line.partition("pinproof ")[2].replace("…", ""))
    if words[0] == "COMMAND" or words[0].startswith("-"):
        return
    command = pinproof.get_command(click.Context(pinproof), words[0])
    assert command is not None, line
    known = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
    known |= {"--help", "-h"}
    used = {word.partition("=")[0] for word in words[1:] if word.startswith("-") and word != "--"}
    assert used - known == set(), f"{page}: {line}"
