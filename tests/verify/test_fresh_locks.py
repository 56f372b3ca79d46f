"""Locks that uv has just written raise no alarm: many shapes of a project, over an index of tiny wheels."""

# ruff: noqa: E501, ISC004 - files and messages are written out
from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from pinproof.verify import Options, check

from .mutations.index import Release
from .mutations.projects import uv

RELEASES = (
    *(
        Release("aa", version, ["bb; sys_platform == 'win32'", "cc[fast]; extra == 'x'"], ["x", "empty"])
        for version in ("1.0", "2.0", "3.0rc1")
    ),
    *(Release("bb", version) for version in ("1.0", "2.0")),
    *(Release("cc", version, ["bb>=1; extra == 'fast'"], ["fast"]) for version in ("1.0", "2.0")),
    Release("dd", "1.0", ["aa<3"]),
    Release("ee", "1.0"),
)
PROJECT = '[project]\nname = "app"\nversion = "1"\nrequires-python = ">=3.10"\n'
SETTINGS = '\n[tool.uv]\npackage = false\nno-index = true\nfind-links = ["../wheels"]\n'


def _member(name: str, dependencies: str = "[]", more: str = "") -> str:
    head = f'[project]\nname = "{name}"\nversion = "1"\nrequires-python = ">=3.10"\ndependencies = {dependencies}\n'
    return f"{head}{more}\n[tool.uv]\npackage = false\n"


# What stands under [project] and after it, the settings of uv, and further files.
SHAPES: Mapping[str, tuple[str, str, Mapping[str, str]]] = {
    "an extra that asks for extras of its own package": (
        'dependencies = []\n[project.optional-dependencies]\nall = ["app[a,b]"]\n'
        'a = ["aa[x]"]\nb = ["bb; python_version < \'3.12\'"]\n',
        "",
        {},
    ),
    "one name under two markers": (
        "dependencies = [\"aa>=2; sys_platform == 'linux'\", \"aa<2; sys_platform != 'linux'\"]\n",
        "",
        {},
    ),
    "one name twice, once with an extra": (
        'dependencies = ["aa>=1", "aa[x]<3; python_version >= \'3.12\'"]\n',
        "",
        {},
    ),
    "an extra that nobody provides": ('dependencies = ["aa[nope,empty]"]\n', "", {}),
    "a marker that requires-python rules out": ('dependencies = ["aa; python_version < \'3.8\'", "bb"]\n', "", {}),
    "names that are not normalised": (
        'dependencies = ["AA[X]"]\n[project.optional-dependencies]\nMy_Extra = ["Bb"]\n'
        '[dependency-groups]\nMy_Group = ["CC[Fast]"]\n',
        "",
        {},
    ),
    "conflicting extras": (
        'dependencies = []\n[project.optional-dependencies]\na = ["aa<2"]\nb = ["aa>=2"]\n',
        'conflicts = [[{ extra = "a" }, { extra = "b" }]]\n',
        {},
    ),
    "overrides and constraints under markers": (
        'dependencies = ["dd"]\n',
        "override-dependencies = [\"aa==2.0; sys_platform == 'linux'\", \"aa==1.0; sys_platform != 'linux'\"]\n"
        "constraint-dependencies = [\"bb<2; sys_platform == 'win32'\"]\n",
        {},
    ),
    "an excluded dependency": ('dependencies = ["dd"]\n', 'exclude-dependencies = ["aa"]\n', {}),
    "environments": (
        'dependencies = ["aa", "bb; sys_platform == \'win32\'"]\n',
        "environments = [\"sys_platform == 'linux'\", \"sys_platform == 'darwin'\"]\n",
        {},
    ),
    "stated metadata under markers, which uv writes anew": (
        'dependencies = ["aa"]\n',
        '[[tool.uv.dependency-metadata]]\nname = "aa"\nversion = "2.0"\nprovides-extras = ["x"]\n'
        "requires-dist = [\"bb>=1; python_version > '3.10'\", \"cc; extra == 'x' and python_version == '3.12'\"]\n",
        {},
    ),
    "groups for some versions of Python, one inside of another": (
        'dependencies = []\n[dependency-groups]\nG_one = ["ee>=1", { include-group = "h" }]\n'
        'h = ["bb; sys_platform == \'linux\'"]\nk = [{ include-group = "g-one" }]\nn = ["cc"]\n',
        '[tool.uv.dependency-groups]\ng-one = { requires-python = ">=3.12,<3.15" }\n'
        'h = { requires-python = ">=3.11" }\nn = { requires-python = "~=3.12" }\n',
        {},
    ),
    "a workspace of the root alone": (
        'dependencies = ["aa"]\n',
        '[tool.uv.workspace]\nmembers = ["packages/*"]\n',
        {},
    ),
    "a workspace with an excluded folder": (
        'dependencies = ["one[z]"]\n',
        "[tool.uv.sources]\none = { workspace = true }\n"
        '[tool.uv.workspace]\nmembers = ["packages/*"]\nexclude = ["packages/x"]\n',
        {
            "packages/one/pyproject.toml": _member(
                "one",
                '["aa<3"]',
                '[project.optional-dependencies]\nz = ["cc[fast]"]\n[dependency-groups]\ndev = ["bb"]\n',
            ),
            "packages/x/pyproject.toml": _member("x", '["dd"]'),
        },
    ),
    "a local dependency": (
        'dependencies = ["lib[e]"]\n',
        '[tool.uv.sources]\nlib = { path = "lib" }\n',
        {
            "lib/pyproject.toml": _member(
                "lib", "[\"aa; python_version >= '3.11'\"]", '[project.optional-dependencies]\ne = ["bb"]\nf = ["cc"]\n'
            )
        },
    ),
}

