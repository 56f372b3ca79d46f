"""What the commits since a base add: whitespace, characters, sign-off, rows of the policy."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from pinproof.verify import Options, check

from .repositories import Repo, make

PYPROJECT = '[project]\nname = "app"\nversion = "1"\n'
LOCK = 'version = 1\n[[package]]\nname = "app"\nversion = "1"\nsource = { virtual = "." }\n'


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A project in a folder below the repository's top, on a branch from main."""
    repo = make(tmp_path / "repo", {"sub/pyproject.toml": PYPROJECT, "sub/uv.lock": LOCK, "sub/a.py": "one = 1\n"})
    repo.git("checkout", "-q", "-b", "side")
    return repo


def found(repo: Repo, code: str, files: Mapping[str, str | bytes], *, configuration: str = "") -> list[str]:
    """Commit `files`, and return what the check says of the change as `severity place: message`."""
    if configuration:
        repo.git("checkout", "-q", "main")
        repo.commit("configure", {"sub/pyproject.toml": PYPROJECT + configuration})
        repo.git("checkout", "-q", "-B", "side")
    repo.commit("change", files)
    report = check(repo.root / "sub", options=Options(static=True, base="main"), select=[code])
    (outcome,) = report.outcomes
    assert outcome.reason == ""
    return [f"{f.severity} {f.location}: {f.message}" for f in outcome.findings]


def test_whitespace_and_markers_at_their_places(repo: Repo) -> None:
    text = "one = 1\ntwo = 2  \n \tthree = 3\n<<<<<<< HEAD\nfour = 4\n\n\n"
    assert found(repo, "CHG001", {"sub/a.py": text}) == [
        "error a.py:4:1: leftover conflict marker",
        "warning a.py:2:8: trailing whitespace",
        "warning a.py:3:1: space before tab in indent",
        "warning a.py:6:1: new blank line at the end of the file",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "one = 1\n\n\ntwo = 2\n",
        "a\n=======\nb\n",
        "=========\n",
        "x \t \n",
        "\t \tx\n",
        " \t\n",
        "a\n\n",
        "last line without an end ",
        "<<<<<<<\n>>>>>>> b\n|||||||\tc\n",
        "form\f\n",
    ],
)
def test_whitespace_is_what_git_diff_check_says(repo: Repo, text: str) -> None:
    ours = {re.sub(r":\d+: ", ": ", said.split(" ", 1)[1]) for said in found(repo, "CHG001", {"sub/b": text})}
    command = ["git", "-c", "core.whitespace=", "diff", "--check", "main", "side"]
    said = subprocess.run(command, cwd=repo.root, capture_output=True, text=True, check=False).stdout
    pattern = re.compile(r"^sub/(b:\d+): (.*?)\.?$", re.MULTILINE)
    theirs = {f"{match[1]}: {what}" for match in pattern.finditer(said) for what in match[2].split(", ")}
    assert {text.replace("the end of the file", "EOF") for text in ours} == theirs


def test_carriage_returns_that_end_lines_are_no_whitespace(repo: Repo) -> None:
    assert found(repo, "CHG001", {"sub/b": "one\r\ntwo\r\n"}) == []
    assert found(repo, "CHG001", {"sub/c": "one\r\ntwo\n"}) == ["warning c:1:4: trailing whitespace"]


def test_attributes_and_configuration_switch_nothing_off(repo: Repo) -> None:
    repo.git("config", "core.whitespace", "-trailing-space")
    files = {".gitattributes": "* -diff -whitespace binary\n", "sub/b.txt": "one \n"}
    assert found(repo, "CHG001", files) == ["warning b.txt:1:4: trailing whitespace"]


