"""A lock that real uv made against an index, held against what that index says later."""

from __future__ import annotations

from pathlib import Path

import pytest

from pinproof.verify import Options, check
from pinproof.verify.cli import main
from pinproof.verify.config import Config
from pinproof.verify.document import Document
from pinproof.verify.model import Outcome, Status

from .index import Index

pytest.importorskip("httpx")


def asked(project: Path, **options: object) -> Outcome:
    given = Options(static=True, online=True, hosts=("127.0.0.1",), timeout=10, **options)  # type: ignore[arg-type]
    (outcome,) = check(project, options=given, select=["registry"]).outcomes
    return outcome


def asked_as_configured(project: Path, index: Index) -> Outcome:
    """Ask the index because trusted configuration names it, as `own`."""
    trusted = Document("trusted.toml", f'[[tool.uv.index]]\nname = "own"\nurl = "{index.url}"\n'.encode())
    options = Options(static=True, online=True, timeout=10)
    (outcome,) = check(project, options=options, config=Config.load(trusted), select=["registry"]).outcomes
    return outcome


def said(outcome: Outcome) -> list[str]:
    return [f"{finding.severity} {finding.message}" for finding in outcome.findings]


def test_the_index_says_the_same(project: Path, index: Index) -> None:
    outcome = asked(project)
    assert said(outcome) == []
    assert (outcome.status, outcome.tally and outcome.tally.detail) == (
        Status.PASSED,
        "2 packages with 2 files compared with their indexes",
    )
    assert sorted(index.asked) == [
        "/files/one-1.0-py3-none-any.whl.metadata",
        "/files/two-2.1-py3-none-any.whl.metadata",
        "/simple/one/",
        "/simple/two/",
    ]


def test_metadata_is_asked_for_once(project: Path, index: Index) -> None:
    asked(project)
    index.asked.clear()
    assert asked(project).status is Status.PASSED
    assert sorted(index.asked) == ["/simple/one/", "/simple/two/"]


def test_html_is_read_where_there_is_no_json(project: Path, index: Index) -> None:
    index.html = True
    assert said(asked(project)) == []
    index.files["one"][0]["hashes"] = {"sha256": "0" * 64}
    (message,) = said(asked(project))
    assert message.endswith(f"the index says sha256:{'0' * 64}")


def test_every_difference_is_found(project: Path, index: Index) -> None:
    one, two = index.files["one"][0], index.files["two"][1]
    digest, size = one["hashes"]["sha256"], two["size"]
    one["hashes"] = {"sha256": "0" * 64}
    one["yanked"] = "a hole"
    two["size"] = size + 1
    two["url"] = "/elsewhere/two-2.1-py3-none-any.whl"
    two["requires-python"] = "<3.11"
    file = f"http://127.0.0.1:{index.port}/files/two-2.1-py3-none-any.whl"
    assert said(asked(project)) == [
        f"error one 1.0: the digest of one-1.0-py3-none-any.whl is sha256:{digest}, the index says sha256:{'0' * 64}",
        f"error two 2.1: the size of two-2.1-py3-none-any.whl is {size}, the index says {size + 1}",
        "warning one 1.0: one-1.0-py3-none-any.whl was taken back by its publisher (yanked): a hole",
        (
            f"warning two 2.1: two-2.1-py3-none-any.whl comes from {file}, the index offers it at "
            f"http://127.0.0.1:{index.port}/elsewhere/two-2.1-py3-none-any.whl"
        ),
        "warning two 2.1: two-2.1-py3-none-any.whl is for Python <3.11, for none that the lock is for",
    ]


def test_a_file_and_a_package_that_are_gone(project: Path, index: Index) -> None:
    del index.files["two"][1]
    del index.files["one"]
    assert said(asked(project)) == [
        "error one 1.0: the index has no such package",
        "error two 2.1: the index does not have two-2.1-py3-none-any.whl",
    ]


