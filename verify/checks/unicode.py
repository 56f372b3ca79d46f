"""The change adds no text that reads otherwise than it is.

A bidirectional control makes code read in another order than it runs in (CVE-2021-42574); an invisible character
makes two names look like one; a Cyrillic letter in a Latin word makes another name of it. Reported are, in the lines
that the commits since the base add: bidirectional controls, tag characters and ideographic variation selectors that
select nothing as errors; other invisible and control characters as warnings; words that mix Latin letters with
letters of other scripts as warnings (of Greek with look-alikes only: units and symbols have the others), and in files
of code also words that consist of look-alikes alone. Each is named with its code point. A joiner between emoji is
none. A file of code whose null bytes make it binary is a warning, for its lines are not read.

Example: `if accеss:`, in which the second e is U+0435 CYRILLIC SMALL LETTER IE.

Fix: replace the character; write it as an escape where it is meant.

How to allow: an ignore with its reason, by `path`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from ..added import Added, added_lines, changed_files, place, read
from ..context import Context
from ..model import Finding, Location, Severity, Tally

CODE = "CHG002"
_BIDIRECTIONAL = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_FILLERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
"""Letters and marks that are drawn as nothing (UAX #44, Default_Ignorable_Code_Point)."""
_JOINER = "\u200d"
_SELECTOR = "\ufe0f"
_WORD = re.compile(r"[^\W\d_]+")
_OTHER_SCRIPTS = ("CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC", "LISU")
_LOOK_ALIKE = frozenset("асеорхуіјѕԁԛԝһӏАВЕЗІЈКМНОРСТУХЅԌοοιναρυΑΒΕΖΗΙΚΜΝΟΡΤΥΧϲϳ")
"""Letters that common fonts draw like Latin ones, of UTS #39's confusables."""
_CONTROLS = {"\x00": "NULL", "\x08": "BACKSPACE", "\x1b": "ESCAPE", "\x7f": "DELETE"}
_CODE_FILES = frozenset(
    (
        *(
            "py",
            "pyi",
            "toml",
            "cfg",
            "ini",
            "yml",
            "yaml",
            "json",
            "sh",
            "bash",
            "c",
            "cc",
            "cpp",
            "cu",
            "cuh",
            "h",
            "hpp",
        ),
        *("rs", "go", "js", "ts", "lock", "cmake", "dockerfile"),
    )
)


def run(context: Context) -> Iterator[Finding | Tally]:
    lines = 0
    changed = changed_files(context)
    for change in changed:
        if change.is_binary and not change.is_removed and _is_code(change.path):
            yield Finding(
                code=CODE,
                message="null bytes make git and this check take it for binary: its lines were not read",
                severity=Severity.WARNING,
                location=Location(place(context, change.path)),
                hint="take the null bytes out; code has none",
            )
    for added in added_lines(context, changed):
        lines += len(added)
        is_code = _is_code(added[0].path)
        for line in added:
            if not line.raw.isascii() or any(byte < 0x20 and byte not in b"\t\r\f" for byte in line.raw):
                yield from _line(line, is_code)
    yield read(lines, changed)


def _is_code(path: str) -> bool:
    return path.rpartition("/")[2].rpartition(".")[2].lower() in _CODE_FILES


def _line(line: Added, is_code: bool) -> Iterator[Finding]:
    text = line.raw.decode("utf-8", "replace").removesuffix("\r")
    for offset, character in enumerate(text):
        severity = _hidden(text, offset, character, first=line.line == 1)
        if severity is not None:
            yield _finding(line, offset, character, severity, "")
    for match in _WORD.finditer(text):
        word = match[0]
        if word.isascii():
            continue
        foreign = [place for place, letter in enumerate(word) if _is_foreign(letter)]
        latin = any(_script(letter) == "LATIN" for letter in word)
        if foreign and (latin or (is_code and all(letter in _LOOK_ALIKE for letter in word))):
            at = foreign[0]
            yield _finding(line, match.start() + at, word[at], Severity.WARNING, word)


def _hidden(text: str, place: int, character: str, *, first: bool) -> Severity | None:
    """Return how bad a character is that is not seen; None for one that is."""
    if character in _BIDIRECTIONAL or "\U000e0000" <= character <= "\U000e007f":
        return Severity.ERROR
    if "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef":
        return _selector(text[place - 1 : place], character)
    if character in _FILLERS:
        return Severity.WARNING
    category = unicodedata.category(character)
    if category not in ("Cf", "Cc", "Zl", "Zp") or character in "\t\r\f":
        return None
    if character == _JOINER and _pictures(text, place):
        return None
    return None if character == "\ufeff" and first and place == 0 else Severity.WARNING


def _selector(before: str, character: str) -> Severity | None:
    """Return how bad a variation selector is; None for one that selects a form of the character before it.

    In a row they carry any text unseen.
    """
    if character > _SELECTOR:
        return None if _script(before) == "CJK" else Severity.ERROR
    selects = before in tuple("0123456789#*") or (
        not before.isascii() and not unicodedata.category(before).startswith("M")
    )
    return None if before and selects else Severity.WARNING


def _pictures(text: str, place: int) -> bool:
    before = text[:place].rstrip(_SELECTOR)[-1:]
    after = text[place + 1 : place + 2]
    return all(letter and unicodedata.category(letter) in ("So", "Sk") for letter in (before, after))


def _is_foreign(letter: str) -> bool:
    """Tell whether a letter looks out of place in a Latin word; those of Greek in units and symbols do not."""
    script = _script(letter)
    return script in _OTHER_SCRIPTS and (script != "GREEK" or letter in _LOOK_ALIKE)


def _script(letter: str) -> str:
    if not letter:
        return ""
    return unicodedata.name(letter, "").partition(" ")[0]


def _finding(line: Added, place: int, character: str, severity: Severity, word: str) -> Finding:
    name = unicodedata.name(character, "") or _CONTROLS.get(character, "CONTROL")
    which = f"U+{ord(character):04X} {name}"
    message = (
        f"the word `{word}` holds {which}, which looks like another letter" if word else f"hidden character {which}"
    )
    hint = "replace it; where it is meant, write it as an escape"
    return Finding(code=CODE, message=message, severity=severity, location=line.at(place + 1), hint=hint)
