"""What uv and pinproof say of a mutated project."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pinproof.verify import Finding, InputError, Options, Severity, check

from .kinds import Mutation


@dataclass(frozen=True, slots=True)
class Verdict:
    """What pinproof found: the findings that are more than information, or why it refused the input."""

    findings: tuple[Finding, ...]
    refused: str = ""

    @property
    def codes(self) -> list[str]:
        return sorted({finding.code for finding in self.findings})


def pinproof(root: Path) -> Verdict:
    """Check the project in `root`, statically."""
    try:
        report = check(root, options=Options(static=True))
    except InputError as error:
        return Verdict((), str(error))
    assert report.exit_code != 2, [outcome.reason for outcome in report.outcomes]
    return Verdict(tuple(f for f in report.findings if f.severity is not Severity.INFO))


def new_findings(found: Verdict, before: Verdict) -> list[Finding]:
    """Return what is found in the mutated project and was not in the original, lines aside."""
    known = {(finding.code, finding.message) for finding in before.findings}
    return [finding for finding in found.findings if (finding.code, finding.message) not in known]


def failure(mutation: Mutation, found: Verdict, before: Verdict) -> str:
    """Return how the verdict differs from what the kind expects; empty when it does not."""
    new = new_findings(found, before)
    right = [finding for finding in new if finding.code in mutation.kind.codes]
    said = found.refused or ", ".join(f"{finding.code} {finding.message}" for finding in new) or "nothing"
    if mutation.kind.codes and not right:
        return f"{mutation}: expected {' or '.join(mutation.kind.codes)}, found {said}"
    if right and not names_the_place(mutation, right):
        return f"{mutation}: no finding names the place: {said}, at {sorted(named_lines(right))}"
    if mutation.kind.only and new:
        return f"{mutation}: the two files show it after all: {said}"
    return ""


def named_lines(findings: list[Finding]) -> set[tuple[str, int]]:
    """Return file and line of every place that the findings name."""
    places = [f.location for f in findings if f.location] + [r.location for f in findings for r in f.related]
    return {(place.path, place.line) for place in places}


def names_the_place(mutation: Mutation, findings: list[Finding]) -> bool:
    """Whether a finding names a changed line or, where the kind says what to look for, a line that holds it."""
    named = named_lines(findings)
    if mutation.kind.at is None:
        return any(path == "uv.lock" and line in mutation.changed for path, line in named)
    wanted = mutation.kind.at(mutation.target)
    lines = {path: text.split("\n") for path, text in mutation.files.items()}
    return any(wanted in lines[path][line - 1] for path, line in named if path in lines)