def test_binary_files_removed_files_and_files_beside_the_project(repo: Repo) -> None:
    (repo.root / "sub/a.py").unlink()
    files: dict[str, str | bytes] = {"sub/b.bin": b"\0 \n", "top.txt": "one \n"}
    assert found(repo, "CHG001", files) == ["warning ../top.txt:1:4: trailing whitespace"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a = '\u202e'\n", "error a.py:1:6: hidden character U+202E RIGHT-TO-LEFT OVERRIDE"),
        ("a\u200bb = 1\n", "warning a.py:1:2: hidden character U+200B ZERO WIDTH SPACE"),
        ("# \U000e0041\n", "error a.py:1:3: hidden character U+E0041 TAG LATIN CAPITAL LETTER A"),
        ("one\n# \ufeff\n", "warning a.py:2:3: hidden character U+FEFF ZERO WIDTH NO-BREAK SPACE"),
        ("a = '\x1b'\n", "warning a.py:1:6: hidden character U+001B ESCAPE"),
        ("if acc\u0435ss:\n", "warning a.py:1:7: the word `acc\u0435ss` holds U+0435 CYRILLIC SMALL LETTER IE, {}"),
        (
            "\u0441\u043e\u0440\u0443 = 1\n",
            "warning a.py:1:1: the word `\u0441\u043e\u0440\u0443` holds U+0441 CYRILLIC SMALL LETTER ES, {}",
        ),
    ],
)
def test_characters_by_name(repo: Repo, text: str, expected: str) -> None:
    expected = expected.format("which looks like another letter")
    assert found(repo, "CHG002", {"sub/a.py": text}) == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\u3164 = 1\n", ["warning a.py:1:2: hidden character U+3164 HANGUL FILLER"]),
        ("a\ufe00 = 1\n", ["warning a.py:1:2: hidden character U+FE00 VARIATION SELECTOR-1"]),
        (
            "'\U000e0100\U000e0101'\n",
            [
                "error a.py:1:2: hidden character U+E0100 VARIATION SELECTOR-17",
                "error a.py:1:3: hidden character U+E0101 VARIATION SELECTOR-18",
            ],
        ),
        ("\ufe00 = 1\n", ["warning a.py:1:1: hidden character U+FE00 VARIATION SELECTOR-1"]),
    ],
)
def test_characters_that_are_drawn_as_nothing(repo: Repo, text: str, expected: list[str]) -> None:
    assert found(repo, "CHG002", {"sub/a.py": text}) == expected


def test_code_that_a_null_byte_hides(repo: Repo) -> None:
    text = "# \0\n'\u202e'\n"
    expected = "null bytes make git and this check take it for binary: its lines were not read"
    assert found(repo, "CHG002", {"sub/a.sh": text, "sub/b.png": text}) == [f"warning a.sh:1:1: {expected}"]
    report = check(repo.root / "sub", options=Options(static=True, base="main"), select=["CHG001"])
    (tally,) = (outcome.tally for outcome in report.outcomes)
    assert tally is not None
    assert tally.detail == "0 added lines, 2 binary files not read"


def test_an_underlined_heading_is_no_error(repo: Repo) -> None:
    said = found(repo, "CHG001", {"sub/README.md": "Install\n=======\n"})
    assert said == ["warning README.md:2:1: leftover conflict marker"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.py", "# caf\u00e9, na\u00efve, \u4f60\u597d, \u03bb = 1, \u00b5s, \u041f\u0440\u0438\u0432\u0435\u0442\n"),
        ("a.md", "\u0441\u043e\u0440\u0443\n"),
        ("a.py", "# \U0001f469\u200d\U0001f4bb \u2764\ufe0f\n"),
        ("a.py", "# 5 \u03bcs, \u0394t, 1\ufe0f\u20e3, \u845b\U000e0100\n"),
        ("a.py", "\ufeffone = 1\r\ntwo\t= 2\r\n"),
    ],
    ids=[
        "other languages",
        "a word in prose",
        "joined emoji",
        "units, symbols and selected forms",
        "byte order mark, tab, carriage return",
    ],
)
def test_ordinary_text_raises_nothing(repo: Repo, name: str, text: str) -> None:
    assert found(repo, "CHG002", {f"sub/{name}": text}) == []


def test_lines_that_were_there_before_are_no_part_of_the_change(repo: Repo) -> None:
    repo.git("checkout", "-q", "main")
    repo.commit("bad already", {"sub/a.py": "a\u200bb = 1 \ntwo = 2\n"})
    repo.git("checkout", "-q", "-B", "side")
    assert found(repo, "CHG002", {"sub/a.py": "a\u200bb = 1 \ntwo = 3\n"}) == []
    assert found(repo, "CHG001", {"sub/a.py": "a\u200bb = 1 \ntwo = 4\n"}) == []


def test_sign_off_of_the_author(repo: Repo) -> None:
    asked = "[tool.pinproof]\nsign-off = true\n"
    author = repo.git("log", "-1", "--format=%ae").strip()
    (said,) = found(repo, "CHG003", {"sub/a.py": "two = 2\n"}, configuration=asked)
    commit = repo.head()[:12]
    assert said == f"error None: the commit {commit} (change) is not signed off by its author {author}"
    repo.git("commit", "-q", "--amend", "-m", f"change\n\nWhy.\n\nSigned-off-by: Somebody <{author}>")
    report = check(repo.root / "sub", options=Options(static=True, base="main"), select=["sign-off"])
    assert report.findings == ()
    repo.git("commit", "-q", "--amend", "-m", "change\n\nSigned-off-by: Somebody <other@example.org>")
    report = check(repo.root / "sub", options=Options(static=True, base="main"), select=["sign-off"])
    assert len(report.findings) == 1


