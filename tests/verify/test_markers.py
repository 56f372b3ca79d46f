from __future__ import annotations

import pytest

from pinproof.verify.markers import ALWAYS, CannotTellError, Universe, condition


@pytest.mark.parametrize(
    ("marker", "possible"),
    [
        ("sys_platform == 'win32'", True),
        ("sys_platform == 'win32' and os_name == 'posix'", False),
        ("sys_platform == 'win32' and platform_system == 'Windows'", True),
        ("sys_platform == 'an unknown one'", True),
        ("python_version < '3.11'", False),
        ("python_full_version < '3.11.1'", True),
        ("python_version >= '3.11' and python_version < '3.12'", True),
        ("python_version > '3.11' and python_version < '3.12'", False),
        ("platform_machine == 'x86_64' and platform_machine == 'aarch64'", False),
        ("platform_machine in 'x86_64 aarch64'", True),
        ("implementation_name == 'cpython' and platform_python_implementation == 'PyPy'", False),
    ],
)
def test_possible_from_python_3_11_on(marker: str, possible: bool) -> None:
    assert Universe(">=3.11").possible(condition(marker)) is possible


def test_supported_markers_bound_the_universe() -> None:
    universe = Universe(supported=["sys_platform == 'linux'", "sys_platform == 'darwin'"])
    assert universe.possible(condition("sys_platform == 'darwin'"))
    assert not universe.possible(condition("sys_platform == 'win32'"))


def test_extras_are_told_apart() -> None:
    universe = Universe()
    assert universe.possible(condition("extra == 'gpu'", "gpu"))
    assert not universe.possible(condition("extra == 'gpu'", "cpu"))


@pytest.mark.parametrize(
    ("first", "second", "apart"),
    [
        ("sys_platform == 'linux'", "sys_platform != 'win32'", None),
        ("sys_platform != 'win32'", "sys_platform == 'linux'", "sys_platform darwin"),
        ("python_version >= '3.11'", "", None),
        ("", "python_version >= '3.11'", None),
        ("", "python_version >= '3.12'", "python_version 3.11"),
        ("os_name == 'nt'", "sys_platform == 'win32'", None),
    ],
)
def test_apart(first: str, second: str, apart: str | None) -> None:
    assert Universe(">=3.11").apart([condition(first)], [condition(second)]) == apart


def test_several_alternatives_cover_together() -> None:
    halves = [condition("sys_platform == 'linux'"), condition("sys_platform != 'linux'")]
    assert Universe().apart([ALWAYS], halves) is None
    assert Universe().apart([ALWAYS], halves[:1]) == "sys_platform darwin"


@pytest.mark.parametrize(
    "marker",
    [
        "no marker",
        "extra == 'extra-3-app-gpu'",
        " and ".join(
            f"{name} != '{value}'"
            for name in (
                "platform_machine",
                "platform_release",
                "platform_version",
                "implementation_version",
                "sys_platform",
            )
            for value in "abcdefgh"
        ),
    ],
    ids=["not a marker", "conflicting extras", "too many environments"],
)
def test_what_cannot_be_told(marker: str) -> None:
    with pytest.raises(CannotTellError):
        Universe().possible(condition(marker))
