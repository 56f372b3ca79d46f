"""What changed in a lock since a base: findings, and the review."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pinproof.verify import Options, check
from pinproof.verify.cli import main

from .repositories import Repo, make

PYPROJECT = """\
[project]
name = "app"
version = "1"
dependencies = ["one", "tool"]

[tool.uv.sources]
tool = { git = "https://git.example.org/tool", branch = "main" }
"""

ONE = "sha256:" + "1" * 64
TWO = "sha256:" + "2" * 64
OLD, NEW = "a" * 40, "b" * 40
LOCK = f"""\
version = 1
revision = 3
requires-python = ">=3.11"

[[package]]
name = "app"
version = "1"
source = {{ virtual = "." }}
dependencies = [
    {{ name = "one" }},
    {{ name = "tool" }},
]

[[package]]
name = "one"
version = "2.1"
source = {{ registry = "https://index.example.org/simple" }}
sdist = {{ url = "https://files.example.org/one-2.1.tar.gz", hash = "{ONE}", size = 10 }}
wheels = [
    {{ url = "https://files.example.org/one-2.1-py3-none-any.whl", hash = "{TWO}", size = 20 }},
]

[[package]]
name = "tool"
version = "7"
source = {{ git = "https://git.example.org/tool?branch=main#{OLD}" }}
"""


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """main holds the lock; a branch from it is checked out."""
    repo = make(tmp_path / "repo", {"pyproject.toml": PYPROJECT, "uv.lock": LOCK})
    repo.git("checkout", "-q", "-b", "side")
    return repo


def found(repo: Repo, lock: str, pyproject: str = PYPROJECT) -> list[str]:
    """Findings of the comparison with main as `CODE severity place: message`."""
    repo.write({"uv.lock": lock, "pyproject.toml": pyproject})
    report = check(repo.root, options=Options(static=True, base="main"), select=["LCK04"])
    return [f"{f.code} {f.severity} {f.location}: {f.message}" for f in report.findings]


def edit(old: str, new: str, text: str = LOCK) -> str:
    assert old in text
    return text.replace(old, new, 1)


def test_the_same_lock(repo: Repo) -> None:
    assert found(repo, LOCK) == []


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            f'hash = "{TWO}"',
            f'hash = "sha256:{"3" * 64}"',
            (f"LCK040 error uv.lock:20:5: the digest of one-2.1-py3-none-any.whl changed: {TWO} before and "
            f"sha256:{'3' * 64} now"),
        ),
        (
            f', hash = "{TWO}"',
            "",
            f"LCK040 error uv.lock:20:5: the digest of one-2.1-py3-none-any.whl changed: {TWO} before and none now",
        ),
        (
            "size = 20",
            "size = 21",
            "LCK040 error uv.lock:20:5: the size of one-2.1-py3-none-any.whl changed: 20 before and 21 now",
        ),
        (
            f'    {{ url = "https://files.example.org/one-2.1-py3-none-any.whl", hash = "{TWO}", size = 20 }},\n',
            "",
            "LCK040 warning uv.lock:14:1: one 2.1 is unchanged, and lost 1 file: one-2.1-py3-none-any.whl",
        ),
        (
            "https://index.example.org/simple",
            "https://evil.example/simple",
            ("LCK041 error uv.lock:17:1: one moved from registry https://index.example.org/simple to registry "
            "https://evil.example/simple, and nothing that is declared of it changed"),
        ),
        (
            f'git = "https://git.example.org/tool?branch=main#{OLD}"',
            'registry = "https://index.example.org/simple"',
            (f"LCK041 error uv.lock:26:1: tool moved from git https://git.example.org/tool, branch main, at {OLD} to "
            "registry https://index.example.org/simple, and nothing that is declared of it changed"),
        ),
        (
            f"main#{OLD}",
            f"main#{NEW}",
            f"LCK041 info uv.lock:26:1: tool is locked at {NEW[:12]}, before at {OLD[:12]}, both as branch main",
        ),
        (
            "https://files.example.org/one-2.1-py3",
            "https://cdn.example.net/one-2.1-py3",
            "LCK041 warning uv.lock:20:5: the files of one moved from the host files.example.org to cdn.example.net",
        ),
        (
            "https://files.example.org/one-2.1-py3",
            "https://cdn.example.net/one-2.1-py3",
            "LCK043 warning uv.lock:20:5: 1 file of one from the host cdn.example.net, which the base does not have",
        ),
        (
            'name = "one"\nversion = "2.1"',
            'name = "one"\nversion = "2.0"',
            "LCK042 warning uv.lock:16:1: one went down from 2.1 to 2.0, and nothing asks for it",
        ),
    ],
)  # fmt: skip
def test_what_no_honest_lock_does(repo: Repo, old: str, new: str, expected: str) -> None:
    assert expected in found(repo, edit(old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("size = 20 }", 'size = 20, upload-time = "2026-01-01T00:00:00Z" }'),
        ("revision = 3", "revision = 5"),
        (", size = 20", ""),
        ("size = 20 },\n", (f'size = 20 }},\n    {{ url = "https://files.example.org/one-2.1-cp311-cp311-win32.whl", '
         f'hash = "{ONE}" }},\n')),
        ('version = "2.1"', 'version = "2.2"'),
        (ONE, "sha512:" + "4" * 128),
    ],
    ids=["upload time added", "newer revision", "size dropped", "wheel added", "upgraded", "a stronger digest"],
)  # fmt: skip
def test_an_honest_lock_raises_nothing(repo: Repo, old: str, new: str) -> None:
    assert found(repo, edit(old, new)) == []


def test_line_endings_and_order_raise_nothing(repo: Repo) -> None:
    assert found(repo, LOCK.replace("\n", "\r\n")) == []
    head, *packages = LOCK.split("[[package]]\n")
    assert found(repo, head + "".join(f"[[package]]\n{text.rstrip()}\n\n" for text in reversed(packages))) == []


def test_a_declared_change_explains_a_move_and_a_downgrade(repo: Repo) -> None:
    moved = edit("https://index.example.org/simple", "https://mirror.example.org/simple")
    index = '\n[[tool.uv.index]]\nname = "m"\nurl = "https://mirror.example.org/simple"\ndefault = true\n'
    assert found(repo, moved, PYPROJECT + index) == []
    lower = edit('version = "2.1"', 'version = "2.0"')
    assert found(repo, lower, PYPROJECT.replace('"one"', '"one<2.1"')) == []


def test_a_downgrade_is_explained_by_what_needs_it(repo: Repo) -> None:
    lower = edit('name = "one"\nversion = "2.1"', 'name = "one"\nversion = "2.0"')
    lower = edit(
        'name = "tool"\nversion = "7"', 'name = "tool"\nversion = "8"\ndependencies = [{ name = "one" }]', lower
    )
    assert [text for text in found(repo, lower) if text.startswith("LCK042")] == []


def test_a_tag_that_moved(repo: Repo) -> None:
    repo.git("checkout", "-q", "main")
    repo.commit("tag", {"uv.lock": LOCK.replace("branch=main", "tag=v1")})
    repo.git("checkout", "-q", "-B", "side")
    lock = LOCK.replace("branch=main", "tag=v1").replace(OLD, NEW)
    assert found(repo, lock) == [
        f"LCK041 warning uv.lock:26:1: tool is locked at {NEW[:12]}, before at {OLD[:12]}, both as tag v1"
    ]


def test_without_a_base_the_comparison_is_left_out_or_not_run(repo: Repo) -> None:
    report = check(repo.root, options=Options(static=True))
    assert [o.check.code for o in report.outcomes if o.check.code.startswith("LCK04")] == []
    report = check(repo.root, options=Options(static=True), select=["changed-files"])
    assert [o.reason for o in report.outcomes] == ["there is no base to compare with; name one with --base"]


def test_a_project_that_the_base_does_not_have(repo: Repo) -> None:
    repo.write({"sub/pyproject.toml": PYPROJECT, "sub/uv.lock": LOCK})
    report = check(repo.root / "sub", options=Options(static=True, base="main"), select=["LCK04"])
    assert {o.reason for o in report.outcomes} == {f"there is no uv project at {repo.head('main')[:12]}"}


REVIEWED = (
    LOCK.replace(TWO, "sha256:" + "3" * 64).replace(OLD, NEW)
    + """
