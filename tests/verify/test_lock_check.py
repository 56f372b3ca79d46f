"""`uv lock --check --offline` through the check: real uv, and projects that try to be executed."""

import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from uv import find_uv_bin

from pinproof.verify import InputError, Options, Outcome, Status, check

ROOT = Path(__file__).resolve().parents[2]
PROJECT = '[project]\nname = "demo"\nversion = "1"\nrequires-python = ">=3.11"\n'
PIN = (
    'dependencies = ["r"]\n[tool.uv.sources]\n'
    f'r = {{ git = "https://github.com/o/r", rev = "{"7" * 40}" }}\n'
    '[[tool.uv.dependency-metadata]]\nname = "r"\nversion = "1"\n'
)
Write = Callable[..., Path]


def locked(root: Path) -> Path:
    command = [find_uv_bin(), "lock", "--offline", "--cache-dir", str(root.parent / "cache")]
    subprocess.run(command, cwd=root, check=True, capture_output=True)
    return root


def lock_outcome(root: Path, **options: object) -> Outcome:
    before = (root / "uv.lock").read_bytes()
    (outcome,) = check(root, options=Options(**options), select=["LCK001"]).outcomes  # type: ignore[arg-type]
    assert (root / "uv.lock").read_bytes() == before
    return outcome


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "uv-cache"))


def test_up_to_date_with_a_cold_cache(write_project: Write) -> None:
    outcome = lock_outcome(locked(write_project({"pyproject.toml": PROJECT + PIN})))
    assert outcome.status is Status.PASSED
    assert outcome.tally is not None
    assert outcome.tally.detail.startswith("up to date with pyproject.toml (uv ")
    assert outcome.tally.detail.endswith(", offline, cold cache)")


def test_stale(write_project: Write) -> None:
    root = locked(write_project({"pyproject.toml": PROJECT}))
    (root / "pyproject.toml").write_text(PROJECT.replace('version = "1"', 'version = "2"'))
    outcome = lock_outcome(root)
    assert outcome.status is Status.FAILED
    assert outcome.findings[0].message.startswith("uv says that the lock is stale: it does not fit pyproject.toml")
    assert str(outcome.findings[0].location) == "uv.lock:1:1"


def test_damaged(write_project: Write) -> None:
    root = locked(write_project({"pyproject.toml": PROJECT + PIN}))
    text = (root / "uv.lock").read_text()
    (root / "uv.lock").write_text(text.replace(f"#{'7' * 40}", f"#{'8' * 40}"))
    outcome = lock_outcome(root)
    assert outcome.status is Status.FAILED
    assert "uv cannot use the lock:" in outcome.findings[0].message
    assert "does not match precise commit" in outcome.findings[0].message


@pytest.mark.parametrize(
    ("project", "why"),
    [
        (PROJECT.replace(">=3.11", ">=3.99"), "because another Python is wanted"),
        (PROJECT + 'dependencies = ["not-in-the-cache"]\n', "because a changed requirement is not in the cache"),
        (PROJECT + '[tool.uv]\nrequired-version = "==0.0.1"\n', "because the project wants another uv"),
    ],
)
def test_undecided_is_not_run_with_the_words_of_uv(write_project: Write, project: str, why: str) -> None:
    root = locked(write_project({"pyproject.toml": PROJECT}))
    (root / "pyproject.toml").write_text(project)
    outcome = lock_outcome(root)
    assert outcome.status is Status.NOT_RUN
    assert why in outcome.reason
    assert "; it said: " in outcome.reason
    assert outcome.findings == ()