Locked = Callable[[str, str, Mapping[str, str]], Path]


@pytest.fixture
def locked(tmp_path: Path, write_project: Callable[..., Path]) -> Locked:
    """A project that uv has locked, without network and with a cache of its own."""
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    for release in RELEASES:
        for name, data in release.files().items():
            if name.endswith("-any.whl"):
                (wheels / name).write_bytes(data)

    def lock(project: str, settings: str, files: Mapping[str, str]) -> Path:
        root = write_project({"pyproject.toml": PROJECT + project + SETTINGS + settings, **files})
        uv(root, "lock", "--offline", cache=tmp_path / "cache")
        return root

    return lock


def _said(root: Path) -> list[str]:
    findings = check(root, options=Options(static=True)).findings
    return [f"{f.code} {f.severity}: {f.message}" for f in findings if f.severity != "info"]


@pytest.mark.parametrize("shape", SHAPES)
def test_no_alarm(locked: Locked, shape: str) -> None:
    assert _said(locked(*SHAPES[shape])) == []


@pytest.mark.parametrize(
    ("shape", "old", "new", "expected"),
    [
        pytest.param(
            "stated metadata under markers, which uv writes anew",
            "bb>=1 ; python_full_version >= '3.11'",
            "bb>=1 ; python_full_version >= '3.12'",
            'LCK015 error: pyproject.toml sets aa 2.0 that requires bb>=1; python_version > "3.10", '
            'cc; extra == "x" and python_version == "3.12" among its dependency-metadata, and the lock does not repeat it',
            id="stated metadata under another marker",
        ),
        pytest.param(
            "groups for some versions of Python, one inside of another",
            "h = [{ name = \"bb\", marker = \"python_full_version >= '3.11' and sys_platform == 'linux'\" }]",
            'h = [{ name = "bb", marker = "sys_platform == \'linux\'" }]',
            'LCK014 error: app declares bb; sys_platform == "linux" in its group h, and the lock records another marker '
            "(they differ for python_full_version 3.8.0, sys_platform linux)",
            id="a group's range of Python that is not recorded",
        ),
        pytest.param(
            "a workspace with an excluded folder",
            'members = [\n    "app",\n    "one",\n]',
            "members = []",
            "LCK015 error: app is a member of the workspace, and the lock does not list it as one",
            id="no members where there are two",
        ),
    ],
)
def test_one_edit_of_it_is_found(locked: Locked, shape: str, old: str, new: str, expected: str) -> None:
    root = locked(*SHAPES[shape])
    text = (root / "uv.lock").read_text(encoding="utf-8")
    assert old in text
    (root / "uv.lock").write_text(text.replace(old, new, 1), encoding="utf-8")
    assert expected in _said(root)
