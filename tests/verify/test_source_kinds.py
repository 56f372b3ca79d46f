from __future__ import annotations

import pytest

from .conftest import PYPROJECT, Said

A = "a" * 40
GIT = f'{{ git = "https://git.example.org/r?rev={A}#{A}" }}'
INDEX = '{ registry = "https://index.example.org/simple" }'


def lock(source: str, *, parent: str = INDEX) -> str:
    """The project needs click, click needs colorama; the source of colorama stands on line 14."""
    return f"""\
version = 1
[[package]]
name = "app"
version = "1"
source = {{ virtual = "." }}
dependencies = [{{ name = "click" }}]
[[package]]
name = "click"
version = "8"
source = {parent}
dependencies = [{{ name = "Colorama", marker = "sys_platform == 'win32'" }}]
[[package]]
name = "colorama"
source = {source}
version = "0.4"
"""


def test_a_registry_package_that_a_registry_package_needs(said: Said) -> None:
    assert said("LCK024", lock(INDEX)) == []


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (GIT, f"git https://git.example.org/r, rev {A}"),
        ('{ url = "https://evil.example/c.whl" }', "url https://evil.example/c.whl"),
        ('{ path = "wheels/c.whl" }', "path wheels/c.whl"),
        ('{ directory = "vendored/colorama" }', "directory vendored/colorama"),
        ('{ editable = "vendored/colorama" }', "directory vendored/colorama"),
    ],
)
def test_no_released_package_brings_in_a_direct_source(said: Said, source: str, words: str) -> None:
    message = f"colorama comes from {words}, which nothing that depends on it can have declared"
    assert said("LCK024", lock(source)) == [("error", message, "uv.lock:14:1")]


@pytest.mark.parametrize(
    "declared",
    [
        '[tool.uv]\noverride-dependencies = ["colorama @ git+https://git.example.org/r@{A}"]\n',
        '[tool.uv]\nconstraint-dependencies = ["colorama @ git+https://git.example.org/r@{A}"]\n',
        '[dependency-groups]\ndev = ["colorama @ git+https://git.example.org/r@{A}"]\n',
        '[[tool.uv.dependency-metadata]]\nname = "click"\nrequires-dist = ["colorama @ git+https://git.example.org/r"]',
    ],
)
def test_what_the_project_declares_itself(said: Said, declared: str) -> None:
    assert said("LCK024", lock(GIT), pyproject=PYPROJECT + declared.replace("{A}", A)) == []


def test_a_dependent_from_git_may_bring_its_own_sources(said: Said) -> None:
    source = '[tool.uv.sources]\nclick = { git = "https://git.example.org/r" }\n'
    assert said("LCK024", lock(GIT, parent=GIT), pyproject=PYPROJECT + source) == []


def test_unless_the_metadata_of_the_dependent_is_stated(said: Said) -> None:
    pyproject = PYPROJECT + '[tool.uv.sources]\nclick = { git = "https://git.example.org/r" }\n'
    stated = lock(GIT, parent=GIT) + '[[manifest.dependency-metadata]]\nname = "click"\nrequires-dist = []\n'
    source = f"git https://git.example.org/r, rev {A}"
    message = f"colorama comes from {source}, which nothing that depends on it can have declared"
    assert said("LCK024", stated, pyproject=pyproject) == [("error", message, "uv.lock:14:1")]


EDITABLE = '{ editable = "packages/click" }'
MEMBERS = '[manifest]\nmembers = ["app", "click"]\n'


def test_a_member_that_is_not_in_the_checkout_may_declare_anything(said: Said) -> None:
    assert said("LCK024", lock(GIT, parent=EDITABLE) + MEMBERS) == []


def test_a_folder_that_is_no_member_has_to_be_declared(said: Said) -> None:
    message = "click comes from directory packages/click, which nothing that depends on it can have declared"
    assert said("LCK024", lock(INDEX, parent=EDITABLE)) == [("error", message, "uv.lock:10:1")]


def test_a_member_that_is_in_the_checkout_has_to_say_so(said: Said) -> None:
    member = '[project]\nname = "click"\nversion = "8"\ndependencies = ["colorama"]\n'
    text = lock(GIT, parent=EDITABLE) + MEMBERS
    found = said("LCK024", text, files={"packages/click/pyproject.toml": member})
    assert [(severity, place) for severity, _, place in found] == [("error", "uv.lock:14:1")]
    member += f'[tool.uv.sources]\ncolorama = {{ git = "https://git.example.org/r", rev = "{A}" }}\n'
    assert said("LCK024", text, files={"packages/click/pyproject.toml": member}) == []


@pytest.mark.parametrize(("recorded", "found"), [("", True), (', git = "https://git.example.org/r"', False)])
def test_what_the_lock_records_of_a_dependent_from_git(said: Said, recorded: str, found: bool) -> None:
    pyproject = PYPROJECT + '[tool.uv.sources]\nclick = { git = "https://git.example.org/r" }\n'
    entry = f'[package.metadata]\nrequires-dist = [{{ name = "colorama"{recorded} }}]\n[[package]]\nname = "colorama"'
    text = lock(GIT, parent=GIT).replace('[[package]]\nname = "colorama"', entry)
    places = [place for _, _, place in said("LCK024", text, pyproject=pyproject)]
    assert places == (["uv.lock:16:1"] if found else [])