[[package]]
name = "new\\u001b[31m"
version = "1"
source = { registry = "https://index.example.org/simple" }
"""
)


def test_review_as_text(repo: Repo, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    repo.write({"uv.lock": REVIEWED})
    monkeypatch.chdir(repo.root)
    with pytest.raises(SystemExit) as caught:
        main(["diff", "main"])
    assert caught.value.code == 1
    assert capsys.readouterr().out.splitlines() == [
        f"uv.lock since main ({repo.head('main')[:12]}): 2 packages changed, 1 added, 0 removed",
        f"error: the digest of one-2.1-py3-none-any.whl changed: {TWO} before and sha256:{'3' * 64} now [LCK040]",
        "  --> uv.lock:20:5",
        f"info: tool is locked at {NEW[:12]}, before at {OLD[:12]}, both as branch main [LCK041]",
        "  --> uv.lock:26:1",
        "git (1)",
        f"  tool {OLD[:12]} -> {NEW[:12]} (from git https://git.example.org/tool, branch main, at {NEW})",
        "added (1)",
        "  new\\x1b[31m 1 (from registry https://index.example.org/simple)",
        "edited (1)",
        "  one 2.1 -> 2.1 (wheels)",
    ]


def test_review_as_json_and_markdown(repo: Repo, tmp_path: Path) -> None:
    repo.write({"uv.lock": REVIEWED})
    for form in ("json", "markdown"):
        with pytest.raises(SystemExit):
            main(["diff", "main", str(repo.root), "--format", form, "--output", str(tmp_path / form)])
    data = json.loads((tmp_path / "json").read_text())
    assert data["schema"] == 1
    assert [finding["code"] for finding in data["findings"]] == ["LCK040", "LCK041"]
    assert data["groups"]["edited"] == [{"package": "one", "before": "2.1", "after": "2.1", "note": "wheels"}]
    markdown = (tmp_path / "markdown").read_text()
    assert "- **error** the digest of one-2.1-py3-none-any.whl changed" in markdown
    assert "**added** (1)" in markdown


def test_review_of_an_unchanged_lock(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["diff", "main", str(repo.root)])
    assert caught.value.code == 0
    assert capsys.readouterr().out == f"uv.lock since main ({repo.head('main')[:12]}): no package changed\n"
