"""`pinproof landed`."""

from __future__ import annotations

from pathlib import Path

import click

from ..cli import emit
from ..config import Config
from ..document import Document
from ..files import InputError
from ..git import Repository
from ..git_error import GitError
from ..landed import render
from ..landed.goal import goal
from ..landed.search import landings, read_change
from ..project import PYPROJECT


@click.command("landed")
@click.argument("commits", metavar="COMMIT...", nargs=-1, required=True)
@click.option("--on", metavar="BRANCH", help="Where it counts; [tool.pinproof] base or the remote's main by default.")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", help="Output form.")
@click.option("--output", type=click.Path(path_type=Path), help="Write to a file, whole or not at all.")
def landed_command(commits: tuple[str, ...], on: str | None, format_: str, output: Path | None) -> int:
    """Tell whether each COMMIT, or range OLDER..NEWER, is on a branch of the repository in this folder.

    By ancestry; else by patch identity, as rebasing, cherry-picking and squashing keep it; else hunk by hunk in the
    files. Nothing is fetched: a branch is as old as the last fetch.

    Exits with 0 when everything landed, 1 when something did not or it cannot be told, 2 for unusable input or usage.
    """
    try:
        repository = Repository(Path())
        branch = goal(repository, on, _configured())
        wanted = [read_change(repository, name) for name in commits]
        found = landings(repository, wanted, branch.commit)
    except GitError as error:
        hint = "name commits and a branch that this clone has, or fetch them first"
        raise InputError("landed", str(error), hint=hint) from None
    emit((render.as_json if format_ == "json" else render.as_text)(found, branch), output)
    return int(not all(landing.answer.is_landed for landing in found))


def _configured() -> str | None:
    try:
        return Config.load(Document.read(Path(), PYPROJECT)).base
    except FileNotFoundError:
        return None
