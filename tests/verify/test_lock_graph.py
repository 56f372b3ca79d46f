"""The graph of a lock: edges, recorded requirements, versions, manifest, revision, markers."""

# ruff: noqa: E501 - messages are written out
from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pinproof.verify import Options, check
from pinproof.verify.files import InputError
from pinproof.verify.model import Status

PYPROJECT = """\
[project]
name = "app"
version = "1"
requires-python = ">=3.11"
dependencies = ["one>=2", "two[fast]; sys_platform == 'win32'"]

[project.optional-dependencies]
all = ["app[more]"]
more = ["three>=1,<2"]

[dependency-groups]
dev = ["one"]

[tool.uv]
constraint-dependencies = ["three<2"]
"""

LOCK = """\
version = 1
revision = 3
requires-python = ">=3.11"

[manifest]
constraints = [{ name = "three", specifier = "<2" }]

[[package]]
name = "app"
version = "1"
source = { virtual = "." }
dependencies = [
    { name = "one" },
    { name = "two", extra = ["fast"], marker = "sys_platform == 'win32'" },
]

[package.optional-dependencies]
all = [
    { name = "three" },
]
more = [
    { name = "three" },
]

[package.dev-dependencies]
dev = [
    { name = "one" },
]

[package.metadata]
requires-dist = [
    { name = "app", extras = ["more"], marker = "extra == 'all'" },
    { name = "one", specifier = ">=2" },
    { name = "three", marker = "extra == 'more'", specifier = ">=1,<2" },
    { name = "two", extras = ["fast"], marker = "sys_platform == 'win32'" },
]
provides-extras = ["all", "more"]

[package.metadata.requires-dev]
dev = [{ name = "one" }]

[[package]]
name = "one"
version = "2.1"
source = { registry = "https://index.example.org/simple" }

[[package]]
name = "three"
version = "1.5"
source = { registry = "https://index.example.org/simple" }

[[package]]
name = "two"
version = "7"
source = { registry = "https://index.example.org/simple" }
dependencies = [
    { name = "one", marker = "python_full_version < '3.13'" },
]

[package.optional-dependencies]
fast = [
    { name = "three" },
]
"""

Found = Callable[[str, str], list[str]]


@pytest.fixture
def found(write_project: Callable[..., Path]) -> Found:
    """Findings of the graph's checks as `CODE severity place: message`."""

    def run(pyproject: str, lock: str) -> list[str]:
        root = write_project({"pyproject.toml": pyproject, "uv.lock": lock})
        report = check(root, options=Options(static=True))
        return [
            f"{finding.code} {finding.severity} {finding.location}: {finding.message}"
            for finding in report.findings
            if finding.code.startswith("LCK01")
        ]

    return run


def edit(old: str, new: str, text: str = LOCK) -> str:
    assert old in text
    return text.replace(old, new, 1)


