"""Whatever a lock, git, uv or a test says, every format stays well-formed and no line of it is forged."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pinproof.verify import Case, Finding, Location, Outcome, Related, Report, Status, Tally
from pinproof.verify.checks import CHECKS
from pinproof.verify.formats import FORMATS, render

NASTY = "\n::error::x ##[group]\r\x1b[31m\x9b\u202e\u2028\ufffe\ud800<b>&\"'`|[x](y)@a {0}%0A]]>--\x00é😀"
TEXT = st.text(st.sampled_from(NASTY) | st.characters(), max_size=30) | st.sampled_from((NASTY, "::error::x", " ##[e"))


@st.composite
def reports(draw: st.DrawFn) -> Report:
    """A report in which every foreign text is arbitrary; path and folder too."""
    said = [draw(TEXT) for _ in range(6)]
    finding = Finding(
        code=CHECKS[0].code,
        message=said[0],
        location=Location(said[1] or "x", 2, 3),
        related=(Related(Location(said[2] or "y", 4, 5), said[3]),),
        hint=said[4],
        package=said[5],
    )
    cases = (Case(name=said[5], status=Status.FAILED, reason=said[4]),)
    outcomes = (
        Outcome(
            check=CHECKS[0],
            status=Status.FAILED,
            findings=(finding,),
            tally=Tally(detail=said[3], cases=cases),
            ignored=((finding, said[2]),),
        ),
        Outcome(check=CHECKS[1], status=Status.NOT_RUN, reason=said[1]),
    )
    return Report(root=said[0] or ".", folder=said[1] or ".", outcomes=outcomes)


_INVISIBLE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]")


@pytest.mark.parametrize("name", FORMATS)
@settings(deadline=None, max_examples=50)
@given(report=reports())
def test_no_control_or_bidirectional_character_is_in_any_output(name: str, report: Report) -> None:
    text = render(name, [report], verbosity=1)
    text.encode("utf-8")
    assert _INVISIBLE.findall(text) == []


@pytest.mark.parametrize("name", sorted({*FORMATS} - {"github"}))
@settings(deadline=None, max_examples=100)
@given(report=reports())
def test_no_line_is_a_command_to_a_runner(name: str, report: Report) -> None:
    lines = render(name, [report], verbosity=1).split("\n")
    assert [line for line in lines if line.lstrip().startswith(("::", "##["))] == []


@settings(deadline=None, max_examples=100)
@given(report=reports())
def test_the_only_workflow_command_is_the_annotation(report: Report) -> None:
    annotation, said, end = render("github", [report]).split("\n")
    assert (annotation[:13], said[:9], end) == ("::error file=", "pinproof ", "")


@settings(deadline=None, max_examples=100)
@given(report=reports())
def test_json_formats(report: Report) -> None:
    assert len(json.loads(render("sarif", [report]))["runs"][0]["results"]) == 1
    assert len(json.loads(render("gitlab", [report]))) == 1
    assert len(json.loads(render("json", [report]))["projects"]) == 1


@settings(deadline=None, max_examples=100)
@given(report=reports())
def test_junit(report: Report) -> None:
    root = ET.fromstring(render("junit", [report]))  # noqa: S314 - our own output
    assert [element.tag for element in root.iter()] == [
        "testsuites",
        "testsuite",
        "testcase",
        "failure",
        "testcase",
        "failure",
        "testcase",
        "skipped",
    ]


class _Tags(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append(tag)


@settings(deadline=None, max_examples=50)
@given(report=reports())
def test_html_and_markdown_have_the_structure_of_plain_words(report: Report) -> None:
    allowed = (
        "html head meta title style body main h1 h2 h3 p span table thead tbody tr th td ol ul li dl dt dd code footer "
        "strong"
    )
    assert set(_Tags(render("html", [report])).found) - set(allowed.split()) == set()
    lines = render("markdown", [report]).split("\n")
    assert len(lines) == 11
    assert lines[6:9:2] == ["", f"  {lines[8][2:]}"]