@pytest.mark.parametrize(
    ("requires", "message"),
    [
        (("two>=3",), "error one 1.0: it requires two >=3, and two is locked at 2.1"),
        (("two>=2", "three"), "error one 1.0: it requires three, and has no edge to it"),
        ((), "error one 1.0: it has an edge to two in its dependencies, and requires no such package"),
    ],
)
def test_what_a_released_package_requires(project: Path, index: Index, requires: tuple[str, ...], message: str) -> None:
    index.describe(index.files["one"][0], requires)
    assert said(asked(project)) == [message]


def test_requirements_that_do_not_apply_raise_nothing(project: Path, index: Index) -> None:
    index.describe(
        index.files["one"][0],
        ("two>=2", "two>=9; python_version < '3.11'", "more; extra == 'x'", "other; sys_platform == 'win32'"),
    )
    assert said(asked(project)) == []


def test_an_override_takes_the_place_of_a_requirement(project: Path, index: Index) -> None:
    lock = project / "uv.lock"
    text = lock.read_text().replace("[[package]]", '[manifest]\noverrides = [{ name = "two" }]\n\n[[package]]', 1)
    lock.write_text(text)
    index.describe(index.files["one"][0], ("two>=3",))
    assert said(asked(project)) == []


def test_what_wears_off_is_asked_again(project: Path, index: Index) -> None:
    index.faults["/simple/one/"] = [429, 503]
    assert asked(project).status is Status.PASSED
    assert index.asked.count("/simple/one/") == 3


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (500, "1 package: 127.0.0.1 answered 500"),
        (403, "1 package: 127.0.0.1 answered 403"),
        ("unusable", "1 package: 127.0.0.1 answered with an unusable page: TypeError"),
        ("http://[", "1 package: 127.0.0.1 redirects to what is no URL"),
        ("https://elsewhere.example.org/", "1 package: the host elsewhere.example.org is not in trusted configuration"),
        ("/simple/one/", "1 package: 127.0.0.1 redirects more than 3 times"),
    ],
)
def test_what_does_not_answer_is_not_run(project: Path, index: Index, fault: object, reason: str) -> None:
    index.faults["/simple/one/"] = fault
    outcome = asked(project)
    assert (outcome.status, outcome.reason) == (Status.NOT_RUN, reason)


def test_one_that_does_not_answer_hides_no_error_of_another(project: Path, index: Index) -> None:
    index.faults["/simple/one/"] = 500
    index.files["two"][1]["size"] = 1
    outcome = asked(project)
    assert outcome.status is Status.FAILED
    assert len(outcome.findings) == 1


def test_time_runs_out(project: Path, index: Index) -> None:
    index.faults["/simple/one/"] = "slow"
    options = Options(static=True, online=True, hosts=("127.0.0.1",), timeout=1)
    (outcome,) = check(project, options=options, select=["registry"]).outcomes
    assert (outcome.status, outcome.reason) == (Status.NOT_RUN, "1 package: no answer within 1 s")


def test_metadata_with_another_digest_is_not_believed(project: Path, index: Index) -> None:
    index.files["one"][0]["core-metadata"] = {"sha256": "0" * 64}
    outcome = asked(project)
    assert outcome.status is Status.NOT_RUN
    assert outcome.reason == (
        "1 package: of their requirements, the metadata of one-1.0-py3-none-any.whl does not have the digest that "
        "the index states"
    )


def test_hosts_that_only_the_checkout_names_are_not_asked(project: Path, index: Index) -> None:
    (outcome,) = check(project, options=Options(static=True, online=True), select=["registry"]).outcomes
    assert (outcome.status, outcome.reason) == (
        Status.NOT_RUN,
        "2 packages: the host 127.0.0.1 is not in trusted configuration",
    )
    assert index.asked == []