def test_user_configuration_and_environment_do_not_turn_the_verdict(
    write_project: Write, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    root = locked(write_project({"pyproject.toml": PROJECT + PIN}))
    configuration = tmp_path / "config" / "uv"
    configuration.mkdir(parents=True)
    (configuration / "uv.toml").write_text('exclude-newer = "2020-01-01T00:00:00Z"\n')
    monkeypatch.setenv("XDG_CONFIG_HOME", str(configuration.parent))
    monkeypatch.setenv("UV_NO_SOURCES", "1")
    monkeypatch.setenv("UV_FROZEN", "1")
    monkeypatch.setenv("UV_EXCLUDE_NEWER", "2020-01-01")
    assert lock_outcome(root).status is Status.PASSED


def planted(path: Path, mark: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'#!/bin/sh\ntouch {mark}\nexec {sys.executable} "$@"\n')
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def test_nothing_of_the_project_is_executed(
    write_project: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = locked(write_project({"pyproject.toml": PROJECT}))
    mark = tmp_path / "executed"
    planted(root / ".venv" / "bin" / "python", mark)
    planted(root / "bin" / "python3", mark)
    planted(root / "bin" / "uv", mark)
    (root / ".python-version").write_text(str(root / "bin" / "python3"))
    monkeypatch.setenv("PATH", f"{root / 'bin'}:bin:{Path('/usr/bin')}:/bin")
    backend = f"from pathlib import Path\nPath({str(mark)!r}).touch()\n"
    (root / "backend.py").write_text(backend)
    (root / "setup.py").write_text(backend)
    (root / "pyproject.toml").write_text(
        PROJECT
        + 'dependencies = ["other"]\n[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
        + f'[tool.uv]\ncache-dir = "{root / "cache"}"\n[tool.uv.sources]\nother = {{ path = "other" }}\n'
    )
    (root / "other").mkdir()
    (root / "other" / "setup.py").write_text(backend)
    outcome = lock_outcome(root)
    assert outcome.status is Status.NOT_RUN
    assert not mark.exists()
    assert not (root / "cache").exists()


def test_a_project_that_needs_a_build_is_not_run_unless_that_is_permitted(write_project: Write) -> None:
    backend = (
        "from pathlib import Path\n"
        "def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):\n    raise SystemExit(1)\n"
        "def build_sdist(sdist_directory, config_settings=None):\n    raise SystemExit(1)\n"
        "def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):\n"
        "    info = Path(metadata_directory) / 'demo-1.dist-info'\n    info.mkdir()\n"
        "    (info / 'METADATA').write_text('Metadata-Version: 2.1\\nName: demo\\nVersion: 1\\n')\n"
        "    return info.name\n"
        "prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel\nbuild_editable = build_wheel\n"
    )
    project = PROJECT + (
        'dynamic = ["dependencies"]\n[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
    )
    root = locked(write_project({"pyproject.toml": project, "backend.py": backend}))
    outcome = lock_outcome(root)
    assert outcome.status is Status.NOT_RUN
    assert outcome.reason == (
        "uv would have to build `./pyproject.toml` (dynamic dependencies) to know its dependencies; "
        "--allow-build permits that"
    )
    assert lock_outcome(root, allow_build=True).status is Status.PASSED


def test_members_beside_and_below_the_root_are_laid_out_for_uv(write_project: Write) -> None:
    member = '[project]\nname = "{}"\nversion = "1"\n'
    root = write_project(
        {
            "libs/root/pyproject.toml": PROJECT
            + 'dependencies = ["beside", "below"]\n[tool.uv.workspace]\nmembers = ["below"]\n'
            '[tool.uv.sources]\nbeside = { path = "../beside", editable = true }\nbelow = { workspace = true }\n',
            "libs/root/below/pyproject.toml": member.format("below"),
            "libs/beside/pyproject.toml": member.format("beside"),
            ".git/HEAD": "ref: refs/heads/main\n",
        }
    )
    assert lock_outcome(locked(root / "libs" / "root")).status is Status.PASSED


def test_this_project_is_up_to_date_with_a_cold_cache() -> None:
    assert lock_outcome(ROOT).status is Status.PASSED


def test_the_lock_of_a_folder_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        check(tmp_path / "missing")
