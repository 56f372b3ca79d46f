"""The configuration says what was meant.

An unknown key, a value of the wrong type or an ignore without a reason silently weakens every other check, so each is
an error. An ignore that matches nothing any more, or is past its date, is a warning.

Example: `[tool.pinproof.pins.flashinfer-python] revision = "7bb37d6"` states no commit at all: the key is `rev`.

Fix: correct the line that the finding names; the complete list of keys is in docs/configuration.md.

How to allow: not at all; remove what is not used.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..context import Context
from ..model import Finding, Tally
from ..words import counted


def run(context: Context) -> Iterator[Finding | Tally]:
    yield from context.config.problems
    config = context.config
    yield Tally(detail=f"{counted(len(config.pins), 'pin')} and {counted(len(config.ignores), 'ignore')} stated")
