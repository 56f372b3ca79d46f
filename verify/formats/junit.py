"""JUnit XML: a suite a project, a test case a check, and one for every case that a check executed.

An error is a failure, and so is a required check that did not run; a check that did not run is skipped with its
reason, never passed. Warnings are output of a case.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape, quoteattr

from ..escape import clean, guard_line
from ..model import Outcome, Report, Severity, Status
from .entries import Entry, entries, paragraphs

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_Children = list[tuple[str, str, str]]
"""Element, its message, its text."""


def render(reports: Sequence[Report], **_: object) -> str:
    suites = [line for report in reports for line in _suite(report)]
    lines = ['<?xml version="1.0" encoding="utf-8"?>', '<testsuites name="pinproof">', *suites, "</testsuites>"]
    return "".join(f"{line}\n" for line in lines)


def _suite(report: Report) -> Iterator[str]:
    cases = list(_cases(report))
    kinds = [kind for *_, children in cases for kind in {child[0] for child in children}]
    counts = {"tests": len(cases), "failures": kinds.count("failure"), "errors": kinds.count("error")}
    counts["skipped"] = kinds.count("skipped")
    listed = "".join(f' {name}="{count}"' for name, count in counts.items())
    yield f"  <testsuite name={_attribute(clean(report.folder))}{listed}>"
    for classname, name, place, children in cases:
        head = f"    <testcase classname={_attribute(classname)} name={_attribute(name)}{place}"
        if not children:
            yield f"{head}/>"
            continue
        yield f"{head}>"
        for kind, message, text in children:
            attribute = f" message={_attribute(message)}" if message else ""
            yield f"      <{kind}{attribute}>{escape(_valid(text))}</{kind}>"
        yield "    </testcase>"
    yield "  </testsuite>"


def _cases(report: Report) -> Iterator[tuple[str, str, str, _Children]]:
    found = list(entries([report]))
    if report.error is not None:
        yield "pinproof", "input", "", [("error", report.error, _text(found))]
    for outcome in report.outcomes:
        problems = [entry for entry in found if entry.code == outcome.check.code]
        place = f' file={_attribute(clean(problems[0].path))} line="{problems[0].line}"' if problems else ""
        yield "pinproof", f"{outcome.check.code} {outcome.check.name}", place, _children(outcome, problems, report)
        for case in outcome.tally.cases if outcome.tally else ():
            kinds = {Status.FAILED: "failure", Status.ERRORED: "error", Status.NOT_RUN: "skipped"}
            children = [(kinds[case.status], case.reason, "")] if case.status in kinds else []
            yield f"pinproof.{outcome.check.name}", case.name, "", children


def _children(outcome: Outcome, problems: list[Entry], report: Report) -> _Children:
    if outcome.status is Status.ERRORED:
        return [("error", outcome.reason, _text(problems))]
    wrong = [entry for entry in problems if entry.severity is Severity.ERROR]
    other = [entry for entry in problems if entry.severity is not Severity.ERROR]
    children: _Children = [("failure", entry.message, _text([entry])) for entry in wrong]
    if outcome.status is Status.NOT_RUN and outcome not in report.missing:
        children.append(("skipped", outcome.reason, ""))
    return [*children, ("system-out", "", _text(other))] if other else children


def _text(problems: list[Entry]) -> str:
    places = [(f"{clean(entry.path)}:{entry.line}:{entry.column}", entry) for entry in problems]
    text = "\n".join(f"{entry.severity.value} at {place}: {chr(10).join(paragraphs(entry))}" for place, entry in places)
    return "\n".join(map(guard_line, text.split("\n")))


def _valid(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)


def _attribute(text: str) -> str:
    return quoteattr(_valid(text))
