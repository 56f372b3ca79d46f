"""`pinproof pin` on small projects, with real uv and real git, offline."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from pinproof.verify import Options, check
from pinproof.verify.cli import main
from pinproof.verify.pinning.journal import alone
from pinproof.verify.pinning.relock import relocked
from pinproof.verify.scratch import uv_binary

from ..repositories import Repo, make

OLD, NEW = "a" * 40, "b" * 40
PYPROJECT = f"""\
# the engine
[project]
name = "engine"
version = "1"
requires-python = ">=3.11"
dependencies = ["kernels"]   # one

[project.optional-dependencies]
more = ["other @ git+https://git.example.org/o/other@{OLD}#subdirectory=py"]

[tool.uv]
package = false

[tool.uv.sources]
kernels = {{ git = "https://git.example.org/o/kernels", rev = '{OLD}' }} # reviewed

[[tool.uv.dependency-metadata]]
name = "kernels"
version = "1.0"

[[tool.uv.dependency-metadata]]
name = "other"
version = "2.0"

[tool.pinproof.pins.kernels]
git = "https://git.example.org/o/kernels"
rev = "{OLD}"

[[tool.pinproof.mentions]]
pin = "kernels"
path = "Dockerfile"
template = "KERNELS={{commit}}"

[[tool.pinproof.mentions]]
pin = "kernels"
path = "Dockerfile"
template = "short={{short}}"
"""
DOCKERFILE = f"ARG KERNELS={OLD}\r\nARG short={OLD[:9]}\r\nARG other={OLD}\r\n"


@pytest.fixture(scope="session")
def locked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project, locked by real uv without network."""
    uv = uv_binary()
    if uv is None:
        pytest.skip("the program uv is not installed beside pinproof")
    root = tmp_path_factory.mktemp("locked")
    (root / "pyproject.toml").write_text(PYPROJECT)
    (root / "Dockerfile").write_bytes(DOCKERFILE.encode())
    subprocess.run([uv, "lock", "--offline", "--no-progress", "-q"], cwd=root, check=True, timeout=120)
    return root


@pytest.fixture
def project(locked: Path, tmp_path: Path) -> Path:
    return shutil.copytree(locked, tmp_path / "project")


