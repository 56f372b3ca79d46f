"""The notes that real uv leaves in its cache, held against a lock."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pinproof.verify import Options, check
from pinproof.verify.model import Outcome, Status
from pinproof.verify.scratch import uv_binary

from .index import Index


@pytest.fixture
def synced(project: Path) -> Path:
    """The project, after uv has fetched its wheels."""
    command = [str(uv_binary()), "sync", "-q", "--locked", "--no-progress", "--python", sys.executable]
    subprocess.run(command, cwd=project, check=True, timeout=120)
    return project


def witness(project: Path, *, static: bool = False) -> Outcome:
    (outcome,) = check(project, options=Options(static=static), select=["cache-witness"]).outcomes
    return outcome


def test_what_was_fetched_is_what_is_locked(synced: Path) -> None:
    outcome = witness(synced)
    assert outcome.status is Status.PASSED
    assert outcome.tally is not None
    assert outcome.tally.detail == "2 files and 0 commits held by uv's cache"


def test_another_digest_was_never_fetched(synced: Path, index: Index) -> None:
    fetched = index.files["one"][0]["hashes"]["sha256"]
    lock = synced / "uv.lock"
    lock.write_text(lock.read_text().replace(fetched, "0" * 64))
    outcome = witness(synced)
    assert [finding.message for finding in outcome.findings] == [
        f"one-1.0-py3-none-any.whl has the digest sha256:{'0' * 64}, and uv fetched sha256:{fetched} from that URL"
    ]


def test_a_file_from_another_url_has_no_witness(synced: Path, index: Index) -> None:
    lock = synced / "uv.lock"
    text = lock.read_text().replace("/files/one-1.0", "/elsewhere/one-1.0")
    lock.write_text(text.replace(index.files["one"][0]["hashes"]["sha256"], "0" * 64))
    outcome = witness(synced)
    assert (outcome.status, outcome.findings) == (Status.PASSED, ())
    assert outcome.tally is not None
    assert outcome.tally.detail == "1 file and 0 commits held by uv's cache"


def test_without_anything_fetched_it_is_not_run(project: Path) -> None:
    outcome = witness(project)
    assert (outcome.status, outcome.reason) == (
        Status.NOT_RUN,
        "uv's cache holds no file and no commit of this lock",
    )


def test_static_does_not_read_it(synced: Path) -> None:
    outcome = witness(synced, static=True)
    assert outcome.reason == "it reads the user's cache, and --static reads nothing outside of the project"


def test_no_cache(project: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "none"))
    assert witness(project).reason == "there is no uv cache here"
