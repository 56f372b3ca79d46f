"""`pinproof init` and `pinproof schema`."""

from __future__ import annotations

import difflib
import json
from pathlib import Path

import click

from ..cli import emit
from ..escape import clean, guard_line
from ..files import InputError, write_whole
from ..initial import Initial, initial
from ..project import PYPROJECT, Project
from ..run import check
from ..schema import schema


@click.command("init")
@click.argument("path", default=".", type=click.Path(path_type=Path))
@click.option("--dry-run", is_flag=True, help="Print the new section; write nothing.")
@click.option("--diff", is_flag=True, help="Print the change of pyproject.toml; write nothing.")
def init_command(path: Path, dry_run: bool, diff: bool) -> int:
    """Write [tool.pinproof] into the pyproject.toml of the project PATH.

    It states the git pins that are declared by a full commit, and allows the hosts that uv.lock names. The rest of the
    file stays byte for byte as it is. Read what it wrote: whether these commits were reviewed only you can know.
    """
    project = Project.load(path)
    made = initial(project)
    _require_agreement(path)
    if diff:
        _print_diff(project.pyproject.text, made)
    elif dry_run:
        click.echo(made.section, nl=False)
    else:
        write_whole((project.root / PYPROJECT).resolve(), made.raw)
        click.echo(f"wrote [tool.pinproof] into {click.format_filename(path / PYPROJECT)}")
    for note in made.notes:
        click.echo(guard_line(f"note: {clean(note)}"), err=True)
    return 0


def _require_agreement(path: Path) -> None:
    wrong = check(path, select=["pins"]).findings
    if wrong:
        hint = "run `pinproof check --static --select pins`, and find out which place is right, first"
        raise InputError(PYPROJECT, f"and uv.lock disagree, so no pin can be stated: {wrong[0].message}", hint=hint)


def _print_diff(before: str, made: Initial) -> None:
    after = made.raw.decode().removeprefix("\ufeff")
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), PYPROJECT, PYPROJECT, lineterm="")
    for line in lines:
        click.echo(guard_line(clean(line)))


@click.command("schema")
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), help="Write to a file, whole or not at all.")
def schema_command(output: Path | None) -> int:
    """Print the JSON Schema of the table [tool.pinproof], for editors."""
    emit(json.dumps(schema(), indent=2) + "\n", output)
    return 0
