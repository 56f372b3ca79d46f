"""Single edits of one small pair of files: what each must be called. DESC.txt of each folder says what was edited."""

from __future__ import annotations

from pathlib import Path

import pytest

from pinproof.verify import Options, check
from pinproof.verify.files import InputError
from pinproof.verify.model import Severity

UNUSABLE = ("unusable", "")
"""Exit code 2: nothing can be said of such files."""

# Codes of the errors, then of the warnings. Harmless, and so without any: formatting (36, 37, 50), another spelling of
# the same commit, repository or name (19, 55, 60, 61, 62b, 62g, 62i, 63), an option of the user (70), a key that says
# nothing (38b). 09, 90, 93, 94: both files agree, on something worth a warning or none. 20: one digit of a digest;
# the two files cannot show it. 95: nothing depends on what is declared there.
EXPECTED = {
    "00-clean": ("", ""),
    "01-frag-changed": ("PIN001", ""),
    "02-rev-and-frag-changed-src": ("PIN001", ""),
    "03-rev-frag-reqdist-changed": ("PIN001", ""),
    "04-reqdist-only-changed": ("PIN001", ""),
    "05-pyproject-rev-changed": ("PIN001", ""),
    "06-pyproject-short-sha": ("PIN001", "PIN002"),
    "08-short-both-frag-other": ("PIN001", "PIN002"),
    "09-branch-both-frag-other": ("", "PIN002"),
    "11-src-rev-to-branch": ("PIN001", ""),
    "12-src-host-changed": ("PIN001", ""),
    "13-src-owner-changed": ("PIN001", ""),
    "14-src-to-registry": ("PIN001", ""),
    "15-src-subdir-added": ("PIN001", ""),
    "16-src-lfs-added": ("PIN001", ""),
    "17-frag-missing": ("PIN001", ""),
    "18-frag-short": ("PIN001", ""),
    "19-frag-upper": ("", ""),
    "19b-pyproject-upper": ("", ""),
    "20-wheel-hash-altered": ("", ""),
    "21-wheel-host-moved": ("", "LCK023"),
    "22-wheel-url-and-hash": ("", "LCK023"),
    "23-wheel-hash-removed": ("", "LCK021"),
    "25-edge-removed-root": ("LCK011", "LCK013"),
    "26-edge-added-git": ("LCK011", ""),
    "26b-extra-pkg-and-edge": ("LCK011", "LCK023"),
    "27-pkg-removed-dangling": ("LCK010", ""),
    "28-pkg-and-edge-removed": ("LCK011", ""),
    "28b-git-pkg-gone": ("LCK011,PIN001", "LCK013"),
    "29-version-out-of-spec": ("LCK012,LCK020", ""),
    "29b-version-and-files-out-of-spec": ("LCK012", ""),
    "32-lock-version-2": UNUSABLE,
    "32b-lock-version-0": UNUSABLE,
    "33-lock-revision-0": ("LCK017", ""),
    "33b-lock-revision-99": ("", "LCK017"),
    "33c-lock-revision-removed": ("LCK017", ""),
    "34-dup-exact": ("LCK010", ""),
    "34b-dup-other-version": ("LCK010", "LCK020"),
    "34c-dup-git-other-rev": ("LCK010,PIN001", ""),
    "35-merge-markers": UNUSABLE,
    "36-bom": ("", ""),
    "37-crlf": ("", ""),
    "37b-pyproject-crlf": ("", ""),
    "38-unknown-key": ("", "LCK017"),
    "38b-unknown-pkg-key": ("", ""),
    "39-empty": UNUSABLE,
    "40-requires-python": ("LCK016", ""),
    "41-depmeta-tampered": ("LCK011,LCK015", ""),
    "42-registry-changed": ("", "LCK023"),
    "43-registry-to-url": ("LCK024", ""),
    "45-registry-to-path": ("LCK024", ""),
    "48-marker-on-gpu-edge": ("LCK011", ""),
    "50-reordered-packages": ("", ""),
    "51-dup-rev-query": ("PIN001", ""),
    "52-rev-then-branch": ("PIN001", ""),
    "53-branch-then-rev": ("PIN001", ""),
    "54-tag-is-sha": ("PIN001", ""),
    "55-pct-encoded-rev": ("", ""),
    "57-http-downgrade": ("PIN001", "LCK022"),
    "58-file-url": ("PIN001", ""),
    "60-repo-case": ("", ""),
    "61-dotgit": ("", ""),
    "62b-slash-pyproject": ("", ""),
    "62e-subdir-pyproject": ("PIN001", ""),
    "62f-lfs-pyproject": ("PIN001", ""),
    "62g-lfs-false-pyproject": ("", ""),
    "62i-name-case": ("", ""),
    "62j-source-removed": ("PIN001", ""),
    "63-pkgname-nonnormal": ("", ""),
    "64-dup-toml-key": UNUSABLE,
    "66-reqdist-marker": ("LCK011,LCK014", ""),
    "67-extra-edge-swapped": ("LCK011", "LCK013"),
    "68-provides-extras": ("LCK014", ""),
    "69-options-added": ("", "LCK015"),
    "70-options-exclude-newer": ("", ""),
    "72-orphan-git": ("", "LCK013"),
    "73-dev-edge-removed": ("LCK011", "LCK013"),
    "74-nonconflict-merge": ("PIN001", ""),
    "75-merge-inverse": ("PIN001", ""),
    "76-utf16": UNUSABLE,
    "77-nul": UNUSABLE,
    "79-pyproject-override-unlocked": ("LCK015,PIN001", "PIN003"),
    "84-ws-source-changed": ("PIN001", ""),
    "86-constraint-only-changed": ("PIN001", ""),
    "88-override-source-changed": ("PIN001", ""),
    "89-build-constraint-changed": ("PIN001", ""),
    "90-build-requires-changed": ("", "PIN003"),
    "92-script-header-changed": UNUSABLE,
    "93-pep508-and-source-disagree": ("", "PIN003"),
    "94-override-and-source-disagree": ("", "PIN003"),
    "95-unused-source": ("", ""),
    "96-revision-downgrade-hides-extras": ("LCK014,LCK017", ""),
}


@pytest.mark.parametrize("folder", EXPECTED)
def test_edit(edited_locks: Path, folder: str) -> None:
    try:
        report = check(edited_locks / folder, options=Options(static=True))
    except InputError:
        assert EXPECTED[folder] == UNUSABLE
        return

    def codes(severity: Severity) -> str:
        return ",".join(sorted({finding.code for finding in report.findings if finding.severity is severity}))

    assert (codes(Severity.ERROR), codes(Severity.WARNING)) == EXPECTED[folder]


def test_every_edit_is_expected(edited_locks: Path) -> None:
    assert {path.parent.name for path in edited_locks.rglob("DESC.txt")} == set(EXPECTED)
