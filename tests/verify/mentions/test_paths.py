from __future__ import annotations

import pytest

from pinproof.verify.mentions.paths import is_requirements, may_name_commits, may_name_releases, of_this_project


@pytest.mark.parametrize(
    ("path", "commits", "releases"),
    [
        ("Dockerfile", True, True),
        ("docker/Dockerfile.cuda", True, True),
        ("docker/cuda.dockerfile", True, True),
        ("Containerfile", True, True),
        (".github/workflows/ci.yml", True, True),
        (".gitlab-ci.yml", True, True),
        ("requirements.txt", True, True),
        ("requirements/gpu.txt", True, True),
        ("gpu-requirements.in", True, True),
        ("constraints-3.12.txt", True, True),
        ("python/pyproject_cpu.toml", True, True),
        ("scripts/install.sh", True, True),
        ("Makefile", True, True),
        ("CMakeLists.txt", True, False),
        ("setup.py", True, False),
        ("src/a.py", True, False),
        ("requirements-oldest.txt", True, False),
        ("ci/min/requirements.txt", True, False),
        ("README.md", False, False),
        ("CHANGELOG", False, False),
        ("docs/requirements.txt", False, False),
        ("tests/data/Dockerfile", False, False),
        ("third_party/x/Dockerfile", False, False),
        ("uv.lock", False, False),
        ("package-lock.json", False, False),
        ("notes.txt", False, False),
        ("fix.patch", False, False),
    ],
)
def test_what_is_looked_at(path: str, commits: bool, releases: bool) -> None:
    assert (may_name_commits(path), may_name_releases(path)) == (commits, releases)


def test_a_path_that_only_looks_like_requirements() -> None:
    assert not is_requirements("myrequirements.md")
    assert not is_requirements("requirements/deep/a.txt")


def test_what_another_lock_governs() -> None:
    tracked = [
        "uv.lock",
        "pyproject.toml",
        "a/uv.lock",
        "a/Dockerfile",
        "ab/Dockerfile",
        "b/c/poetry.lock",
        "b/Dockerfile",
    ]
    assert of_this_project(tracked, {"pyproject.toml"}) == ["uv.lock", "ab/Dockerfile", "b/Dockerfile"]
