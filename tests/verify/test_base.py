from __future__ import annotations

from pathlib import Path

import pytest

from pinproof.verify.base import load_base
from pinproof.verify.context import Options
from pinproof.verify.files import InputError
from pinproof.verify.git import GitTree, Repository
from pinproof.verify.run import check

from .repositories import Repo, make

PYPROJECT = '[project]\nname = "p"\nversion = "1"\n'
LOCK = 'version = 1\n[[package]]\nname = "p"\nversion = "{}"\nsource = {{ virtual = "." }}\n'


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """main has lock 1 and then 3; the branch checked out, made from the first, has lock 2 uncommitted."""
    repo = make(tmp_path / "repo", {"sub/pyproject.toml": PYPROJECT, "sub/uv.lock": LOCK.format(1)})
    repo.git("branch", "side")
    repo.commit("main moves on", {"sub/uv.lock": LOCK.format(3)})
    repo.git("checkout", "-q", "side")
    repo.write({"sub/uv.lock": LOCK.format(2)})
    return repo


def test_the_base_is_the_merge_base_in_a_folder_below_the_top(repo: Repo) -> None:
    base = load_base(repo.root / "sub", "main", environment={})
    assert (base.tip, base.commit, base.head) == (repo.head("main"), repo.head("main~1"), repo.head("side"))
    assert base.project is not None
    assert [package.version for package in base.project.lock.packages] == ["1"]


def test_links_inside_the_commit_are_followed_and_others_refused(repo: Repo) -> None:
    (repo.root / "sub/up.toml").symlink_to("../other.toml")
    (repo.root / "sub/out.toml").symlink_to("/etc/hostname")
    (repo.root / "sub/loop.toml").symlink_to("loop.toml")
    repo.commit("links", {"other.toml": "a = 1\n"})
    tree = GitTree(Repository(repo.root / "sub"), repo.head())
    assert tree.read("up.toml") == b"a = 1\n"
    assert tree.read("../other.toml") == b"a = 1\n"
    for missing in ("nothing", "out.toml", "../../x", "/etc/hostname"):
        with pytest.raises(FileNotFoundError):
            tree.read(missing)
    with pytest.raises(InputError, match="not a regular file"):
        tree.read("loop.toml")


def test_the_target_branch_of_ci_is_found(repo: Repo) -> None:
    repo.git("update-ref", "refs/remotes/origin/release", "main")
    base = load_base(repo.root / "sub", "", default="side", environment={"GITHUB_BASE_REF": "release"})
    assert (base.revision, base.tip) == ("origin/release", repo.head("main"))
    assert load_base(repo.root / "sub", "", default="side", environment={}).revision == "side"
    with pytest.raises(InputError, match="none of origin/gone"):
        load_base(repo.root / "sub", "", environment={"GITHUB_BASE_REF": "gone"})


def test_a_base_that_is_not_there(repo: Repo, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="`nothing` names no commit here"):
        load_base(repo.root / "sub", "nothing", environment={})
    repo.git("checkout", "-qf", "--orphan", "fresh")
    repo.commit("unrelated")
    with pytest.raises(InputError, match="no common ancestor"):
        load_base(repo.root / "sub", "main", environment={})
    with pytest.raises(InputError, match="not a git repository"):
        load_base(tmp_path, "main", environment={})


def test_a_shallow_clone_says_what_to_fetch(repo: Repo, tmp_path: Path) -> None:
    repo.git("checkout", "-qf", "main")
    origin = f"file://{repo.root}"
    repo.git("clone", "-q", "--depth", "1", "--no-single-branch", origin, str(tmp_path / "shallow"))
    with pytest.raises(InputError, match="no common ancestor in this clone") as caught:
        load_base(tmp_path / "shallow" / "sub", "origin/side", environment={})
    assert caught.value.hint is not None
    assert "--unshallow" in caught.value.hint


def test_a_project_that_the_base_does_not_have_yet(tmp_path: Path) -> None:
    repo = make(tmp_path / "new", {"README": "x\n"})
    repo.commit("project", {"pyproject.toml": PYPROJECT, "uv.lock": LOCK.format(1)})
    base = load_base(repo.root, "HEAD~1", environment={})
    assert base.project is None
    assert base.config.pins == {}


def test_configuration_comes_from_the_base(tmp_path: Path) -> None:
    repo = make(tmp_path / "p", {"pyproject.toml": PYPROJECT, "uv.lock": LOCK.format(1)})
    repo.write({"pyproject.toml": PYPROJECT + "[tool.pinproof]\nunknown = 1\n"})
    select = ["configuration"]
    assert check(repo.root, select=select).exit_code == 1
    assert check(repo.root, select=select, options=Options(base="main")).exit_code == 0
