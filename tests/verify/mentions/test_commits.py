"""Commits beside the URL of a repository, in the forms that published projects use."""

from __future__ import annotations

import time

import pytest

from pinproof.verify.mentions.commits import named_commits, repository_key
from pinproof.verify.mentions.text import Text

A, B = "a1" * 20, "b2" * 20
URL = "https://github.com/o/dep"
DOCKER = """\
ARG DEP_REPO=https://github.com/o/dep
ARG DEP_COMMIT=a1a1a1a1
ARG OTHER_REPO=https://github.com/o/other
ARG OTHER_COMMIT=b2b2b2b2
RUN git clone ${OTHER_REPO}
"""
BEFORE = """\
ARG DEP_REF=a1a1a1a1
ARG DEP_REPO=https://github.com/o/dep
ARG OTHER_REF=b2b2b2b2
ARG OTHER_REPO=https://github.com/o/other
"""
CLONE = """\
ARG REV=a1a1a1a1
RUN git clone https://github.com/o/dep.git /src \\
    # a comment between
    && cd /src \\
    && git checkout ${REV}
RUN git clone https://github.com/o/other && git checkout b2b2b2b2
"""
CMAKE = """\
FetchContent_Declare(dep
  GIT_REPOSITORY https://github.com/O/Dep.git
  GIT_TAG a1a1a1a1 # a comment
)
FetchContent_Declare(other
  GIT_TAG b2b2b2b2
)
"""
WORKFLOW = """\
env:
  DEP_SHA: a1a1a1a1
steps:
  - uses: actions/checkout@v4
    with:
      ref: ${{ env.DEP_SHA }}
      repository: o/dep
  - uses: actions/checkout@v4
    with:
      repository: o/other
      ref: b2b2b2b2
"""
TABLE = """\
[tool.uv.sources.dep]
rev = "a1a1a1a1"
git = "https://github.com/o/dep"
[tool.uv.sources.other]
rev = "b2b2b2b2"
"""
LINE = (
    'sources = { dep = { git = "https://github.com/o/dep", rev = "a1a1a1a1" }, '
    'other = { git = "https://github.com/o/other", rev = "b2b2b2b2" } }'
)


def named(text: str, url: str = URL) -> list[tuple[str, int, int]]:
    found = named_commits(Text("f", text.encode()), repository_key(url))
    return [(one.value, one.location.line, one.location.column) for one in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"pip install git+{URL}@{A}", [(A, 1, 42)]),
        (f"dep @ git+{URL}.git@{A[:9]}#egg=dep", [(A[:9], 1, 40)]),
        (f"dep @ git+ssh://git@github.com/O/dep@{A}", [(A, 1, 38)]),
        (f"git@github.com:o/dep.git@{A}", [(A, 1, 26)]),
        (f"ADD {URL}.git#{A} /src", [(A, 1, 34)]),
        (f"curl -L {URL}/archive/{A}.tar.gz", [(A, 1, 42)]),
        (f"V={A}\npip install 'dep @ git+{URL}@${{V}}'", [(A, 2, 49)]),
        (f"pip install git+{URL}@$V", []),
        (DOCKER, [("a1a1a1a1", 2, 16)]),
        (BEFORE, []),
        (CLONE, [("a1a1a1a1", 5, 21)]),
        (CMAKE, [("a1a1a1a1", 3, 11)]),
        (f'set(DEP_TAG "a1a1a1a1" CACHE STRING "x")\n{CMAKE.replace("a1a1a1a1", "${DEP_TAG}")}', [("a1a1a1a1", 4, 11)]),
        (WORKFLOW, [("a1a1a1a1", 6, 12)]),
        (TABLE, [("a1a1a1a1", 2, 8)]),
        (LINE, [("a1a1a1a1", 1, 62)]),
        (f"- repo: {URL}\n  rev: a1a1a1a1\n  hooks: []\n- repo: local\n  rev: b2b2b2b2", [("a1a1a1a1", 2, 8)]),
    ],
)
def test_a_commit_beside_its_repository(text: str, expected: list[tuple[str, int, int]]) -> None:
    assert named(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        f"# pip install git+{URL}@{A}",
        f"pip install git+{URL}@main",
        f"pip install git+{URL}@v1.2.3",
        f"pip install git+{URL}@20240101",
        f"pip install git+{URL}@deadbeef",
        f"pip install git+{URL}-extra@{A}",
        f"see {URL}/blob/{A}/file.py#L1",
        f"see {URL}/pull/123 and {URL}/commit/{A}",
        f"git clone {URL}\n\ngit checkout {A}",
        f"git clone {URL} && git cherry-pick {A}",
        f"git clone {URL}\ngit clone https://github.com/o/other && git checkout {A}",
        f"git clone {URL}\n- run: git checkout {A}",
        f"sha256 = '{A}{A[:24]}'",
    ],
)
def test_what_names_no_commit_of_the_repository(text: str) -> None:
    assert named(text) == []


def test_in_source_code_only_the_url_itself_counts() -> None:
    beside = Text("a.py", f'"""From {URL}."""\ncommit = "{A}"\n'.encode())
    assert list(named_commits(beside, repository_key(URL))) == []
    within = Text("a.py", f'install("git+{URL}@{A}")\n'.encode())
    assert [one.value for one in named_commits(within, repository_key(URL))] == [A]


def test_the_other_repository_of_the_same_file_has_its_own_commit() -> None:
    assert named(DOCKER, "https://github.com/o/other") == [("b2b2b2b2", 4, 18)]
    assert named(LINE, "https://github.com/o/other") == [("b2b2b2b2", 1, 128)]


@pytest.mark.parametrize(
    "text",
    ["\n" * 10**6, "a" * 10**6, " " * 10**6, f"{URL} " * 30000, "ARG " * 250000, f"{URL}\n" * 30000, "rev=" * 250000],
)
def test_hostile_text_takes_no_time(text: str) -> None:
    started = time.process_time()
    assert named(text + f"\npip install git+https://github.com/o/none@{A}\n${{X}}") == []
    assert time.process_time() - started < 2
