"""Where reports go: standard output or a file, further files in other formats, and the job summary."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from .cli import complain, emit
from .files import InputError
from .formats import FORMATS, render
from .model import Report


def report_files(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> tuple[tuple[str, Path], ...]:
    """Read each `FORMAT=FILE` of an option."""
    files = []
    for value in values:
        format_, _mark, path = value.partition("=")
        if format_ not in FORMATS or not path:
            raise click.BadParameter(f"{value!r} is not FORMAT=FILE with a format of {', '.join(FORMATS)}")
        files.append((format_, Path(path)))
    return tuple(files)


def publish(
    reports: Sequence[Report],
    format_: str,
    output: Path | None,
    *,
    files: Sequence[tuple[str, Path]] = (),
    color: str = "auto",
    verbosity: int = 0,
) -> None:
    """Write `reports` as `format_` to `output` or standard output, and each of `files` whole or not at all.

    With the format `github` the job summary is appended to the file that `GITHUB_STEP_SUMMARY` names. Outside `text`,
    a project that could not be read is said on standard error too.
    """
    for name, path in files:
        emit(render(name, reports), path)
    colored = color == "always" or (color == "auto" and output is None and _terminal())
    emit(render(format_, reports, color=colored, verbosity=verbosity), output)
    if format_ == "github" and (summary := os.environ.get("GITHUB_STEP_SUMMARY")):
        _append_summary(Path(summary), reports)
    for report in reports:
        if format_ != "text" and report.error is not None:
            complain(report.error, hint=report.hint)


def _append_summary(path: Path, reports: Sequence[Report]) -> None:
    from .formats.markdown import SUMMARY_LIMIT, shortened

    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(shortened(render("markdown", reports), SUMMARY_LIMIT - file.tell()))
    except OSError as error:
        raise InputError(str(path), f"cannot be written: {error.strerror}") from None


def _terminal() -> bool:
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and sys.stdout.isatty()
