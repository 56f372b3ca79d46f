from __future__ import annotations

import pytest

from .conftest import PYPROJECT, Said

LOCK = """\
version = 1
[[package]]
name = "click"
version = "8"
source = { registry = "https://index.example.org/simple" }
wheels = [
    { url = "https://files.example.org/click-8-py3-none-any.whl", size = 20 },
]
"""
WHEEL = "uv.lock:7:7"


def with_host(prefix: str) -> str:
    return LOCK.replace("https://files.example.org/", prefix)


@pytest.mark.parametrize(
    "prefix",
    [
        "https://files.example.org/",
        "https://files.example.org:443/",
        "https://files-1.example.org/a/b@1/c%2Bd/",
        "HTTPS://FILES.example.org/",
        "file:///wheels/",
    ],
)
def test_urls_that_say_where_they_lead(said: Said, prefix: str) -> None:
    assert said("LCK022", with_host(prefix)) == []


@pytest.mark.parametrize(
    ("prefix", "severity", "problem"),
    [
        (
            "https://files.example.org@evil.example/",
            "error",
            "the URL holds user information; it leads to evil.example",
        ),
        (
            "https://me:secret@files.example.org/",
            "error",
            "the URL holds user information; it leads to files.example.org",
        ),
        (
            "https://:secret@files.example.org/",
            "error",
            "the URL holds user information; it leads to files.example.org",
        ),
        ("https://files.exаmple.org/", "error", "the host `files.exаmple.org` has letters that are not ASCII"),
        (
            "https://xn--exmple-4nf.org/",
            "warning",
            "the host xn--exmple-4nf.org is an internationalised name, exаmple.org",
        ),
        (
            "https://files.xn--/",
            "warning",
            "the host files.xn-- is an internationalised name, which cannot be decoded",
        ),
        (
            "http://files.example.org/",
            "warning",
            "the URL on files.example.org is plain http, which anyone on the way can answer",
        ),
        ("https://files.example.org:8443/", "warning", "the URL on files.example.org has the port 8443"),
        ("https://192.0.2.7/", "warning", "the URL leads to the address 192.0.2.7 instead of a host name"),
        ("https://[2001:db8::1]/", "warning", "the URL leads to the address 2001:db8::1 instead of a host name"),
        ("ftp://files.example.org/", "error", "the URL has the scheme `ftp`, expected https"),
        ("javascript:alert(1)//", "error", "the URL has the scheme `javascript`, expected https"),
        ("https://files.example.org/a/../", "warning", "the path of the URL on files.example.org climbs with `..`"),
        ("https://files.example.org/a/%2e%2E/", "warning", "the path of the URL on files.example.org climbs with `..`"),
        ("https://files.example.org\\\\@evil.example/", "error", None),
        ("https://files.example.org/a b/", "error", "the URL holds blanks, controls or backslashes"),
        ("https://files.example.org\\n/", "error", None),
        ("https://[files/", "error", "the URL cannot be read"),
        ("https://files.example.org:port/", "error", "the URL cannot be read"),
    ],
)
def test_urls_that_hide_where_they_lead(said: Said, prefix: str, severity: str, problem: str | None) -> None:
    found = said("LCK022", with_host(prefix))
    assert found[0][0] == severity
    assert {place for _, _, place in found} == {WHEEL}
    expected = "the URL holds blanks, controls or backslashes" if problem is None else problem
    assert found[0][1] == f"click: {expected}"
    assert problem is None or len(found) == 1


def test_a_password_never_appears(said: Said) -> None:
    assert "secret" not in str(said("LCK022", with_host("https://me:secret@files.example.org/")))


@pytest.mark.parametrize(
    ("source", "severity", "message"),
    [
        (
            '{ git = "https://me@git.example.org/r?rev=a#b" }',
            "error",
            "the URL holds user information; it leads to git.example.org",
        ),
        (
            '{ registry = "http://index.example.org/simple" }',
            "warning",
            "the URL on index.example.org is plain http, which anyone on the way can answer",
        ),
        (
            '{ git = "git://git.example.org/r?rev=a#b" }',
            "warning",
            "the URL on git.example.org is plain git, which anyone on the way can answer",
        ),
        (
            '{ url = "https://192.0.2.7/click-8-py3-none-any.whl" }',
            "warning",
            "the URL leads to the address 192.0.2.7 instead of a host name",
        ),
    ],
)
def test_sources_are_held_to_the_same(said: Said, source: str, severity: str, message: str) -> None:
    lock = LOCK.replace('{ registry = "https://index.example.org/simple" }', source)
    assert said("LCK022", lock) == [(severity, f"click: {message}", "uv.lock:5:12")]


@pytest.mark.parametrize("url", ["ssh://git@git.example.org/o/r?rev=a#b", "ssh://git@git.example.org:22/o/r#b"])
def test_the_user_of_ssh_is_no_secret(said: Said, url: str) -> None:
    lock = LOCK.replace('{ registry = "https://index.example.org/simple" }', f'{{ git = "{url}" }}')
    assert said("LCK022", lock) == []


INDEX = '[[tool.uv.index]]\nurl = "{url}"\n'


@pytest.mark.parametrize("prefix", ["http://10.0.0.1:8080/", "http://10.0.0.1/"])
def test_a_declared_index_may_be_unusual(said: Said, prefix: str) -> None:
    declared = PYPROJECT + INDEX.format(url="http://10.0.0.1:8080/simple")
    assert said("LCK022", with_host(prefix), pyproject=declared) == []
    allowed = PYPROJECT + '[tool.pinproof]\nhosts = ["10.0.0.1"]\n'
    assert said("LCK022", with_host(prefix), pyproject=allowed) == []


def test_user_information_cannot_be_declared_away(said: Said) -> None:
    declared = PYPROJECT + INDEX.format(url="https://me:secret@files.example.org/simple")
    found = said("LCK022", with_host("https://me:secret@files.example.org/"), pyproject=declared)
    assert found == [("error", "click: the URL holds user information; it leads to files.example.org", WHEEL)]


@pytest.mark.parametrize(
    ("prefix", "problem"),
    [
        ("http://mirror.example.org/", "is plain http, which anyone on the way can answer"),
        ("https://mirror.example.org:8443/", "has the port 8443"),
    ],
)
def test_a_declared_index_allows_its_own_scheme_and_port_only(said: Said, prefix: str, problem: str) -> None:
    declared = PYPROJECT + INDEX.format(url="https://mirror.example.org/simple")
    expected = [("warning", f"click: the URL on mirror.example.org {problem}", WHEEL)]
    assert said("LCK022", with_host(prefix), pyproject=declared) == expected
    same = PYPROJECT + INDEX.format(url=f"{prefix}simple")
    assert said("LCK022", with_host(prefix), pyproject=same) == []


def test_no_declaration_allows_a_path_that_climbs(said: Said) -> None:
    declared = PYPROJECT + INDEX.format(url="https://mirror.example.org/simple")
    found = said("LCK022", with_host("https://mirror.example.org/a/../../"), pyproject=declared)
    assert [message for _, message, _ in found] == ["click: the path of the URL on mirror.example.org climbs with `..`"]