def files(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[object, str, str]:
    with pytest.raises(SystemExit) as caught:
        main(["pin", *arguments])
    said = capsys.readouterr()
    return caught.value.code, said.out, said.err


def test_every_place_changes_and_nothing_else(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = files(project)
    code, out, _ = run(capsys, "Kernels", str(project), "--rev", NEW.upper())
    assert code == 0, out
    after = files(project)
    assert sorted(after) == ["Dockerfile", "pyproject.toml", "uv.lock"]
    text = before["pyproject.toml"].decode()
    assert after["pyproject.toml"].decode() == text.replace(f"rev = '{OLD}'", f'rev = "{NEW}"').replace(
        f'rev = "{OLD}"', f'rev = "{NEW}"'
    )
    assert after["Dockerfile"].decode() == f"ARG KERNELS={NEW}\r\nARG short={NEW[:9]}\r\nARG other={OLD}\r\n"
    lock = before["uv.lock"].decode().replace(f"kernels?rev={OLD}#{OLD}", f"kernels?rev={NEW}#{NEW}")
    assert after["uv.lock"].decode() == lock.replace(f"kernels?rev={OLD}", f"kernels?rev={NEW}")
    assert check(project, options=Options(static=True), select=["pins", "mentions", "LCK01"]).exit_code == 0
    assert f'+kernels = {{ git = "https://git.example.org/o/kernels", rev = "{NEW}" }} # reviewed' in out
    assert "not verified: api: " in out
    assert out.endswith("wrote Dockerfile, pyproject.toml, uv.lock\n")


def test_a_reference_in_a_requirement(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "other", str(project), "--rev", NEW)
    assert code == 0, out
    assert (
        f'"other @ git+https://git.example.org/o/other@{NEW}#subdirectory=py"'
        in (project / "pyproject.toml").read_text()
    )
    assert check(project, options=Options(static=True), select=["pins", "LCK01"]).exit_code == 0


def test_a_dry_run_writes_nothing(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = files(project)
    code, out, _ = run(capsys, "kernels", str(project), "--rev", NEW, "--dry-run")
    assert code == 0
    assert out.endswith("nothing was written (--dry-run)\n")
    assert files(project) == before


def test_a_dry_run_puts_nothing_back(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / ".pinproof-pin").mkdir()
    before = files(project)
    code, _, err = run(capsys, "kernels", str(project), "--rev", NEW, "--dry-run")
    assert code == 2
    assert "a change was not finished" in err
    assert files(project) == before
    assert (project / ".pinproof-pin").is_dir()


def test_the_same_commit_again(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "kernels", str(project), "--rev", OLD)
    assert (code, out) == (0, f"kernels is pinned to {OLD} already\n")


def test_line_ends_and_a_byte_order_mark_stay(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = project / "pyproject.toml"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert run(capsys, "kernels", str(project), "--rev", NEW)[0] == 0
    assert path.read_bytes().startswith(b"\xef\xbb\xbf# the engine\r\n")
    assert path.read_bytes().count(b"\n") == path.read_bytes().count(b"\r\n") == PYPROJECT.count("\n")


def test_a_tag_gives_way_to_the_commit(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = project / "pyproject.toml"
    path.write_text(path.read_text().replace(f"rev = '{OLD}'", 'tag = "v1"'))
    assert run(capsys, "kernels", str(project), "--rev", NEW)[0] == 0
    assert f'kernels = {{ git = "https://git.example.org/o/kernels", rev = "{NEW}" }} # reviewed' in path.read_text()


def test_what_uv_cannot_lock_changes_nothing(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = project / "pyproject.toml"
    path.write_text(path.read_text().replace('dependencies = ["kernels"]', 'dependencies = ["kernels", "absent-one"]'))
    before = files(project)
    code, _, err = run(capsys, "kernels", str(project), "--rev", NEW)
    assert code == 2
    assert "uv could not lock the change" in err
    assert files(project) == before


def test_what_a_check_finds_anew_changes_nothing(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Another place of the pin, which no configuration names, would be left behind."""
    path = project / "pyproject.toml"
    path.write_text(path.read_text().replace('"KERNELS={commit}"', '"other={commit}"') + '[tool.pinproof.severity]\n'
                    'PRV004 = "error"\n')  # fmt: skip
    make_repository(project)
    (project / "notes.sh").write_text(f"pip install git+https://git.example.org/o/kernels@{OLD}\n")
    subprocess.run(["git", "add", "-A"], cwd=project, check=True)
    before = files(project)
    code, out, _ = run(capsys, "kernels", str(project), "--rev", NEW)
    assert code == 1, out
    assert "[PRV004] notes.sh:1:" in out
    assert out.endswith("nothing was written\n")
    assert files(project) == before


def test_two_at_once(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = files(project)
    with alone(project):
        code, _, err = run(capsys, "kernels", str(project), "--rev", NEW)
    assert code == 2
    assert "another pinproof pin is at work" in err
    assert files(project) == before
    assert run(capsys, "kernels", str(project), "--rev", NEW)[0] == 0


@pytest.mark.parametrize("name", ["pyproject.toml", "uv.lock", "Dockerfile"])
def test_an_edit_while_uv_locks_is_kept(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    before = files(project)

    def edits(*arguments: Any, **keywords: Any) -> bytes:
        found = relocked(*arguments, **keywords)
        (project / name).write_bytes(before[name] + b"# mine\n")
        return found

    monkeypatch.setattr("pinproof.verify.commands.pin.relocked", edits)
    code, _, err = run(capsys, "kernels", str(project), "--rev", NEW)
    assert code == 2
    assert f"{name}: was changed while" in err
    assert files(project) == before | {name: before[name] + b"# mine\n"}


def make_repository(root: Path) -> None:
    subprocess.run(["git", "init", "-q", str(root)], check=True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing", "--rev", NEW], "uv.lock: has no git dependency nothing"),
        (["kernels", "--rev", "main"], "--rev: `main` is in no clone here and not in uv's git cache"),
        (["kernels", "--rev", "-x"], "--rev: `-x` is no commit, branch or tag"),
        (["kernels", "--rev", "main", "--online"], "--online contacts hosts of trusted configuration only"),
    ],
)
def test_what_is_refused(
    project: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.setenv("UV_CACHE_DIR", str(project.parent / "empty"))
    monkeypatch.chdir(project)
    before = files(project)
    name, *rest = arguments
    code, _, err = run(capsys, name, ".", *rest)
    assert code == 2
    assert message in err
    assert files(project) == before


@pytest.fixture
def clone(tmp_path: Path) -> Repo:
    """A clone of the kernels' repository, with a branch, a tag and a default branch."""
    origin = make(tmp_path / "origin", {"a": "1\n"})
    origin.git("tag", "-m", "first", "v1")
    origin.commit("second", {"a": "2\n"})
    origin.git("branch", "side", "main~1")
    copy = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", str(origin.root), str(copy)], check=True)
    subprocess.run(["git", "remote", "set-url", "origin", "https://git.example.org/o/kernels"], cwd=copy, check=True)
    return Repo(copy)


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [("latest", "main"), ("main", "main"), ("side", "main~1"), ("v1", "main~1"), ("short", "main~1")],
)
def test_names_are_looked_up_in_a_clone(
    project: Path, clone: Repo, capsys: pytest.CaptureFixture[str], wanted: str, expected: str
) -> None:
    commit = clone.head(f"origin/{expected}")
    rev = commit[:10] if wanted == "short" else wanted
    code, out, _ = run(capsys, "kernels", str(project), "--rev", rev, "--clone", str(clone.root), "--dry-run")
    assert code == 0, out
    assert out.startswith(f"kernels: {commit}, by the clone {clone.root}\n")
