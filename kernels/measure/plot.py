"""Latency against rows, a line a variant. Needs matplotlib, which is loaded here."""

from __future__ import annotations

import os
import tempfile
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import Any

from .result import Result

FORMATS = ("png", "svg")


def plot_format(path: Path) -> str:
    """Return `png` or `svg`, by the name's ending. Raises `ValueError` for another."""
    form = path.suffix.removeprefix(".").lower()
    if form not in FORMATS:
        raise ValueError(f"{path} ends in {path.suffix!r}, expected .png or .svg")
    return form


def plot(result: Result, path: Path) -> None:
    """Write the plot as PNG or SVG, by the name's ending; whole or not at all.

    Raises:
        ValueError: the name ends in something else.
        ModuleNotFoundError: matplotlib is not installed.
    """
    form = plot_format(path)
    matplotlib: Any = import_module("matplotlib")
    matplotlib.use("Agg")
    pyplot: Any = import_module("matplotlib.pyplot")
    figure, axes = pyplot.subplots(figsize=(8, 5), layout="constrained")
    names = list(dict.fromkeys(name for line in result.lines for name in line.samples))
    for name in names:
        points = [(line.rows, median(line.samples[name])) for line in result.lines if name in line.samples]
        axes.plot(*zip(*points, strict=True), marker="o", label=name)
    axes.set(xlabel="rows", ylabel="microseconds a gather", ylim=(0, None), xticks=[line.rows for line in result.lines])
    axes.set_title(f"paired gather, {result.device}, {result.date[:10]}\n{result.scope}", fontsize=10)
    axes.grid(visible=True, alpha=0.3)
    axes.legend(ncols=2, fontsize=8)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}", suffix=f".{form}")
    os.close(handle)
    try:
        figure.savefig(temporary, format=form, dpi=150)
        Path(temporary).replace(path)
    finally:
        Path(temporary).unlink(missing_ok=True)
        pyplot.close(figure)
