"""Plots of measurements as inline SVG: no script, colours from the page's style, every value as text beside it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

_ROWS = re.compile(r"\b(\d+) (?:physical )?rows?\b(?! blocks?)")
_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 640, 280, 64, 24, 16, 44
_BAR = 26
Points = list[tuple[int, float]]


@dataclass(frozen=True, slots=True)
class Value:
    """One measured number with its name."""

    name: str
    value: float


def plot(values: Sequence[Value], unit: str) -> str:
    """Return an SVG element: lines over the rows where the names speak of rows, else a bar a value."""
    series = by_rows(values)
    if series and max(len(points) for points in series.values()) > 1:
        return _lines(series, unit)
    return _bars(values, unit)


def by_rows(values: Sequence[Value]) -> dict[str, Points]:
    """Return the points (rows, value) of each series: a name without its "N rows". Empty when one name has no rows."""
    series: dict[str, Points] = {}
    for entry in values:
        match = _ROWS.search(entry.name)
        if match is None:
            return {}
        rest = re.sub(r"\s*,\s*(?=,|$)|^\s*,\s*", "", _ROWS.sub("", entry.name)).strip() or "value"
        series.setdefault(rest, []).append((int(match[1]), entry.value))
    return {name: sorted(points) for name, points in series.items()}


def _lines(series: Mapping[str, Points], unit: str) -> str:
    rows = sorted({row for points in series.values() for row, _ in points})
    top = _nice(max(value for points in series.values() for _, value in points))
    height = _HEIGHT + 18 * len(series)
    parts = [*_axis(top, unit), *_ticks(rows)]
    for number, (name, points) in enumerate(series.items()):
        places = [(_x(row, rows), _y(value, top), value) for row, value in points]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in places)
        parts.append(f'<polyline class="line s{number % 6}" points="{path}"/>')
        for x, y, value in places:
            title = escape(f"{name}: {value:g} {unit}")
            parts.append(
                f'<circle class="dot s{number % 6}" cx="{x:.1f}" cy="{y:.1f}" r="4"><title>{title}</title></circle>'
            )
        y = _HEIGHT + 18 * number + 6
        parts.append(f'<rect class="dot s{number % 6}" x="{_LEFT}" y="{y - 9}" width="12" height="10"/>')
        parts.append(f'<text x="{_LEFT + 18}" y="{y}">{escape(name)}</text>')
    return _svg(height, parts, f"{unit} over rows")


def _axis(top: float, unit: str) -> Iterator[str]:
    for step in range(5):
        value = top * step / 4
        y = _y(value, top)
        yield f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
        yield f'<text class="end" x="{_LEFT - 8}" y="{y + 4:.1f}">{value:g}</text>'
    yield f'<text x="4" y="{_TOP - 2}">{escape(unit)}</text>'


def _ticks(rows: Sequence[int]) -> Iterator[str]:
    for row in rows:
        yield f'<text class="middle" x="{_x(row, rows):.1f}" y="{_HEIGHT - _BOTTOM + 18}">{row}</text>'
    yield f'<text class="middle" x="{(_WIDTH + _LEFT) / 2:.1f}" y="{_HEIGHT - 10}">rows</text>'


def _bars(values: Sequence[Value], unit: str) -> str:
    top = max((entry.value for entry in values), default=0) or 1.0
    width = _WIDTH - _LEFT - _RIGHT - 90
    parts = []
    for number, entry in enumerate(values):
        y = _TOP + number * 2 * _BAR
        length = max(entry.value, 0) / top * width
        parts.append(f'<text x="4" y="{y + 10}">{escape(entry.name)}</text>')
        parts.append(f'<rect class="dot s0" x="4" y="{y + 16}" width="{length:.1f}" height="14"/>')
        parts.append(f'<text x="{length + 12:.1f}" y="{y + 28}">{entry.value:g} {escape(unit)}</text>')
    return _svg(_TOP + len(values) * 2 * _BAR, parts, f"values in {unit}")


def _svg(height: int, parts: Sequence[str], label: str) -> str:
    head = f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{escape(label)}">'
    return head + "".join(parts) + "</svg>"


def _x(row: int, rows: Sequence[int]) -> float:
    low, high = math.log2(max(rows[0], 1)), math.log2(max(rows[-1], 2))
    share = (math.log2(max(row, 1)) - low) / (high - low) if high > low else 0.5
    return _LEFT + 20 + share * (_WIDTH - _LEFT - _RIGHT - 40)


def _y(value: float, top: float) -> float:
    return _HEIGHT - _BOTTOM - max(value, 0) / top * (_HEIGHT - _BOTTOM - _TOP)


def _nice(value: float) -> float:
    """Return the smallest of 1, 2, 4, 5, 8 or 10 times a power of ten that is not below `value`."""
    if value <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in (1, 2, 4, 5, 8, 10) if step * power >= value)
