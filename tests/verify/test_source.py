import pytest

from pinproof.verify.agreement import difference
from pinproof.verify.source import (
    Reference,
    Source,
    SourceError,
    declared_source,
    direct_url,
    git_source,
    locked_source,
    recorded_source,
    same_place,
)

A = "7bb37d608657e18a40de913d2cc3cd0448400336"
B = "deadbeefdeadbeefdeadbeefdeadbeefdeadbeef"
REPO = "https://github.com/o/r"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        (f"{REPO}?rev={A}#{A}", Source("git", REPO, Reference("rev", A), A)),
        (f"{REPO}#{A}", Source("git", REPO, Reference(), A)),
        (f"{REPO}?branch=leo%2Fdeepseek-v4#{A}", Source("git", REPO, Reference("branch", "leo/deepseek-v4"), A)),
        (f"{REPO}?tag=v1#{A}", Source("git", REPO, Reference("tag", "v1"), A)),
        (f"{REPO}?subdirectory=a%2Fb&rev=v1#{A}", Source("git", REPO, Reference("rev", "v1"), A, "a/b")),
        (f"{REPO}?rev=%37bb#{A}", Source("git", REPO, Reference("rev", "7bb"), A)),
        (f"{REPO}?lfs=true&rev=v1#{A}", Source("git", REPO, Reference("rev", "v1"), A, "", True)),
    ],
)
def test_git_sources_of_a_lock(url: str, expected: Source) -> None:
    assert git_source(url) == expected


@pytest.mark.parametrize(
    ("url", "message"),
    [
        (f"{REPO}?rev={A}&rev={B}#{B}", "the query names `rev` 2 times; only the last one counts for uv"),
        (f"{REPO}?rev={A}&branch=main#{B}", "the query names rev and branch; only the last one counts for uv"),
        (f"{REPO}?evil=1#{A}", "the query names `evil`, expected rev, tag, branch, subdirectory or lfs"),
        (f"{REPO}?rev={A}", "no commit after `#`, expected 40 or 64 hexadecimal digits"),
        (f"{REPO}?rev={A}#7bb37d6", "the commit `7bb37d6` after `#` is not 40 or 64 hexadecimal digits"),
        (f"{REPO}?rev#{A}", "the query `rev` cannot be read"),
        (f"{REPO}?rev=%ff#{A}", "the query `rev=%ff` cannot be read"),
    ],
)
def test_git_sources_that_no_honest_tool_writes(url: str, message: str) -> None:
    with pytest.raises(SourceError) as caught:
        git_source(url)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("git+https://github.com/o/r@v1", Source("git", REPO, Reference("rev", "v1"))),
        ("git+https://github.com/o/r", Source("git", REPO)),
        ("git+https://github.com/o/r.git#egg=r", Source("git", f"{REPO}.git")),
        ("git+https://github.com/o/r@v1#subdirectory=a/b", Source("git", REPO, Reference("rev", "v1"), "", "a/b")),
        ("git+ssh://git@github.com/o/r", Source("git", "ssh://git@github.com/o/r")),
        ("git+ssh://git@github.com/o/r@v1", Source("git", "ssh://git@github.com/o/r", Reference("rev", "v1"))),
        ("https://example.org/a-1.whl#sha256=00", Source("url", "https://example.org/a-1.whl")),
        ("file:///opt/a%20b", Source("path", "/opt/a b")),
    ],
)
def test_direct_references(url: str, expected: Source) -> None:
    assert direct_url(url) == expected


def test_declared_sources() -> None:
    assert declared_source({"git": f" git+{REPO}", "branch": "x"}) == Source("git", REPO, Reference("branch", "x"))
    assert declared_source({"path": "../x", "editable": True}) == Source("path", "../x")
    assert declared_source({"workspace": True}) == Source("workspace", "")
    assert declared_source({"index": "torch"}) is None
    with pytest.raises(SourceError, match="the source names rev and tag, expected one of them"):
        declared_source({"git": REPO, "rev": A, "tag": "v1"})


def test_locked_and_recorded_sources() -> None:
    assert locked_source({"registry": "https://example.org/simple"}) == Source("registry", "https://example.org/simple")
    assert locked_source({"editable": "x"}) == Source("directory", "x")
    assert recorded_source({"name": "r", "git": f"{REPO}?rev={A}"}) == Source("git", REPO, Reference("rev", A))
    assert recorded_source({"name": "r", "specifier": ">=1"}) is None
    with pytest.raises(SourceError, match="the source names git, registry, expected one kind"):
        locked_source({"git": f"{REPO}#{A}", "registry": "https://example.org/simple"})
    with pytest.raises(SourceError, match="unknown key `evil`"):
        locked_source({"git": f"{REPO}#{A}", "evil": True})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://github.com/o/r", "https://github.com/o/r.git"),
        ("https://github.com/o/r", "https://github.com/o/r/"),
        ("https://github.com/o/r", "https://GitHub.com/O/R"),
        ("https://github.com/o/r", "git+https://github.com/o/r"),
        ("https://github.com/o/r", "https://user:secret@github.com:443/o/r"),
        ("https://git.example.org/a%20b", "https://git.example.org/a b"),
    ],
)
def test_urls_that_differ_harmlessly(one: str, other: str) -> None:
    assert same_place(one) == same_place(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://github.com/o/r", "http://github.com/o/r"),
        ("https://github.com/o/r", "https://github.com:8443/o/r"),
        ("https://github.com/o/r", "https://github.com.evil.example/o/r"),
        ("https://github.com/o/r", "https://github.com/p/r"),
        ("https://git.example.org/O/r", "https://git.example.org/o/r"),
        ("https://github.com/o/r", "ssh://git@github.com/o/r"),
        ("https://github.com/o/r", "https://github.com/o/r?x=1"),
    ],
)
def test_urls_that_are_different_places(one: str, other: str) -> None:
    assert same_place(one) != same_place(other)


def git(reference: Reference = Reference(), commit: str = "", **more: object) -> Source:  # noqa: B008
    return Source("git", REPO, reference, commit, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("wanted", "found", "expected"),
    [
        (git(Reference("rev", A)), git(Reference("rev", A), A), None),
        (git(Reference("rev", A.upper())), git(Reference("rev", A), A.upper()), None),
        (git(Reference("rev", A)), git(Reference("rev", A), B), "commit"),
        (git(Reference("rev", A)), git(Reference("rev", B), B), "commit"),
        (git(Reference("rev", "7bb37d6")), git(Reference("rev", "7bb37d6"), A), None),
        (git(Reference("rev", "7bb37d6")), git(Reference("rev", "7bb37d6"), B), "commit"),
        # Digits alone may be a tag that is named after a date.
        (git(Reference("rev", "20260101")), git(Reference("rev", "20260101"), B), None),
        (git(Reference("branch", "main")), git(Reference("branch", "main"), B), None),
        (git(Reference("branch", "main")), git(Reference("tag", "main"), B), "reference"),
        (git(), git(Reference(), A), None),
        (git(), git(Reference("branch", "main"), A), "reference"),
        (git(subdirectory="a"), git(commit=A), "subdirectory"),
        (git(), git(commit=A, lfs=True), "large file storage"),
        (git(), Source("registry", REPO), "kind of source"),
        (Source("url", "https://example.org/a.whl"), Source("url", "https://example.com/a.whl"), "URL"),
        (Source("path", "../x"), Source("directory", "../x/"), None),
        (Source("path", "../x"), Source("directory", "../y"), "path"),
    ],
)
def test_difference(wanted: Source, found: Source, expected: str | None) -> None:
    assert difference(wanted, found) == expected
