from __future__ import annotations

import pytest

from .conftest import Said

FILES = "https://files.example.org"
A, B, C = "a" * 64, "b" * 64, "c" * 64
LOCK = f"""\
version = 1
revision = 3
requires-python = ">=3.11"

[[package]]
name = "app"
version = "1"
source = {{ virtual = "." }}
dependencies = [{{ name = "click" }}]

[[package]]
name = "zope-interface"
version = "7.2"
source = {{ registry = "https://index.example.org/simple" }}
sdist = {{ url = "{FILES}/zope_interface-7.2.tar.gz", hash = "sha256:{A}", size = 10 }}
wheels = [
    {{ url = "{FILES}/zope.interface-7.2-py3-none-any.whl", hash = "sha256:{B}", size = 20 }},
    {{ url = "{FILES}/zope_interface-7.2-1fix-cp311-cp311-linux_x86_64.whl", hash = "sha256:{C}", size = 30 }},
]
"""
SDIST, WHEEL = "uv.lock:15:1", "uv.lock:17:5"


def test_files_that_fit(said: Said) -> None:
    assert said("LCK020", LOCK) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("zope_interface-7.2.tar.gz", "Zope.Interface-7.2.tar.gz"),
        ("zope_interface-7.2.tar.gz", "zope-interface-7.2.0.zip"),
        ("zope_interface-7.2.tar.gz", "zope_interface-7.2.tar.gz?token=1#part"),
        ("zope_interface-7.2-1fix", "zope_interface-7.2.0-1fix"),
        ("zope.interface-7.2-py3", "Zope%2EInterface-7.2-py3"),
        ('version = "7.2"', 'version = "7.2.0"'),
        # a package whose version only a build can tell has none in the lock
        ('version = "7.2"\n', ""),
        # an archive at a direct URL may be called anything
        (
            f'{{ registry = "https://index.example.org/simple" }}\nsdist = {{ url = "{FILES}/zope_interface-7.2',
            f'{{ url = "{FILES}/main.tar.gz" }}\nsdist = {{ url = "{FILES}/main',
        ),
    ],
)
def test_other_spellings_of_the_same_are_no_finding(said: Said, old: str, new: str) -> None:
    assert old in LOCK
    assert said("LCK020", LOCK.replace(old, new)) == []


@pytest.mark.parametrize(
    ("old", "new", "message", "place"),
    [
        (
            "zope_interface-7.2.tar.gz",
            "zope_event-7.2.tar.gz",
            "`zope_event-7.2.tar.gz` is a file of zope-event, expected zope-interface",
            SDIST,
        ),
        (
            "zope_interface-7.2.tar.gz",
            "zope_interface-7.3.tar.gz",
            "`zope_interface-7.3.tar.gz` has version 7.3, expected 7.2",
            SDIST,
        ),
        ("zope_interface-7.2.tar.gz", "evil.exe", "`evil.exe` is no name of a source distribution", SDIST),
        (
            "zope_interface-7.2.tar.gz",
            "zope_interface.tar.gz",
            "`zope_interface.tar.gz` is no name of a source distribution",
            SDIST,
        ),
        (f'url = "{FILES}/zope_interface-7.2.tar.gz", ', "", "has no URL, path or file name", SDIST),
        (
            "zope.interface-7.2-py3",
            "zope_event-7.2-py3",
            "`zope_event-7.2-py3-none-any.whl` is a file of zope-event, expected zope-interface",
            WHEEL,
        ),
        (
            "zope.interface-7.2-py3",
            "zope.interface-7.2.1-py3",
            "`zope.interface-7.2.1-py3-none-any.whl` has version 7.2.1, expected 7.2",
            WHEEL,
        ),
        (
            "zope.interface-7.2-py3-none-any.whl",
            "zope.interface-7.2.whl",
            "`zope.interface-7.2.whl` is no name of a wheel",
            WHEEL,
        ),
    ],
)
def test_files_of_something_else(said: Said, old: str, new: str, message: str, place: str) -> None:
    assert said("LCK020", LOCK.replace(old, new)) == [("error", f"zope-interface: {message}", place)]


def test_an_entry_with_another_version_contradicts_all_its_files(said: Said) -> None:
    found = said("LCK020", LOCK.replace('version = "7.2"', 'version = "7.1"'))
    assert [(severity, place) for severity, _, place in found] == [
        ("error", SDIST),
        ("error", WHEEL),
        ("error", "uv.lock:18:5"),
    ]
    assert found[0][1] == "zope-interface: `zope_interface-7.2.tar.gz` has version 7.2, expected 7.1"


SECOND = f"""
[[package]]
name = "zope-interface"
version = "7.2"
source = {{ registry = "https://other.example.org/simple" }}
sdist = {{ url = "https://other.example.org/zope_interface-7.2.tar.gz", hash = "sha256:{A}", size = 10 }}
"""


def test_the_same_file_of_two_indexes_has_the_same_content(said: Said) -> None:
    assert said("LCK020", LOCK + SECOND) == []


@pytest.mark.parametrize(
    ("index", "severity"), [("https://other.example.org", "warning"), ("https://index.example.org", "error")]
)
def test_one_name_with_two_contents(said: Said, index: str, severity: str) -> None:
    second = SECOND.replace(A, "d" * 64).replace("https://other.example.org/simple", f"{index}/simple")
    message = "zope-interface: `zope_interface-7.2.tar.gz` has two digests in one lock"
    assert said("LCK020", LOCK + second) == [(severity, message, "uv.lock:25:1")]


def test_digests_of_two_kinds_cannot_be_compared(said: Said) -> None:
    assert said("LCK020", LOCK + SECOND.replace(f"sha256:{A}", f"sha512:{'d' * 128}")) == []


def test_one_content_under_two_names(said: Said) -> None:
    message = (
        "zope-interface: `zope_interface-7.2-1fix-cp311-cp311-linux_x86_64.whl` "
        "has the digest of `zope.interface-7.2-py3-none-any.whl`"
    )
    assert said("LCK020", LOCK.replace(C, B)) == [("warning", message, "uv.lock:18:5")]
