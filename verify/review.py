"""A lock's change as a review: dangerous lines first, then what came, went and changed, short."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from .compare import Comparison, Pair
from .escape import clean, guard_line
from .formats.markdown import code, text
from .lock import Package
from .model import Finding, Severity
from .source import Source
from .words import counted

SCHEMA = 1
_ORDER = (Severity.ERROR, Severity.WARNING, Severity.INFO)


@dataclass(frozen=True, slots=True)
class Line:
    """One changed package: `before` and `after` are versions or commits, empty for one that was not or is not there."""

    package: str
    before: str
    after: str
    note: str = ""


Groups = dict[str, list[Line]]


def groups(comparison: Comparison) -> Groups:
    """Return the changed packages under what became of them, in the order of a review."""
    found: Groups = {"moved": [], "downgraded": [], "git": [], "upgraded": [], "added": [], "removed": [], "edited": []}
    for pair in comparison.pairs:
        found[_kind(pair)].append(Line(pair.name, *_both(pair)))
    found["added"] = [Line(package.name, "", _version(package), _from(package)) for package in comparison.added]
    found["removed"] = [Line(package.name, _version(package), "") for package in comparison.removed]
    return {name: lines for name, lines in found.items() if lines}


def _kind(pair: Pair) -> str:
    if pair.moved:
        return "moved"
    if pair.is_lower:
        return "downgraded"
    if _commit(pair.old) != _commit(pair.new):
        return "git"
    return "edited" if pair.same_version else "upgraded"


def _both(pair: Pair) -> tuple[str, str, str]:
    if pair.moved:
        return f"{_version(pair.old)} {_from(pair.old)}", f"{_version(pair.new)} {_from(pair.new)}", ""
    if _commit(pair.old) != _commit(pair.new):
        return _commit(pair.old)[:12], _commit(pair.new)[:12], _from(pair.new)
    if pair.same_version:
        return _version(pair.old), _version(pair.new), _edited(pair)
    return _version(pair.old), _version(pair.new), ""


def _edited(pair: Pair) -> str:
    keys = sorted(
        k for k in pair.old.table.keys() | pair.new.table.keys() if pair.old.table.get(k) != pair.new.table.get(k)
    )
    return ", ".join(keys)


def _commit(package: Package) -> str:
    return package.source.commit if isinstance(package.source, Source) else ""


def _version(package: Package) -> str:
    return package.version or "no version"


def _from(package: Package) -> str:
    return f"from {package.source}"


def as_text(since: str, comparison: Comparison, findings: list[Finding]) -> str:
    lines = [f"uv.lock since {since}: {_summary(comparison)}"]
    for finding in _sorted(findings):
        lines.append(f"{finding.severity}: {finding.message} [{finding.code}]")
        lines += [f"  --> {finding.location}"] if finding.location else []
    for name, changed in groups(comparison).items():
        lines.append(f"{name} ({len(changed)})")
        lines += [f"  {line}" for line in _lines(changed, str)]
    return "".join(f"{guard_line(clean(line))}\n" for line in lines)


def as_markdown(since: str, comparison: Comparison, findings: list[Finding]) -> str:
    lines = [f"### uv.lock since {code(clean(since))}", "", text(_summary(comparison)), ""]
    for finding in _sorted(findings):
        place = f" ({code(str(finding.location))})" if finding.location else ""
        lines.append(f"- **{finding.severity}** {text(finding.message)}{place} {code(finding.code)}")
    for name, changed in groups(comparison).items():
        lines += ["", f"**{name}** ({len(changed)})", ""]
        lines += [f"- {line}" for line in _lines(changed, lambda value: code(clean(value)))]
    return "".join(f"{guard_line(line)}\n" for line in lines)


def as_json(since: str, comparison: Comparison, findings: list[Finding]) -> str:
    data = {
        "schema": SCHEMA,
        "base": clean(since),
        "findings": [
            {"code": f.code, "severity": f.severity.value, "message": f.message, "location": str(f.location or "")}
            for f in _sorted(findings)
        ],
        "groups": {
            name: [
                {"package": clean(x.package), "before": clean(x.before), "after": clean(x.after), "note": clean(x.note)}
                for x in changed
            ]
            for name, changed in groups(comparison).items()
        },
    }
    return json.dumps(data, indent=2) + "\n"


RENDER: dict[str, Callable[[str, Comparison, list[Finding]], str]] = {
    "text": as_text,
    "markdown": as_markdown,
    "json": as_json,
}


def _summary(comparison: Comparison) -> str:
    if not (comparison.added or comparison.removed or comparison.pairs):
        return "no package changed"
    return (
        f"{counted(len(comparison.pairs), 'package')} changed, {len(comparison.added)} added, "
        f"{len(comparison.removed)} removed"
    )


def _sorted(findings: list[Finding]) -> list[Finding]:
    return sorted(findings, key=lambda finding: _ORDER.index(finding.severity))


def _lines(changed: list[Line], show: Callable[[str], str]) -> Iterator[str]:
    for line in changed:
        versions = " -> ".join(show(value) for value in (line.before, line.after) if value)
        yield f"{show(line.package)} {versions}" + (f" ({show(line.note)})" if line.note else "")