def test_a_sound_lock_has_no_findings(found: Found) -> None:
    assert found(PYPROJECT, LOCK) == []


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param(
            '{ name = "one", marker = "python',
            '{ name = "none", marker = "python',
            "LCK010 error uv.lock:57:5: the edge from two to none leads nowhere: the lock has no entry of that name",
            id="an edge that leads nowhere",
        ),
        pytest.param(
            '{ name = "one", marker = "python',
            '{ name = "one", version = "3", marker = "python',
            "LCK010 error uv.lock:57:5: the edge from two to one asks for 3, and no entry has that",
            id="an edge to another version",
        ),
        pytest.param(
            '[[package]]\nname = "three"',
            '[[package]]\nname = "one"\nversion = "3"\nsource = { registry = "https://index.example.org/simple" }\n\n'
            '[[package]]\nname = "three"',
            "LCK010 error uv.lock:13:5: the edge from app to one fits 2 entries, expected version and source that fit one",
            id="an edge that fits two entries",
        ),
        pytest.param(
            '    { name = "one" },\n    { name = "two"',
            '    { name = "two"',
            "LCK011 error uv.lock:32:5: app requires one in its dependencies, and has no edge to it: it is not installed",
            id="an edge removed",
        ),
        pytest.param(
            'more = [\n    { name = "three" },',
            'more = [\n    { name = "two" },',
            "LCK011 error uv.lock:22:5: app has an edge to two in its extra more, and requires no such package there",
            id="an edge of an extra led elsewhere",
        ),
        pytest.param(
            'all = [\n    { name = "three" },\n]\n',
            "all = []\n",
            "LCK011 error uv.lock:32:5: app requires three in its extra all, and has no edge to it: it is not installed",
            id="an edge removed that comes from another extra of the same package",
        ),
        pytest.param(
            'dev = [\n    { name = "one" },\n]',
            "dev = []",
            "LCK011 error uv.lock:38:8: app requires one in its group dev, and has no edge to it: it is not installed",
            id="an edge of a group removed",
        ),
        pytest.param(
            '{ name = "one" },\n    { name = "two"',
            '{ name = "one", marker = "sys_platform == \'win32\'" },\n    { name = "two"',
            "LCK011 error uv.lock:13:5: app requires one in its dependencies by another marker: "
            "it has no edge to it for sys_platform linux",
            id="an edge narrowed",
        ),
        pytest.param(
            'extra = ["fast"], marker = "sys_platform == \'win32\'"',
            'extra = ["fast"]',
            "LCK011 error uv.lock:14:5: app requires two in its dependencies by another marker: "
            "it has an edge to it for sys_platform linux, too",
            id="an edge widened",
        ),
        pytest.param(
            '{ name = "one" },\n    { name = "two"',
            '{ name = "one", extra = ["evil"] },\n    { name = "two"',
            "LCK011 error uv.lock:13:5: app has an edge to one with the extra evil in its dependencies, "
            "and requires it without",
            id="an extra asked for that is not required",
        ),
        pytest.param(
            'version = "2.1"',
            'version = "1.9"',
            "LCK012 error uv.lock:44:1: one is locked at 1.9, required by app is >=2",
            id="a version outside of its specifier",
        ),
        pytest.param(
            'name = "two"\nversion = "7"',
            'name = "two"\nversion = "7"\nsource = { registry = "https://index.example.org/simple" }\n\n'
            '[[package]]\nname = "zzz"\nversion = "1"',
            "LCK013 warning uv.lock:57:1: nothing leads to zzz 1",
            id="an entry that nothing leads to",
        ),
        pytest.param(
            'name = "app"\nversion = "1"',
            'name = "app"\nversion = "1.1"',
            "LCK014 error pyproject.toml:3:1: app has the version 1, and 1.1 in the lock",
            id="another version of the project",
        ),
        pytest.param(
            'provides-extras = ["all", "more"]',
            'provides-extras = ["all"]',
            "LCK014 error pyproject.toml:9:1: pyproject.toml declares the extra more of app, and the lock does not list it",
            id="an extra less",
        ),
        pytest.param(
            '{ name = "one", specifier = ">=2" }',
            '{ name = "one", specifier = ">=1" }',
            "LCK014 error pyproject.toml:5:17: app declares one>=2 in its dependencies, "
            "and the lock records other specifiers (>=1)",
            id="another specifier recorded",
        ),
        pytest.param(
            'constraints = [{ name = "three", specifier = "<2" }]',
            'constraints = [{ name = "three", specifier = "<2" }, { name = "one", specifier = "<9" }]',
            "LCK015 error uv.lock:6:54: the lock has one<9 among its constraints, and pyproject.toml does not set it",
            id="a constraint more",
        ),
        pytest.param(
            "[manifest]",
            '[options]\nprerelease-mode = "allow"\n\n[manifest]',
            "LCK015 warning uv.lock:6:1: the lock was made with prerelease-mode allow, "
            "and the project sets if-necessary-or-explicit",
            id="an option that nobody set",
        ),
        pytest.param(
            'requires-python = ">=3.11"',
            'requires-python = ">=3.8"',
            "LCK016 error uv.lock:3:1: the lock has requires-python >=3.8: it is for Python 3.8.0, other than declared",
            id="more versions of Python",
        ),
        pytest.param(
            "revision = 3",
            "revision = 0",
            "LCK017 error uv.lock:2:1: the lock has revision 0, and `provides-extras`, which uv writes from revision 1 on",
            id="a revision that switches a comparison off",
        ),
        pytest.param(
            "revision = 3",
            "revision = 77",
            "LCK017 warning uv.lock:2:1: the lock has revision 77, expected 0 to 5: what it adds is not checked",
            id="a revision that is not known",
        ),
        pytest.param(
            "python_full_version < '3.13'",
            "python_full_version < '3.10'",
            "LCK018 warning uv.lock:57:5: the edge from two to one has a marker that can never be true: "
            "python_full_version < '3.10'",
            id="a marker outside of requires-python",
        ),
        pytest.param(
            "python_full_version < '3.13'",
            "sys_platform == 'win32' and sys_platform == 'linux'",
            "LCK018 warning uv.lock:57:5: the edge from two to one has a marker that can never be true: "
            "sys_platform == 'win32' and sys_platform == 'linux'",
            id="a marker that contradicts itself",
        ),
        pytest.param(
            "python_full_version < '3.13'",
            "python_full_version is small",
            "LCK018 error uv.lock:57:5: the edge from two to one has a marker that is not a marker: "
            "python_full_version is small",
            id="no marker",
        ),
    ],
)
def test_one_edit_is_found_at_its_line(found: Found, old: str, new: str, expected: str) -> None:
    assert expected in found(PYPROJECT, edit(old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(
            '{ name = "one" },\n    { name = "two"',
            '{ name = "one", marker = "python_full_version >= \'3.11\'" },\n    { name = "two"',
            id="a marker that requires-python implies",
        ),
        pytest.param(
            "sys_platform == 'win32'\" },\n]\n\n[package.opt",
            "os_name == 'nt' and sys_platform == 'win32'\" },\n]\n\n[package.opt",
            id="a marker in other words",
        ),
        pytest.param('specifier = ">=1,<2"', 'specifier = "<2, >=1"', id="a specifier in another order"),
        pytest.param(
            "[manifest]", "[options]\nexclude-newer = 2026-01-01T00:00:00Z\n\n[manifest]", id="exclude-newer of a user"
        ),
        pytest.param('version = "2.1"', 'version = "2.1+cu128"', id="a local version"),
        pytest.param('version = "2.1"', 'version = "3.0rc1"', id="a prerelease"),
    ],
)
def test_what_says_the_same_in_other_words_raises_no_alarm(found: Found, old: str, new: str) -> None:
    assert [text for text in found(PYPROJECT, edit(old, new)) if " error " in text or " warning " in text] == []


