"""An index, or a checkout, that wants more than it may have: no pass, no credentials, no crash, no memory."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from pinproof.verify import Options, check
from pinproof.verify.config import Config
from pinproof.verify.document import Document
from pinproof.verify.model import Outcome, Status
from pinproof.verify.online import client
from pinproof.verify.scratch import uv_binary

from .index import Index
from .test_registry import asked, said

pytest.importorskip("httpx")


def relock(project: Path) -> None:
    command = [str(uv_binary()), "lock", "-q", "--no-progress", "--refresh"]
    subprocess.run(command, cwd=project, check=True, timeout=120)


def unrun(outcome: Outcome) -> str:
    assert outcome.status is Status.NOT_RUN
    return outcome.reason


def test_an_entry_without_its_keys_is_an_unusable_page(project: Path, index: Index) -> None:
    del index.files["one"][0]["filename"]
    assert unrun(asked(project)) == "1 package: 127.0.0.1 answered with an unusable page: KeyError"


def test_a_digest_that_the_index_does_not_state_is_not_compared(project: Path, index: Index) -> None:
    digest = index.files["one"][0]["hashes"]["sha256"]
    lock = project / "uv.lock"
    lock.write_text(lock.read_text().replace(f"sha256:{digest}", "sha512:" + "0" * 128))
    assert unrun(asked(project)) == "1 package: the index states no sha512 digest"


def test_an_index_without_digests_confirms_nothing(project: Path, index: Index) -> None:
    for entries in index.files.values():
        for entry in entries:
            entry["hashes"] = {}
    assert unrun(asked(project)) == "2 packages: the index states no sha256 digest"


def test_an_accepted_error_hides_no_host_that_did_not_answer(project: Path, index: Index) -> None:
    index.faults["/simple/one/"] = 500
    index.files["two"][1]["size"] = 1
    text = (
        '[tool.pinproof]\nhosts = ["127.0.0.1"]\n'
        '[[tool.pinproof.ignore]]\ncode = "LCK060"\npackage = "two"\nreason = "known"\n'
    )
    config = Config.load(Document("trusted.toml", text.encode()))
    options = Options(static=True, online=True, timeout=20)
    (outcome,) = check(project, options=options, config=config, select=["registry"]).outcomes
    assert unrun(outcome) == "1 package: 127.0.0.1 answered 500"


def test_credentials_in_the_urls_of_a_checkout_are_neither_sent_nor_shown(project: Path, index: Index) -> None:
    lock = project / "uv.lock"
    lock.write_text(lock.read_text().replace("http://127", "http://me:s3cret-word@127"))
    index.files["two"][1]["url"] = "/elsewhere/two-2.1-py3-none-any.whl"
    (message,) = said(asked(project))
    assert message == (
        f"warning two 2.1: two-2.1-py3-none-any.whl comes from http://127.0.0.1:{index.port}/files/"
        f"two-2.1-py3-none-any.whl, the index offers it at http://127.0.0.1:{index.port}/elsewhere/"
        "two-2.1-py3-none-any.whl"
    )
    index.password = "s3cret-word"  # noqa: S105
    assert unrun(asked(project)) == "2 packages: 127.0.0.1 answered 401"


@pytest.mark.parametrize("online_hosts", [True, False])
def test_a_base_that_the_checkout_names_is_not_trusted(
    project: Path, index: Index, monkeypatch: pytest.MonkeyPatch, online_hosts: bool
) -> None:
    for name in (
        "GITHUB_BASE_REF",
        "CI_MERGE_REQUEST_TARGET_BRANCH_NAME",
        "CHANGE_TARGET",
        "BITBUCKET_PR_DESTINATION_BRANCH",
    ):
        monkeypatch.delenv(name, raising=False)
    pyproject = project / "pyproject.toml"
    hosts = 'hosts = ["127.0.0.1"]\n' if online_hosts else ""
    pyproject.write_text(f'{pyproject.read_text()}[tool.pinproof]\nbase = "HEAD"\n{hosts}')
    for command in (["init", "-q"], ["add", "."], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"]):
        subprocess.run(["git", *command], cwd=project, check=True)

    def ask(base: str) -> Outcome:
        options = Options(static=True, online=True, base=base, timeout=10)
        return check(project, options=options, select=["registry"]).outcomes[0]

    assert unrun(ask("")) == "2 packages: the host 127.0.0.1 is not in trusted configuration"
    assert index.asked == []
    assert ask("HEAD").status is Status.PASSED  # the user says so


def test_signatures_in_urls_are_no_difference(project: Path, index: Index) -> None:
    for entries in index.files.values():
        for entry in entries:
            entry["url"] += "?signature=s3cret-word"
    assert said(asked(project)) == []
    assert asked(project).status is Status.PASSED


def test_a_requirement_that_uv_mends_is_not_compared(project: Path, index: Index) -> None:
    index.describe(index.files["one"][0], ("two>=2.0.*",))
    relock(project)
    assert 'name = "two"' in (project / "uv.lock").read_text()
    assert unrun(asked(project)) == (
        "1 package: of their requirements, the metadata of one-1.0-py3-none-any.whl has a requirement that cannot be "
        "read"
    )


def test_metadata_that_is_none(project: Path, index: Index) -> None:
    entry = index.files["one"][0]
    entry["core-metadata"] = True
    index.bodies[f"{entry['url']}.metadata"] = b"\xff\xfe"
    assert unrun(asked(project)) == (
        "1 package: of their requirements, the metadata of one-1.0-py3-none-any.whl cannot be read"
    )


def test_a_flat_index_is_not_run(project: Path, index: Index) -> None:
    index.files["all"] = [*index.files["one"], *index.files["two"]]
    index.html = True
    pyproject = project / "pyproject.toml"
    pyproject.write_text(
        pyproject.read_text().replace(index.url, f"{index.url}all/").replace("default", 'format = "flat"\ndefault')
    )
    (project / "uv.lock").unlink()
    relock(project)
    index.asked.clear()
    assert unrun(asked(project)) == "2 packages: a flat index has no page for each package"
    assert index.asked == []


def test_packed_answers(project: Path, index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    index.encoding = "gzip"
    assert asked(project).status is Status.PASSED
    index.encoding = "gzip, gzip"
    assert unrun(asked(project)) == "2 packages: 127.0.0.1 answered in an encoding that was not asked for"
    index.encoding = "gzip"
    monkeypatch.setattr(client, "SIZE_LIMIT", 100)
    assert unrun(asked(project)) == "2 packages: 127.0.0.1 answered with more than 100 bytes"
