"""The validation section of a pull request: what ran, how many, on what; what did not; each number with its scope."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from pinproof.kernels.record import Measurement

from ..escape import clean
from .gate import counts
from .judge import Judged
from .record import CheckRecord, Record

_PLAIN = re.compile(r"[A-Za-z0-9 .,;:/+()=%-]*")
_LINK = re.compile(r"www\.|://", re.IGNORECASE)
_SHOWN = 20
"""Failed tests that are named one by one; the rest is counted."""


def validation_section(judged: Sequence[Judged], commit: str | None) -> str:
    """Return the section as Markdown. Records that do not count are named with the reason, and nothing else of them."""
    counted = [(entry, entry.record) for entry in judged if entry.record is not None and entry.refusal is None]
    held = f"Held against commit `{commit}`." if commit else "Not held against any commit: this is no git checkout."
    blocks = [
        ["## Validation"],
        [held],
        _titled("Records:", (f"- {_record(entry, record)}" for entry, record in counted)),
        _titled("What ran:", _ran(counted)),
        _titled("What failed:", _failed(counted)),
        _titled("What did not run:", _not_run(counted)),
        _titled("Measurements:", (_measurement(m, record) for _, record in counted for m in record.measurements)),
        _titled("Records that do not count:", (_refused(entry) for entry in judged if entry.refusal is not None)),
    ]
    if not counted:
        blocks.insert(2, ["No record counts: nothing is shown to have run."])
    return "\n\n".join("\n".join(lines) for lines in blocks if lines) + "\n"


def plain(text: str) -> str:
    """Return foreign text such that Markdown takes it for text: as it is if harmless, else as code."""
    text = clean(text)
    if _PLAIN.fullmatch(text) and not _LINK.search(text):
        return text
    fence = "`" * (max(map(len, re.findall(r"`+", text)), default=0) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def scope(measurement: Measurement) -> str:
    """Return what a number speaks of, and for a component what it does not."""
    said = plain(measurement.scope)
    component = measurement.scope.lower().startswith("component")
    return f"{said}; says nothing about a whole model" if component and "whole model" not in said else said


def _titled(title: str, lines: Iterable[str]) -> list[str]:
    found = list(lines)
    return [title, "", *found] if found else []


def _record(entry: Judged, record: Record) -> str:
    commit = f"commit `{record.commit[:12]}`" if record.commit else "no commit"
    tree = {False: "clean tree", True: "dirty tree", None: "commit stated by hand" if record.commit else "tree unknown"}
    facts = [commit, tree[record.dirty], f"{record.created:%Y-%m-%d}"]
    if record.device:
        facts.append(plain(record.device) + (f", driver {plain(record.driver)}" if record.driver else ""))
    if record.world:
        how = {True: ", emulated in one process", False: "", None: ""}[record.emulated]
        facts.append(f"{', '.join(map(str, record.world))} ranks{how}")
    facts += [f"{plain(name)} {plain(version)}" for name, version in sorted(record.versions.items())]
    return f"{plain(entry.path)}: {', '.join(facts)}; {plain(entry.signature)}"


def _ran(counted: Sequence[tuple[Judged, Record]]) -> Iterator[str]:
    for entry, record in counted:
        for check in record.checks:
            if check.status == "passed":
                device = f" on {plain(record.device)}" if record.device and check.passed else ""
                yield f"- {check.name}: {counts(check)}{device} ({plain(entry.path)})"


def _failed(counted: Sequence[tuple[Judged, Record]]) -> Iterator[str]:
    for entry, record in counted:
        for check in record.checks:
            if check.status in ("failed", "errored"):
                reason = f": {plain(check.reason)}" if check.reason else ""
                yield f"- {check.name}: {counts(check)}{reason} ({plain(entry.path)})"
                names = [name for name in record.tests["failed"] if name.startswith(f"{check.name}::")]
                yield from (f"  - {plain(name.partition('::')[2])}" for name in names[:_SHOWN])
                if len(names) > _SHOWN:
                    yield f"  - and {len(names) - _SHOWN} more"


def _not_run(counted: Sequence[tuple[Judged, Record]]) -> Iterator[str]:
    passed = {check.name for _, record in counted for check in record.checks if check.status == "passed"}
    for entry, record in counted:
        for check in record.checks:
            if check.status == "not_run" and check.name not in passed:
                yield f"- {check.name}: {plain(check.reason or 'no reason is given')} ({plain(entry.path)})"
            elif check.status != "not_run" and check.not_run:
                yield from (f"- {line} ({plain(entry.path)})" for line in _skipped(check, record))


def _skipped(check: CheckRecord, record: Record) -> Iterator[str]:
    reasons = Counter(reason for name, reason in record.not_run.items() if name.startswith(f"{check.name}::"))
    for reason, number in reasons.most_common():
        yield f"{number} of the {check.name} tests: {plain(reason or 'no reason is given')}"


def _measurement(measurement: Measurement, record: Record) -> str:
    device = "" if not record.device or record.device in measurement.scope else f" on {plain(record.device)}"
    conditions = f". {plain(measurement.conditions)}" if measurement.conditions else ""
    number = f"{measurement.value:g} {plain(measurement.unit)}"
    return f"- {plain(measurement.name)}: {number}{device} ({scope(measurement)}){conditions}"


def _refused(entry: Judged) -> str:
    return f"- {plain(entry.path)}: {entry.refusal.value if entry.refusal else ''}; {plain(entry.reason)}"
