"""The change adds no text that reads otherwise than it is.

A bidirectional control makes code read in another order than it runs in (CVE-2021-42574); an invisible character makes
two names look like one; a Cyrillic letter in a Latin word makes another name of it. Reported are, in the lines that the
commits since the base add: bidirectional controls and tag characters as errors; other invisible and control characters
as warnings; words that mix Latin letters with look-alikes of other scripts as warnings, and in files of code also words
that consist of look-alikes alone. Each is named with its code point. A joiner between emoji is none.

Example: `if accеss:`, in which the second e is U+0435 CYRILLIC SMALL LETTER IE.

Fix: replace the character; write it as an escape where it is meant.

How to allow: an ignore with its reason, by `path`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from ..added import Added, added_lines
from ..context import Context
from ..model import Check, Finding, Severity, Tally
from ..words import counted

CODE = "CHG002"
_BIDIRECTIONAL = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
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
    for added in added_lines(context):
        lines += len(added)
        is_code = added[0].path.rpartition("/")[2].rpartition(".")[2].lower() in _CODE_FILES
        for line in added:
            if not line.raw.isascii() or any(byte < 0x20 and byte not in b"\t\r\f" for byte in line.raw):
                yield from _line(line, is_code)
    yield Tally(detail=counted(lines, "added line"))


def _line(line: Added, is_code: bool) -> Iterator[Finding]:
    text = line.raw.decode("utf-8", "replace").removesuffix("\r")
    for place, character in enumerate(text):
        severity = _hidden(text, place, character, first=line.line == 1)
        if severity is not None:
            yield _finding(line, place, character, severity, "")
    for match in _WORD.finditer(text):
        word = match[0]
        if word.isascii():
            continue
        foreign = [place for place, letter in enumerate(word) if _script(letter) in _OTHER_SCRIPTS]
        latin = any(_script(letter) == "LATIN" for letter in word)
        if foreign and (latin or (is_code and all(letter in _LOOK_ALIKE for letter in word))):
            at = foreign[0]
            yield _finding(line, match.start() + at, word[at], Severity.WARNING, word)


def _hidden(text: str, place: int, character: str, *, first: bool) -> Severity | None:
    """Return how bad a character is that is not seen; None for one that is."""
    if character in _BIDIRECTIONAL or "\U000e0000" <= character <= "\U000e007f":
        return Severity.ERROR
    category = unicodedata.category(character)
    if category not in ("Cf", "Cc", "Zl", "Zp") or character in "\t\r\f":
        return None
    if character == _JOINER and _pictures(text, place):
        return None
    return None if character == "\ufeff" and first and place == 0 else Severity.WARNING


def _pictures(text: str, place: int) -> bool:
    before = text[:place].rstrip(_SELECTOR)[-1:]
    after = text[place + 1 : place + 2]
    return all(letter and unicodedata.category(letter) in ("So", "Sk") for letter in (before, after))


def _script(letter: str) -> str:
    return unicodedata.name(letter, "").partition(" ")[0]


def _finding(line: Added, place: int, character: str, severity: Severity, word: str) -> Finding:
    name = unicodedata.name(character, "") or {"\x00": "NULL", "\x1b": "ESCAPE", "\x7f": "DELETE"}.get(
        character, "CONTROL"
    )
    which = f"U+{ord(character):04X} {name}"
    message = (
        f"the word `{word}` holds {which}, which looks like another letter" if word else f"hidden character {which}"
    )
    hint = "replace it; where it is meant, write it as an escape"
    return Finding(code=CODE, message=message, severity=severity, location=line.at(place + 1), hint=hint)


CHECK = Check(
    code=CODE, name="unicode", summary="the change adds no text that reads otherwise than it is", opt_in="base", run=run
)
