"""Signatures by the real ssh-keygen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pinproof.verify.evidence.signature import Fault, SignatureError, sign, verify

Allow = Callable[..., Path]
DATA = b"a record\n"


def test_a_signature_of_an_allowed_signer(keys: Path, allow: Allow) -> None:
    signature = sign(DATA, keys / "alice")
    assert signature.startswith(b"-----BEGIN SSH SIGNATURE-----\n")
    assert verify(DATA, signature, allow("alice").read_bytes()) == "alice@example.org"


def test_several_principals_and_options(keys: Path, allow: Allow) -> None:
    signature = sign(DATA, keys / "alice")
    allowed = allow(
        "alice", principal="*@example.org,bob", options='namespaces="git,pinproof-*",valid-before="20990101"'
    )
    assert verify(DATA, signature, allowed.read_bytes()) == "*@example.org"


REFUSED = [
    ("mallory", "", Fault.SIGNER, "is not one of the allowed signers"),
    ("alice", 'valid-before="20200101"', Fault.SIGNER, "line 2: key has expired"),
    ("alice", 'valid-after="20990101"', Fault.SIGNER, "line 2: key is not yet valid"),
    ("alice", 'namespaces="git"', Fault.SIGNER, "may not sign records: line 2: key is not permitted"),
]


@pytest.mark.parametrize(("name", "options", "fault", "message"), REFUSED)
def test_signers_that_do_not_count(
    keys: Path, allow: Allow, name: str, options: str, fault: Fault, message: str
) -> None:
    signature = sign(DATA, keys / "alice")
    with pytest.raises(SignatureError, match=message) as caught:
        verify(DATA, signature, allow(name, options=options).read_bytes())
    assert caught.value.fault is fault
    assert "SHA256:" in str(caught.value)


@pytest.mark.parametrize("allowed", [b"", b"nonsense\n", b"\xff\xfe\x00\n", b"alice ssh-ed25519 AAAA\n"])
def test_allowed_signers_that_allow_nobody(keys: Path, allowed: bytes) -> None:
    with pytest.raises(SignatureError, match="is not one of the allowed signers"):
        verify(DATA, sign(DATA, keys / "alice"), allowed)


def test_a_signature_over_something_else(keys: Path, allow: Allow) -> None:
    signature = sign(DATA, keys / "alice")
    with pytest.raises(SignatureError, match="is not one over this record") as caught:
        verify(DATA + b" ", signature, allow("alice").read_bytes())
    assert caught.value.fault is Fault.INVALID


@pytest.mark.parametrize(
    "signature", [b"", b"junk", b"-----BEGIN SSH SIGNATURE-----\nAAAA\n-----END SSH SIGNATURE-----\n"]
)
def test_what_is_no_signature(keys: Path, allow: Allow, signature: bytes) -> None:
    with pytest.raises(SignatureError, match="is not one over this record") as caught:
        verify(DATA, signature, allow("alice").read_bytes())
    assert caught.value.fault is Fault.INVALID


def test_a_signature_for_another_purpose(keys: Path, allow: Allow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pinproof.verify.evidence.signature.NAMESPACE", "git")
    signature = sign(DATA, keys / "alice")
    monkeypatch.undo()
    with pytest.raises(SignatureError, match="namespace"):
        verify(DATA, signature, allow("alice").read_bytes())


def test_keys_that_cannot_sign(keys: Path, tmp_path: Path) -> None:
    with pytest.raises(SignatureError, match="passphrase"):
        sign(DATA, keys / "locked")
    with pytest.raises(SignatureError, match="does not exist"):
        sign(DATA, keys / "nobody")
    (tmp_path / "key").write_text("no key")
    with pytest.raises(SignatureError, match="did not sign"):
        sign(DATA, tmp_path / "key")


def test_without_ssh_keygen(keys: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(SignatureError, match="ssh-keygen is not on this machine"):
        sign(DATA, keys / "alice")
