"""Signatures over records, made and verified by `ssh-keygen -Y` with an allowed-signers file, as git does."""

from __future__ import annotations

import enum
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from ..escape import clean, excerpt

NAMESPACE = "pinproof-evidence"
"""Ties a signature to records: one that was made for git commits or files does not count."""

SUFFIX = ".sig"
SIZE_LIMIT = 64 * 1024


class Fault(enum.StrEnum):
    INVALID = "invalid signature"
    SIGNER = "wrong signer"


class SignatureError(Exception):
    """A signature that does not count, or cannot be made; `fault` says which kind."""

    def __init__(self, message: str, fault: Fault = Fault.INVALID) -> None:
        self.fault = fault
        super().__init__(clean(message))


def sign(data: bytes, key: Path) -> bytes:
    """Return the signature over `data` with the private key in the file `key` (or its public key and an agent).

    A passphrase is asked for on the terminal if there is one.

    Raises:
        SignatureError: ssh-keygen is absent, or the key cannot be used.
    """
    if not key.is_file():
        raise SignatureError(f"the key {key} does not exist or is no file")
    done = _run("sign", "-f", str(key.absolute()), "-n", NAMESPACE, given=data, interactive=sys.stdin.isatty())
    if done.returncode != 0 or not done.stdout.startswith(b"-----BEGIN SSH SIGNATURE-----"):
        raise SignatureError(f"ssh-keygen did not sign: {_said(done)}")
    return done.stdout


def verify(data: bytes, signature: bytes, allowed_signers: bytes) -> str:
    """Return the principal whose key made `signature` over `data`, now, in the namespace of records.

    Raises:
        SignatureError: it is no signature over `data`, or its key is not allowed, not yet, or no longer.
    """
    with tempfile.TemporaryDirectory(prefix="pinproof-") as scratch:
        signed, allowed = Path(scratch, "signature"), Path(scratch, "allowed_signers")
        signed.write_bytes(signature)
        allowed.write_bytes(allowed_signers)
        done = _run("check-novalidate", "-n", NAMESPACE, "-s", str(signed), given=data)
        if done.returncode != 0:
            raise SignatureError(f"the signature is not one over this record: {_said(done)}")
        fingerprint = next((word for word in os.fsdecode(done.stdout).split() if word.startswith("SHA256:")), "?")
        found = _run("find-principals", "-s", str(signed), "-f", str(allowed))
        if found.returncode != 0:
            why = _why(found, allowed)
            raise SignatureError(f"the key {fingerprint} is not one of the allowed signers{why}", Fault.SIGNER)
        for principal in found.stdout.decode("utf-8", "replace").splitlines():
            done = _run("verify", "-f", str(allowed), "-I", principal, "-n", NAMESPACE, "-s", str(signed), given=data)
            if done.returncode == 0:
                return clean(principal)
    raise SignatureError(f"the key {fingerprint} may not sign records{_why(done, allowed)}", Fault.SIGNER)


def _why(done: subprocess.CompletedProcess[bytes], allowed: Path) -> str:
    """Return what ssh-keygen says about a line of the allowed signers (expired, wrong namespace), if anything."""
    lines = done.stderr.decode("utf-8", "replace").splitlines()
    about = [line.removeprefix(f"{allowed}:") for line in lines if line.startswith(f"{allowed}:")]
    return f": line {excerpt(about[0])}" if about else ""


def _said(done: subprocess.CompletedProcess[bytes]) -> str:
    lines = [line for line in done.stderr.decode("utf-8", "replace").splitlines() if "standard input" not in line]
    return excerpt(lines[0].strip()) if lines else f"it ended with {done.returncode}"


def _run(
    action: str, *arguments: str, given: bytes = b"", interactive: bool = False
) -> subprocess.CompletedProcess[bytes]:
    program = shutil.which("ssh-keygen")
    if program is None:
        raise SignatureError("ssh-keygen is not on this machine; it comes with OpenSSH")
    try:
        return subprocess.run(
            [program, "-Y", action, *arguments],
            input=given,
            capture_output=True,
            check=False,
            env=os.environ | {"LC_ALL": "C"},
            # Without a terminal to answer on, nothing may ask: neither the terminal nor a dialogue.
            start_new_session=not interactive,
            timeout=None if interactive else 60,
        )
    except subprocess.TimeoutExpired:
        raise SignatureError("ssh-keygen did not end within 60 s") from None
    except OSError as error:
        raise SignatureError(f"ssh-keygen cannot be started: {error.strerror}") from None
