from __future__ import annotations

import datetime
import re
import shutil
import struct
import subprocess
import zlib
from collections import Counter
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest

from pinproof.kernels.checkout import Checkout
from pinproof.kernels.record import CaseResult, CheckResult, Machine, Measurement, encode, statement
from pinproof.kernels.subjects import subjects
from pinproof.verify import Report, check
from pinproof.verify.checks import CHECKS
from pinproof.verify.formats import render
from pinproof.verify.formats.plot import Value, by_rows, plot

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
Pixels = Counter[tuple[int, int, int]]


class Page(HTMLParser):
    """The tags of a page, and its text without the style."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.attributes: list[tuple[str, str | None]] = []
        self.words: list[str] = []
        self._style = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes.extend(attrs)
        self._style = tag == "style"

    def handle_endtag(self, tag: str) -> None:
        self._style = False

    def handle_data(self, data: str) -> None:
        if not self._style:
            self.words.append(data)

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", " ".join(self.words))


def page(*reports: Report) -> Page:
    return Page(render("html", reports))


def test_every_kind_of_finding_lands_on_its_place(kinds: Report) -> None:
    text = page(kinds).text
    for registered in CHECKS:
        code = registered.code
        assert f"error {code} pyproject.toml:41:5 {code} says: locked bbbb, declared aaaa" in text
        assert f"warning {code} uv.lock:433:1 a warning" in text
        assert f"info {code} pyproject.toml:41:5 an information" in text
        assert f"error {code} pyproject.toml:1:1 nowhere" in text
    assert "uv.lock:433:1 locked: bbbb" in text


def test_a_real_disagreement_is_shown_where_it_stands_in_the_repository(tampered: Path) -> None:
    text = page(check(tampered, select=["PIN001"])).text
    assert "pkg failed" in text
    assert "error PIN001 pkg/pyproject.toml:6:67 f: another commit is locked than declared" in text
    assert f"f locked git https://example.org/f, rev {'b' * 40}" in text


def test_it_is_one_file_without_scripts_that_loads_nothing(kinds: Report, hostile: Report) -> None:
    found = page(kinds, hostile)
    assert found.tags.keys() & {"script", "link", "img", "iframe", "object", "base", "form"} == set()
    assert [name for name, _ in found.attributes if name in ("src", "href", "action") or name.startswith("on")] == []
    assert ("content", "default-src 'none'; style-src 'unsafe-inline'") in found.attributes
    assert "url(" not in render("html", [kinds])


def test_foreign_text_stays_text(hostile: Report) -> None:
    found = page(hostile)
    assert found.tags["b"] == 0
    assert "é, 100% of [x](y) {0} <b>&\"'" in found.text


def test_what_was_not_judged_is_said(not_judged: Report, unreadable: Report) -> None:
    text = page(not_judged, unreadable).text
    assert f"not run {CHECKS[1].code} {CHECKS[1].name} no CUDA device required" in text
    assert f"errored {CHECKS[3].code} {CHECKS[3].name} KeyError: x" in text
    assert "gone could not be checked pyproject.toml: is missing name its folder" in text


def test_accepted_findings_are_shown_with_their_reason(tampered: Path) -> None:
    entry = '\n[[tool.pinproof.ignore]]\ncode = "PIN001"\nreason = "a <test>"\n'
    source = '[tool.uv.sources]\nf = { git = "https://example.org/f", rev = "' + "a" * 40 + '" }\n'
    head = '[project]\nname = "a"\nversion = "1"\ndependencies = ["f"]\n'
    (tampered / "pyproject.toml").write_text(head + source + entry)
    text = page(check(tampered, select=["PIN001"])).text
    assert "PIN001 f: another commit is locked than declared pkg/pyproject.toml:6:" in text
    assert "a <test>" in text


@pytest.fixture
def measured(write_project: Callable[..., Path]) -> Path:
    """A clean project with a record about exactly its files, with eight measurements."""
    root = write_project(
        {
            "pyproject.toml": '[project]\nname = "a"\nversion = "1"\n',
            "uv.lock": 'version = 1\n[[package]]\nname = "a"\nversion = "1"\nsource = { virtual = "." }\n',
            "evidence/README": "",
        },
        folder="measured",
    )
    gpu = CheckResult("gpu", "passed", cases=(CaseResult("t::a", "passed"), CaseResult("t::b", "not_run", "2 devices")))
    scope = "component, sixteen emulated ranks on one NVIDIA H200"
    made = statement(
        subjects(root),
        Checkout("ab" * 20, dirty=False),
        [gpu],
        machine=Machine({"torch": "2.11.0"}, "NVIDIA H200", "570.1", (16,), emulated=True),
        measurements=[
            *[
                Measurement(f"paired gather, {rows} rows, {blocks} row blocks", rows / blocks + 1, "us", scope)
                for blocks in (1, 2)
                for rows in (1, 4, 8)
            ],
            Measurement("launch", 2.5, "ms", scope, "median of 9"),
        ],
        created=datetime.datetime(2026, 12, 3, tzinfo=datetime.UTC),
    )
    (root / "evidence/a.json").write_bytes(encode(made))
    return root


def test_records_are_shown_with_what_they_are_about_and_never_as_passed_here(measured: Path) -> None:
    text = page(check(measured, select=["GPU001"])).text
    assert "not run GPU001 gpu" in text
    assert "a.json 2026-12-03, about exactly these files; the signature was not verified here." in text
    assert "device NVIDIA H200 driver 570.1 torch 2.11.0 ranks 16, emulated in one process" in text
    assert "gpu passed 1 0 1" in text
    assert "6 measurements in us : component, sixteen emulated ranks on one NVIDIA H200" in text.replace("us:", "us :")
    (measured / "uv.lock").write_text((measured / "uv.lock").read_text() + "\n")
    assert "a.json 2026-12-03, about other files than these;" in page(check(measured, select=["GPU001"])).text


def test_measurements_are_lines_over_rows() -> None:
    values = [Value("gather, 8 rows, 2 row blocks", 31.0), Value("gather, 1 row, 2 row blocks", 15.32)]
    assert by_rows(values) == {"gather, 2 row blocks": [(1, 15.32), (8, 31.0)]}
    assert plot(values, "us").count("<polyline") == 1
    assert "<title>gather, 2 row blocks: 15.32 us</title>" in plot(values, "us")


@pytest.mark.parametrize("values", [[Value("launch", 2.5)], [Value("launch", 0.0), Value("gather, 8 rows", 1.0)]])
def test_other_measurements_are_bars_with_their_value(values: list[Value]) -> None:
    drawn = plot(values, "ms")
    assert drawn.count("<rect") == len(values)
    assert f">{values[0].value:g} ms</text>" in drawn


def screenshot(path: Path, folder: Path, *, dark: bool) -> Pixels:
    """Open the page in a real browser and count the colours of its pixels."""
    assert CHROMIUM is not None
    target = folder / f"{'dark' if dark else 'light'}.png"
    command = [
        CHROMIUM,
        *["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars"],
        *["--disable-background-networking", "--disable-component-update", "--disable-sync"],
        f"--user-data-dir={folder / target.stem}",
        f"--blink-settings=preferredColorScheme={0 if dark else 1}",
        "--window-size=640,2100",
        f"--screenshot={target}",
        path.as_uri(),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert target.is_file(), done.stderr[-2000:]
    return pixels(target.read_bytes())


def pixels(png: bytes) -> Pixels:
    """Return how often each colour occurs in a PNG of 8-bit RGB or RGBA (ISO/IEC 15948, filters 0 to 4)."""
    width, height, depth, kind = struct.unpack(">IIBB", png[16:26])
    assert depth == 8
    size = {2: 3, 6: 4}[kind]
    chunks, at = b"", 8
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        chunks += png[at + 8 : at + 8 + length] if png[at + 4 : at + 8] == b"IDAT" else b""
        at += 12 + length
    data, stride = zlib.decompress(chunks), width * size
    above = bytearray(stride)
    found: Pixels = Counter()
    for row in range(height):
        start = row * (stride + 1)
        line = bytearray(data[start + 1 : start + 1 + stride])
        _unfilter(data[start], line, above, size)
        found.update(zip(line[::size], line[1::size], line[2::size], strict=True))
        above = line
    return found


def _unfilter(kind: int, line: bytearray, above: bytearray, size: int) -> None:
    for i in range(len(line) if kind else 0):
        left, up, corner = (line[i - size], above[i], above[i - size]) if i >= size else (0, above[i], 0)
        guess = left + up - corner
        nearest = min((left, up, corner), key=lambda value: abs(guess - value))
        line[i] = (line[i] + (0, left, up, (left + up) // 2, nearest)[kind]) & 255


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed, so the page was not looked at")
@pytest.mark.parametrize(
    ("dark", "background", "line", "bad"),
    [
        (False, (0xFF, 0xFF, 0xFF), (0x05, 0x50, 0xAE), (0xA4, 0x0E, 0x26)),
        (True, (0x0D, 0x11, 0x17), (0x79, 0xC0, 0xFF), (0xFF, 0x7B, 0x72)),
    ],
)
def test_a_browser_shows_it_light_and_dark(
    measured: Path,
    tampered: Path,
    tmp_path: Path,
    dark: bool,
    background: tuple[int, int, int],
    line: tuple[int, int, int],
    bad: tuple[int, int, int],
) -> None:
    reports = [check(tampered, select=["PIN001"]), check(measured, select=["GPU001"])]
    report = tmp_path / "report.html"
    report.write_text(render("html", reports))
    seen = screenshot(report, tmp_path, dark=dark)
    assert seen.most_common(1)[0][0] == background
    assert seen[line] > 300, "the first line of the plot is drawn"
    assert seen[bad] > 50, "what failed stands out"