def test_sign_off_is_not_run_where_nobody_asks(repo: Repo) -> None:
    report = check(repo.root / "sub", options=Options(static=True, base="main"), select=["sign-off"])
    assert [outcome.reason for outcome in report.outcomes] == ["[tool.pinproof] does not ask for sign-off"]


CASES = "class Case: ...\nREVIEWED_CASES = (Case(1, 1), Case(8, {}))\nraise SystemExit('executed')\n"


def with_policy(repo: Repo, text: str) -> None:
    repo.git("checkout", "-q", "main")
    repo.commit("policy", {"sub/policy/launch.py": text})
    repo.git("checkout", "-q", "-B", "side")


def test_a_changed_case_without_a_measurement(repo: Repo) -> None:
    with_policy(repo, CASES.format(2))
    assert found(repo, "CHG004", {"sub/policy/launch.py": CASES.format(4)}) == [
        (
            "error policy/launch.py:1:1: policy/launch.py: 8 rows: row blocks 2 became 4, "
            "without a measurement of these rows in the change"
        )
    ]


MEASURED = (Path(__file__).parents[2] / "evidence/tune-h200.json").read_bytes()
"""A real measurement, at 1, 2, 4, 8 and 16 rows."""


def test_a_changed_case_with_a_measurement(repo: Repo) -> None:
    with_policy(repo, CASES.format(2))
    files: dict[str, str | bytes] = {"sub/policy/launch.py": CASES.format(4), "sub/evidence/h200.json": MEASURED}
    assert found(repo, "CHG004", files) == [
        "info policy/launch.py:1:1: policy/launch.py: 8 rows: row blocks 2 became 4, measured in evidence/h200.json"
    ]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("README.md", b"measured\n"),
        ("h200.json", b"{}\n"),
        ("h200.json", MEASURED.replace(b'"rows": 8,', b'"rows": 32,')),
        ("h200.json", MEASURED.replace(b"true", b"false")),
    ],
    ids=["prose", "nothing", "other rows", "wrong bytes"],
)
def test_what_is_no_measurement_of_the_row(repo: Repo, name: str, content: bytes) -> None:
    assert content != MEASURED
    with_policy(repo, CASES.format(2))
    files: dict[str, str | bytes] = {"sub/policy/launch.py": CASES.format(4), f"sub/evidence/{name}": content}
    (said,) = found(repo, "CHG004", files)
    assert said.startswith("error ")
    assert said.endswith("8 rows: row blocks 2 became 4, without a measurement of these rows in the change")


def test_a_measurement_that_is_removed_is_none(repo: Repo) -> None:
    repo.git("checkout", "-q", "main")
    repo.commit("measured", {"sub/evidence/h200.json": MEASURED})
    with_policy(repo, CASES.format(2))
    (repo.root / "sub/evidence/h200.json").unlink()
    (said,) = found(repo, "CHG004", {"sub/policy/launch.py": CASES.format(4)})
    assert said.startswith("error ")


def test_rows_stated_twice_are_not_read(repo: Repo) -> None:
    with_policy(repo, CASES.format(2))
    assert found(repo, "CHG004", {"sub/policy/launch.py": CASES.format("4), Case(8, 2")}) == [
        "warning policy/launch.py:1:1: policy/launch.py: it no longer states its rows so that they can be read"
    ]


def test_cases_added_and_removed(repo: Repo) -> None:
    with_policy(repo, CASES.format(2))
    text = CASES.format(2).replace("Case(1, 1)", "Case(row_capacity=16, row_blocks=1)")
    assert found(repo, "CHG004", {"sub/policy/launch.py": text}) == [
        (
            "error policy/launch.py:1:1: policy/launch.py: 1 rows: row blocks 1 became nothing, "
            "without a measurement of these rows in the change"
        ),
        (
            "error policy/launch.py:1:1: policy/launch.py: 16 rows: row blocks nothing became 1, "
            "without a measurement of these rows in the change"
        ),
    ]


def test_cases_that_can_no_longer_be_read(repo: Repo) -> None:
    with_policy(repo, CASES.format(2))
    text = "REVIEWED_CASES = tuple(make())\n"
    assert found(repo, "CHG004", {"sub/policy/launch.py": text}) == [
        "warning policy/launch.py:1:1: policy/launch.py: it no longer states its rows so that they can be read"
    ]


def test_a_policy_that_changes_in_other_ways(repo: Repo) -> None:
    with_policy(repo, CASES.format(2))
    assert found(repo, "CHG004", {"sub/policy/launch.py": CASES.format(2) + "# a word\n"}) == []