def test_hosts_of_trusted_configuration_are_asked_with_their_credentials(
    project: Path, index: Index, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    index.password = "s3cret-word"  # noqa: S105
    assert asked_as_configured(project, index).reason == "2 packages: 127.0.0.1 answered 401"
    monkeypatch.setenv("UV_INDEX_OWN_USERNAME", "me")
    monkeypatch.setenv("UV_INDEX_OWN_PASSWORD", index.password)
    assert asked_as_configured(project, index).status is Status.PASSED


def netrc(path: Path, *machines: str) -> Path:
    path.write_text("".join(f"{machine}\n" for machine in machines))
    path.chmod(0o600)
    return path


@pytest.mark.parametrize("named", [False, True], ids=["of the home folder", "that NETRC names"])
def test_netrc_is_read_as_uv_reads_it(
    project: Path, index: Index, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, named: bool
) -> None:
    index.password = "s3cret-word"  # noqa: S105
    name = "machines" if named else ".netrc"
    file = netrc(tmp_path / name, f"machine 127.0.0.1 login me password {index.password}")
    if named:
        monkeypatch.setenv("NETRC", str(file))
    else:
        monkeypatch.delenv("NETRC", raising=False)
        monkeypatch.setenv("HOME", str(tmp_path))
    assert asked(project).status is Status.PASSED


def test_netrc_says_nothing_of_other_hosts(
    project: Path, index: Index, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Not even by its entry for all others: that a host may be asked does not say that it may be told a password."""
    index.password = "s3cret-word"  # noqa: S105
    lines = [f"{machine} login me password {index.password}" for machine in ("machine localhost", "default")]
    monkeypatch.setenv("NETRC", str(netrc(tmp_path / "machines", *lines)))
    assert asked(project).reason == "2 packages: 127.0.0.1 answered 401"


def test_credentials_of_an_index_go_before_netrc(
    project: Path, index: Index, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    index.password = "s3cret-word"  # noqa: S105
    monkeypatch.setenv("NETRC", str(netrc(tmp_path / "machines", "machine 127.0.0.1 login me password of-old")))
    monkeypatch.setenv("UV_INDEX_OWN_USERNAME", "me")
    monkeypatch.setenv("UV_INDEX_OWN_PASSWORD", index.password)
    assert asked_as_configured(project, index).status is Status.PASSED


def test_a_netrc_that_cannot_be_read(
    project: Path, index: Index, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = netrc(tmp_path / "machines", "machine 127.0.0.1 login me", "password s3cret-word", "what")
    monkeypatch.setenv("NETRC", str(file))
    outcome = asked(project)
    assert outcome.status is Status.NOT_RUN
    assert outcome.reason == f"{file}: no netrc file, around line 4; mend it, or name another in NETRC"
    assert index.asked == []


def test_a_netrc_that_is_not_there(
    project: Path, index: Index, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("NETRC", raising=False)
    assert asked(project).status is Status.PASSED
    monkeypatch.setenv("NETRC", str(tmp_path / "machines"))
    reason = f"{tmp_path / 'machines'}: not readable (FileNotFoundError); mend it, or name another in NETRC"
    assert asked(project).reason == reason


def test_without_online_nothing_is_asked(project: Path, index: Index) -> None:
    report = check(project, options=Options(static=True))
    assert "registry" not in {outcome.check.name for outcome in report.outcomes}
    (outcome,) = check(project, options=Options(static=True), select=["registry"]).outcomes
    assert outcome.reason == "it asks indexes, and only --online permits that"
    assert index.asked == []


def test_the_command(project: Path, index: Index, capsys: pytest.CaptureFixture[str]) -> None:
    index.files["one"][0]["hashes"] = {"sha256": "0" * 64}
    with pytest.raises(SystemExit) as caught:
        main(["check", str(project), "--static", "--online", "--host", "127.0.0.1", "--select", "registry"])
    assert caught.value.code == 1
    assert "failed   LCK060 registry: 2 packages with 2 files compared" in capsys.readouterr().out
