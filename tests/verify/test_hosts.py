from __future__ import annotations

import pytest

from .conftest import PYPROJECT, Said

INDEX = "https://index.example.org/simple"
OTHER = "https://evil.example/simple"
FILES = "https://files.example.org"


def package(name: str, *, index: str = INDEX, host: str = FILES) -> str:
    """Five lines; the index stands on the fourth, the file on the fifth."""
    return (
        f'[[package]]\nname = "{name}"\nversion = "1"\nsource = {{ registry = "{index}" }}\n'
        f'sdist = {{ url = "{host}/{name}-1.tar.gz" }}\n'
    )


def lock(*packages: str) -> str:
    return "version = 1\n" + "".join(packages)


FOUR = [package(f"dep{number}") for number in range(4)]


def test_everything_from_one_index_and_one_host(said: Said) -> None:
    assert said("LCK023", lock(*FOUR)) == []


UNDECLARED = (
    "warning",
    f"click from the index {OTHER}, which the project does not declare",
    "uv.lock:25:12",
)


def test_one_package_from_an_index_that_nobody_declared(said: Said) -> None:
    assert said("LCK023", lock(*FOUR, package("click", index=OTHER, host="https://evil.example"))) == [UNDECLARED]


@pytest.mark.parametrize(
    ("pyproject", "files"),
    [
        (f'[[tool.uv.index]]\nurl = "{OTHER}"\n', {}),
        (f'[[tool.uv.index]]\nurl = "{OTHER}/"\n', {}),
        (f'[tool.uv]\nindex-url = "{OTHER}"\n', {}),
        (f'[tool.uv]\nextra-index-url = ["{OTHER}"]\n', {}),
        (f'[tool.uv]\nfind-links = ["{OTHER}"]\n', {}),
        (f'[tool.uv.pip]\nindex-url = "{OTHER}"\n', {}),
        ('[tool.pinproof]\nhosts = ["evil.example"]\n', {}),
        ("", {"uv.toml": f'[[index]]\nurl = "{OTHER}"\n'}),
    ],
)
def test_ways_to_declare_it(said: Said, pyproject: str, files: dict[str, str]) -> None:
    text = lock(*FOUR, package("click", index=OTHER, host="https://evil.example"))
    assert said("LCK023", text, pyproject=PYPROJECT + pyproject, files=files) == []


def test_a_folder_of_wheels_is_no_host(said: Said) -> None:
    assert said("LCK023", lock(*FOUR, package("click", index="/opt/wheels", host="/opt/wheels"))) == []


@pytest.mark.parametrize(("files", "found"), [(4, True), (3, True), (2, False)])
def test_one_file_on_another_host(said: Said, files: int, found: bool) -> None:
    """One of five or of four files is a few; one of three may be a habit of the index."""
    text = lock(*FOUR[:files], package("click", host="https://evil.example"))
    message = f"1 file of click on evil.example; the other {files} from {INDEX} are on files.example.org"
    expected = [("warning", message, f"uv.lock:{1 + 5 * files + 5}:11")] if found else []
    assert said("LCK023", text) == expected


@pytest.mark.parametrize(
    ("host", "hosts"),
    [
        ("https://index.example.org", ""),
        ("https://mirror.example.org", '[tool.pinproof]\nhosts = ["mirror.example.org"]\n'),
        ("https://mirror.example.org", '[[tool.uv.index]]\nurl = "https://mirror.example.org/simple"\n'),
        ("HTTPS://FILES.EXAMPLE.ORG:443", ""),
    ],
)
def test_other_hosts_that_files_may_be_on(said: Said, host: str, hosts: str) -> None:
    assert said("LCK023", lock(*FOUR, package("click", host=host)), pyproject=PYPROJECT + hosts) == []


def test_several_packages_are_listed_once_and_cut_short(said: Said) -> None:
    others = [package(f"bad{n}", index=OTHER, host="https://evil.example") for n in range(7)]
    every = [package(f"dep{number}") for number in range(8)]
    assert said("LCK023", lock(*every, *others)) == [
        (
            "warning",
            f"bad0, bad1, bad2, bad3, bad4 and 2 more from the index {OTHER}, which the project does not declare",
            "uv.lock:45:12",
        )
    ]


def test_names_that_look_alike_are_different_hosts(said: Said) -> None:
    found = said("LCK023", lock(*FOUR, package("click", host="https://flles.example.org")))
    assert [message.partition(";")[0] for _, message, _ in found] == ["1 file of click on flles.example.org"]
