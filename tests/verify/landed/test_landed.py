"""What becomes of a change: merged, rebased, picked, squashed, taken in parts, reverted, or left behind."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

from pinproof.verify.git import Repository
from pinproof.verify.landed.content import present
from pinproof.verify.landed.goal import goal
from pinproof.verify.landed.patches import changes, difference
from pinproof.verify.landed.search import Answer, Landing, landings, read_change

from ..repositories import Repo, make

TEXT = "".join(f"line {number}\n" for number in range(1, 41))


def edited(*numbers: int) -> str:
    """Return the text with these lines changed, each a hunk of its own where they are ten lines apart."""
    return "".join(f"changed {n}\n" if n in numbers else f"line {n}\n" for n in range(1, 41))


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """main has a file of 40 lines; `topic` has two commits on it, `first` and `topic` itself."""
    repo = make(tmp_path / "r", {"a": TEXT})
    repo.git("checkout", "-qb", "topic")
    repo.commit("one", {"a": edited(5)})
    repo.git("branch", "first")
    repo.commit("two", {"a": edited(5, 25), "b": "new\n"})
    repo.git("checkout", "-q", "main")
    repo.commit("other", {"c": "c\n"})
    return repo


def told(repo: Repo, *names: str, on: str = "main", folder: Path | None = None) -> list[Landing]:
    repository = Repository(folder or repo.root)
    return landings(repository, [read_change(repository, name) for name in names], goal(repository, on).commit)


def answers(found: Sequence[Landing]) -> list[str]:
    return [landing.answer.value for landing in found]


def places(hunks: Sequence[object]) -> list[tuple[str, int]]:
    return [(getattr(hunk, "path", ""), getattr(hunk, "line", -1)) for hunk in hunks]


def test_not_landed(repo: Repo) -> None:
    (one,) = told(repo, "topic")
    assert (one.answer, one.reason) == (Answer.MISSING, "none of 2 hunks is there")
    assert places(one.missing) == [("a", 22), ("b", 1)]
    assert one.there == ()


def test_merged(repo: Repo) -> None:
    repo.git("merge", "-q", "--no-ff", "-m", "merge", "topic")
    assert answers(told(repo, "topic", "first", "main", "main~1..topic")) == ["ancestor"] * 4


def test_rebased_onto_changed_lines_around_it(repo: Repo) -> None:
    repo.commit("shift", {"a": "top\n" * 7 + TEXT})
    repo.git("checkout", "-q", "-b", "copy", "topic")
    repo.git("rebase", "-q", "main")
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--ff-only", "copy")
    first, topic = told(repo, "first", "topic")
    assert (first.answer, first.by) == (Answer.REWRITTEN, repo.head("main~1"))
    assert (topic.answer, topic.by) == (Answer.REWRITTEN, repo.head("main"))
    assert topic.reason == f"the same patch is {repo.head('main')[:12]}"
    (whole,) = told(repo, "main~3..topic")
    assert (whole.answer, whole.reason) == (Answer.REWRITTEN, "each of its commits is there as the same patch")


def test_picked(repo: Repo) -> None:
    repo.git("cherry-pick", "first")
    assert answers(told(repo, "first", "topic")) == ["rewritten", "missing"]


def test_squashed(repo: Repo) -> None:
    repo.git("merge", "-q", "--ff", "--squash", "topic")
    squash = repo.commit("squash (#1)")
    repo.commit("later", {"c": "later\n", "a": edited(5, 25) + "more\n"})
    first, topic = told(repo, "first", "topic")
    assert (topic.answer, topic.by) == (Answer.SQUASHED, squash)
    assert topic.reason == f"2 commits since {repo.head('main~3')[:12]} were squashed into {squash[:12]}"
    assert (first.answer, first.by) == (Answer.SQUASHED, squash)
    assert first.reason == f"squashed with {repo.head('topic')[:12]} into {squash[:12]}"
    assert answers(told(repo, "first")) == ["content"]
    assert answers(told(repo, "main~3..topic")) == ["rewritten"]


def test_taken_by_content_only(repo: Repo) -> None:
    repo.commit("by hand", {"a": edited(5, 15, 25, 35), "b": "new\nand more\n"})
    (one,) = told(repo, "topic")
    assert (one.answer, one.reason) == (Answer.CONTENT, "no commit has this patch, and every hunk is in the files")


def test_partly_landed_lists_what_is_there_and_what_is_missing(repo: Repo) -> None:
    repo.commit("a part", {"a": edited(25)})
    (one,) = told(repo, "topic")
    assert (one.answer, one.reason) == (Answer.PARTLY, "1 of 2 hunks are there")
    assert (places(one.there), places(one.missing)) == ([("a", 22)], [("b", 1)])


def test_reverted(repo: Repo) -> None:
    repo.git("merge", "-q", "--no-ff", "-m", "merge", "topic")
    repo.git("revert", "--no-edit", "topic")
    (one,) = told(repo, "topic")
    assert (one.answer, one.reason) == (Answer.REVERTED, f"an ancestor, and {repo.head()[:12]} reverts it")
    assert answers(told(repo, "first")) == ["ancestor"]


def test_overwritten_later_is_still_landed_and_says_so(repo: Repo) -> None:
    repo.git("merge", "-q", "--no-ff", "-m", "merge", "topic")
    repo.commit("rewrite", {"a": "other\n", "b": "other\n"})
    (one,) = told(repo, "topic")
    assert one.answer is Answer.ANCESTOR
    assert one.reason.endswith("the files have changed since, and none of its hunks is there as it was")


def test_a_merge_commit_counts_as_what_it_brought(repo: Repo) -> None:
    repo.git("checkout", "-qb", "side", "main")
    repo.git("merge", "-q", "--no-ff", "-m", "merge", "topic")
    repo.git("checkout", "-q", "main")
    repo.commit("by hand", {"a": edited(5, 25), "b": "new\n"})
    assert answers(told(repo, "side")) == ["rewritten"]


def test_removals_modes_binaries_and_names(tmp_path: Path) -> None:
    odd = 'tab\t"quote" \\ é\n'
    repo = make(
        tmp_path / "r", {"gone": "x\n", "run": "x\n", "bin": b"a\0b", "cut": "one\ntwo long\nthree\n", odd: "x\n"}
    )
    repo.git("checkout", "-qb", "topic")
    (repo.root / "gone").unlink()
    (repo.root / "run").chmod(0o755)
    repo.commit("topic", {"bin": b"a\0c", "cut": "one\nthree\n", odd: "yes it is\n", "empty": ""})
    repo.git("checkout", "-q", "main")
    repo.commit("other", {"z": "z\n"})
    (one,) = told(repo, "topic")
    assert sorted(places(one.missing)) == [("bin", 0), ("cut", 1), ("empty", 0), ("gone", 0), ("run", 0), (odd, 1)]
    (repo.root / "gone").unlink()
    (repo.root / "run").chmod(0o755)
    repo.commit("part", {"bin": b"a\0c", "cut": "zero\nthree\n", odd: "before\nyes it is\n"})
    (one,) = told(repo, "topic")
    assert (one.answer, places(one.missing)) == (Answer.PARTLY, [("empty", 0)])


def test_binaries_that_begin_alike_are_two_patches(tmp_path: Path) -> None:
    repo = make(tmp_path / "r", {"bin": b"\0"})
    repo.git("checkout", "-qb", "topic")
    repo.commit("topic", {"bin": b"\0\x01one"})
    repo.git("checkout", "-q", "main")
    repo.commit("main", {"bin": b"\0\x01two"})
    assert answers(told(repo, "topic")) == ["missing"]


def test_a_trivial_line_elsewhere_is_no_content(tmp_path: Path) -> None:
    repo = make(tmp_path / "r", {"a": "f() {\n}\nmiddle\nlast\n"})
    repo.git("checkout", "-qb", "topic")
    repo.commit("topic", {"a": "f() {\n}\nmiddle\nlast\n}\n"})
    repo.git("checkout", "-q", "main")
    repo.commit("other", {"b": "b\n"})
    assert answers(told(repo, "topic")) == ["missing"]


def test_nothing_first_and_unrelated(repo: Repo) -> None:
    repo.git("checkout", "-q", "topic")
    repo.git("commit", "-q", "--allow-empty", "-m", "empty")
    repo.git("checkout", "-q", "--orphan", "alone")
    repo.commit("alone", {"d": "d\n"})
    repo.git("checkout", "-q", "main")
    assert answers(told(repo, "topic", "alone")) == ["content", "missing"]
    assert [one.reason for one in told(repo, "topic")] == ["it changes nothing"]


def test_windows_line_ends(repo: Repo) -> None:
    repo.commit("by hand", {"a": edited(5, 25).replace("\n", "\r\n"), "b": "new\r\n"})
    assert answers(told(repo, "topic")) == ["content"]


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_worktree_folder_detached_renamed(tmp_path: Path, object_format: str) -> None:
    repo = make(tmp_path / "r", {"sub/a": TEXT}, object_format=object_format)
    repo.git("checkout", "-qb", "topic")
    repo.commit("one", {"sub/a": edited(5), "top": "x long\n"})
    repo.git("checkout", "-q", "main")
    repo.commit("other", {"c": "c\n"})
    repo.git("cherry-pick", "topic")
    repo.git("branch", "-m", "main", "trunk")
    repo.git("worktree", "add", "-q", "--detach", str(tmp_path / "w"), "topic")
    for folder in (repo.root, repo.root / "sub", tmp_path / "w/sub"):
        assert answers(told(repo, "topic", on="trunk", folder=folder)) == ["rewritten"]
    repo.commit("changed", {"sub/a": edited(15, 5), "top": "x long\nmore\n"})
    for folder in (repo.root, repo.root / "sub", tmp_path / "w/sub"):
        assert answers(told(repo, "topic", on="trunk", folder=folder)) == ["rewritten"]


def test_a_submodule_that_moved(repo: Repo, tmp_path: Path) -> None:
    inner = make(tmp_path / "inner", {"x": "x\n"})
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner.root), "dep")
    repo.commit("add")
    repo.git("checkout", "-qb", "move")
    moved = inner.commit("second", {"x": "y\n"})
    Repo(repo.root / "dep").git("fetch", "-q", str(inner.root))
    Repo(repo.root / "dep").git("checkout", "-q", moved)
    repo.commit("move")
    repo.git("checkout", "-q", "main")
    repo.git("submodule", "update", "-q")
    assert answers(told(repo, "move")) == ["missing"]
    repo.commit("beside", {"c": "c2\n"})
    repo.git("cherry-pick", "move")
    assert answers(told(repo, "move")) == ["rewritten"]


def test_a_shallow_clone_proves_no_absence(repo: Repo, tmp_path: Path) -> None:
    repo.git("clone", "-q", "--depth=1", "--no-single-branch", f"file://{repo.root}", str(tmp_path / "copy"))
    copy = Repo(tmp_path / "copy")
    (one,) = told(copy, "origin/first", on="main")
    assert one.answer is Answer.UNKNOWN
    assert one.reason == "the history here is cut off (shallow), and not every hunk is in the files"


def test_a_partial_clone_fetches_nothing(repo: Repo, tmp_path: Path) -> None:
    repo.git("config", "uploadpack.allowFilter", "true")
    clone = ["clone", "-q", "--filter=blob:none", "--no-checkout", f"file://{repo.root}", str(tmp_path / "copy")]
    repo.git(*clone)
    (one,) = told(Repo(tmp_path / "copy"), "origin/topic")
    assert one.answer is Answer.UNKNOWN
    assert one.reason.startswith("objects cannot be read here: ")


def test_nothing_that_the_repository_configures_runs_or_counts(repo: Repo, tmp_path: Path) -> None:
    spy = tmp_path / "spy"
    spy.write_text(f'#!/bin/sh\necho "$0 $*" >> {tmp_path}/ran\nexit 1\n')
    spy.chmod(spy.stat().st_mode | stat.S_IXUSR)
    repo.git("cherry-pick", "first", "topic")
    for key in (
        "core.fsmonitor", "diff.external", "diff.x.textconv", "diff.x.command", "filter.x.clean", "filter.x.smudge",
        "credential.helper", "core.pager", "pager.log", "gpg.program", "core.alternateRefsCommand",
    ):  # fmt: skip
        repo.git("config", key, str(spy))
    for key, value in (
        ("diff.noprefix", "true"), ("diff.context", "0"), ("diff.suppressBlankEmpty", "true"), ("color.ui", "always"),
        ("diff.algorithm", "patience"), ("diff.renames", "copies"), ("diff.orderFile", "/dev/null"),
        ("log.showSignature", "true"), ("diff.x.binary", "true"), ("diff.relative", "true"), ("log.mailmap", "true"),
    ):  # fmt: skip
        repo.git("config", key, value)
    for alias in ("diff-tree", "patch-id", "rev-list", "log", "ls-tree", "merge-base"):
        repo.git("config", f"alias.{alias}", f"!{spy}")
    (repo.root / ".git/info/attributes").write_text("* filter=x diff=x -text\n")
    (repo.root / ".gitattributes").write_text("* -diff\n")
    assert answers(told(repo, "first", "topic")) == ["rewritten", "rewritten"]
    assert not (tmp_path / "ran").exists()


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pinproof.verify", "landed", *arguments]
    return subprocess.run(command, cwd=cwd, env=os.environ, capture_output=True, text=True, timeout=60, check=False)


def test_the_command(repo: Repo) -> None:
    repo.git("cherry-pick", "first")
    repo.commit("a part", {"b": "new\n"})
    done = run("first", "topic", cwd=repo.root)
    main, first, topic = (repo.head(name)[:12] for name in ("main", "first", "topic"))
    assert done.stdout == (
        f"landed        {first} one: the same patch is {repo.head('main~1')[:12]}\n"
        f"partly landed {topic} two: 1 of 2 hunks are there\n"
        "    there    b:1  +new\n"
        "    missing  a:22  +changed 25\n"
        f"1 of 2 on main ({main})\n"
    )
    assert (done.returncode, done.stderr) == (1, "")
    assert run("first", "--on", "main", cwd=repo.root).returncode == 0
    data = json.loads(run("topic", "--format", "json", cwd=repo.root).stdout)
    assert (data["on"], data["changes"][0]["answer"]) == ("main", "partly")
    assert data["changes"][0]["missing"] == [{"path": "a", "line": 22}]


def test_the_remotes_branch_counts_before_the_local_one(repo: Repo, tmp_path: Path) -> None:
    repo.git("clone", "-q", str(repo.root), str(tmp_path / "copy"))
    copy = Repo(tmp_path / "copy")
    mine = copy.commit("mine", {"x": "x long\n"})
    assert run(mine, "--on", "main", cwd=copy.root).stdout.endswith(f"0 of 1 on origin/main ({repo.head()[:12]})\n")
    assert run(mine, cwd=copy.root).returncode == 1


@pytest.mark.parametrize("name", ["nothing", "--help-me", "main..nothing", "nothing..main", "main:a", "", "a\nb"])
def test_what_names_no_commit_is_unusable(repo: Repo, name: str) -> None:
    done = run("--", name, cwd=repo.root)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: landed: ")


def test_a_hostile_subject_and_path_cannot_forge_a_line(repo: Repo) -> None:
    repo.git("checkout", "-q", "topic")
    repo.commit("::error::x\x1b[31m", {"::error::y\nz": "::error::z\x1b[31m long\n"})
    done = run("topic", cwd=repo.root)
    assert [line for line in done.stdout.splitlines() if line.lstrip().startswith("::")] == []
    assert "\x1b" not in done.stdout


@pytest.mark.parametrize("seed", range(30))
def test_what_landed_amid_other_changes_is_all_there(tmp_path: Path, seed: int) -> None:
    """Files of few different lines, so that every line stands in many places."""
    random = Random(seed)
    words = ["alpha()", "beta = 1", "}", "", "return gamma"]
    before = [random.choice(words) for _ in range(30)]
    after = list(before)
    for _ in range(3):
        place = random.randrange(len(after))
        after[place : place + random.randrange(3)] = [
            random.choice(["added one", *words]) for _ in range(random.randrange(3))
        ]
    elsewhere = [f"other {number}" for number in range(12)]
    text = "\n".join
    repo = make(tmp_path / "r", {"a": text([*before, *elsewhere])})
    older = repo.head()
    newer = repo.commit("topic", {"a": text([*after, *elsewhere])})
    target = repo.commit("more", {"a": text(["first", "second", *after, *elsewhere, "last"])})
    repository = Repository(repo.root)
    found = list(present(repository, target, changes(difference(repository, older, newer))))
    assert [hunk for hunk, there in found if not there] == []
    gone = list(present(repository, older, changes(difference(repository, older, newer))))
    assert [hunk for hunk, there in gone if there] == []