def test_pyproject_alone_moved(found: Found) -> None:
    pyproject = edit('"one>=2"', '"one>=2", "four"', PYPROJECT)
    assert found(pyproject, LOCK) == [
        "LCK014 error pyproject.toml:5:27: app declares four in its dependencies, and the lock does not record it"
    ]
    pyproject = edit('["one>=2", ', "[", PYPROJECT)
    assert found(pyproject, LOCK) == [
        "LCK014 error uv.lock:33:5: the lock records one in the dependencies of app, and pyproject.toml does not declare it there"
    ]


def test_dependency_metadata_is_held_against_edges(found: Found) -> None:
    stated = '\n[[tool.uv.dependency-metadata]]\nname = "two"\nversion = "7"\nrequires-dist = ["three>=9"]\n'
    lock = edit("[[package]]", stated.replace("tool.uv", "manifest").lstrip() + "\n[[package]]")
    lock = edit('\n[package.optional-dependencies]\nfast = [\n    { name = "three" },\n]\n', "", lock)
    lock = edit(', extra = ["fast"]', "", edit(', extras = ["fast"]', "", lock))
    found_now = found(edit("two[fast]", "two", PYPROJECT) + stated, lock)
    assert sorted(found_now) == [
        "LCK011 error uv.lock:11:18: two requires three in its dependencies, and has no edge to it: it is not installed",
        "LCK011 error uv.lock:62:5: two has an edge to one in its dependencies, and requires no such package there",
    ]


def test_orphans_are_counted_from_the_groups_of_a_workspace_without_a_project(found: Found) -> None:
    lock = """\
version = 1
[manifest.dependency-groups]
dev = [{ name = "one" }]
[[package]]
name = "one"
version = "2"
source = { registry = "https://index.example.org/simple" }
"""
    assert found('[dependency-groups]\ndev = ["one"]\n[tool.uv.workspace]\nmembers = []\n', lock) == []


def test_real_projects_have_no_errors_but_the_stale_ones(corpus: Path) -> None:
    stale = {
        "bionemo-recipes/interpretability/sparse_autoencoders": {"LCK014"},
        "google-deepmind__mujoco_playground": {"LCK014"},
        "meta-pytorch__torchforge@8b81d3b426": {"LCK014", "LCK015"},
        "rllm-org__rllm@e3cb8137fa": {"LCK014", "LCK015"},
    }
    wrong = {}
    for lock in sorted(corpus.rglob("uv.lock")):
        report = check(lock.parent, options=Options(static=True))
        codes = {f.code for f in report.findings if f.code.startswith("LCK01") and f.severity == "error"}
        if codes:
            wrong[str(lock.parent.relative_to(corpus))] = codes
    assert {next((s for s in stale if name.endswith(s)), name): codes for name, codes in wrong.items()} == stale


BIG = "9" * 5000


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('version = "2.1"', f'version = "{BIG}"'),
        ('specifier = ">=2"', f'specifier = ">={BIG}"'),
        ('requires-python = ">=3.11"', f'requires-python = ">={BIG}"'),
        ("python_full_version < '3.13'", f"python_full_version < '{BIG}'"),
        ('specifier = "<2"', f'specifier = "<{BIG}.*"'),
        ("dependencies = [", "dependencies = [5, {}, { name = 5 }, { name = [] },"),
        ('provides-extras = ["all", "more"]', "provides-extras = [5, {}]"),
        ("[package.metadata]", "[package.metadata]\nprovides-extras = 5\n[package.other]"),
        ("revision = 3", 'revision = "x"'),
        ("[manifest]", "[manifest]\nmembers = 5\nexcludes = 5\noverrides = 5\ndependency-metadata = [5, {}]"),
        ("[manifest]", "[options]\nprerelease-mode = 5\n[manifest]"),
        ('source = { virtual = "." }', "source = 5"),
    ],
)
def test_values_of_no_use_crash_nothing(write_project: Callable[..., Path], old: str, new: str) -> None:
    """packaging refuses numbers of more than 4,300 digits, some of them only when they are compared."""
    root = write_project({"pyproject.toml": PYPROJECT, "uv.lock": edit(old, new)})
    try:
        report = check(root, options=Options(static=True))
    except InputError:
        return
    assert [(o.check.code, o.reason) for o in report.outcomes if o.status is Status.ERRORED] == []
