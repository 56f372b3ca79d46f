"""What `pinproof landed` prints: text for people, or JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from ..escape import clean, excerpt, guard_line
from .goal import Goal
from .patches import Hunk
from .search import Landing

_SHOWN = 20


def as_text(found: Sequence[Landing], on: Goal) -> str:
    lines = [line for landing in found for line in _landing(landing)]
    landed = sum(landing.answer.is_landed for landing in found)
    lines.append(f"{landed} of {len(found)} on {clean(on.name)} ({on.commit[:12]})")
    return "".join(f"{guard_line(line)}\n" for line in lines)


def as_json(found: Sequence[Landing], on: Goal) -> str:
    data = {"on": on.name, "commit": on.commit, "changes": [_data(landing) for landing in found]}
    return json.dumps(data, indent=2, ensure_ascii=True) + "\n"


def _landing(landing: Landing) -> Iterator[str]:
    change = landing.change
    name = clean(change.name) if ".." in change.name else change.newer[:12]
    yield f"{landing.answer.words:<13} {name} {excerpt(change.subject, 72)}: {clean(landing.reason)}"
    for label, hunks in (("there", landing.there), ("missing", landing.missing)):
        if not landing.missing:
            continue
        for hunk in hunks[:_SHOWN]:
            yield f"    {label:<8} {_place(hunk)}  {_first(hunk)}".rstrip()
        if len(hunks) > _SHOWN:
            yield f"    {label:<8} {len(hunks) - _SHOWN} more"
    for skipped in landing.skipped:
        yield f"    skipped: {clean(skipped)}"


def _place(hunk: Hunk) -> str:
    return f"{clean(hunk.path)}:{hunk.line}" if hunk.line else clean(hunk.path)


def _first(hunk: Hunk) -> str:
    """Return the first line that the hunk adds, else removes."""
    changed = [line for line in hunk.lines if line[:1] in (b"+", b"-") and line[1:].strip()]
    line = next((line for line in changed if line[:1] == b"+"), changed[0] if changed else b"")
    return excerpt(line.decode("utf-8", "replace"), 80)


def _data(landing: Landing) -> dict[str, Any]:
    change = landing.change
    return {
        "change": change.name,
        "commit": change.newer,
        "subject": clean(change.subject),
        "answer": landing.answer.value,
        "landed": landing.answer.is_landed,
        "reason": clean(landing.reason),
        "by": landing.by or None,
        "there": [{"path": clean(hunk.path), "line": hunk.line} for hunk in landing.there],
        "missing": [{"path": clean(hunk.path), "line": hunk.line} for hunk in landing.missing],
        "skipped": [clean(text) for text in landing.skipped],
    }
