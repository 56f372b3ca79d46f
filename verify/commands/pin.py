"""`pinproof pin`."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from pathlib import Path

import click

from ..config import Config, Pin
from ..context import Context, Options
from ..escape import clean, guard_line
from ..files import InputError
from ..model import Finding, Report, Severity, Status
from ..pinning.edit import edited
from ..pinning.journal import FOLDER, alone, pending, recover, write_all
from ..pinning.relock import Overlay, relocked
from ..pinning.resolve import resolve
from ..project import LOCK, Project
from ..requirement import normal_name
from ..run import run_checks
from ..source import Source


@click.command("pin")
@click.argument("name")
@click.argument("path", required=False, default=".", type=click.Path(path_type=Path))
@click.option("--rev", required=True, metavar="COMMIT|BRANCH|TAG|latest", help="What to pin to.")
@click.option("--dry-run", is_flag=True, help="Show the change, and write nothing.")
@click.option("--online", is_flag=True, help="Ask the remote, and let uv use the network.")
@click.option("--clone", "clones", multiple=True, type=click.Path(path_type=Path), help="Clone to look commits up in.")
@click.option("--config", type=click.Path(path_type=Path), help="Trusted file with [tool.pinproof], used instead.")
@click.option("--timeout", type=click.FloatRange(min=1), default=600.0, show_default=True, help="Seconds for uv.")
def pin_command(
    name: str,
    path: Path,
    rev: str,
    dry_run: bool,
    online: bool,
    clones: tuple[Path, ...],
    config: Path | None,
    timeout: float,
) -> int:
    """Pin the git dependency NAME of the project in the folder PATH to another commit.

    Every place that names it is edited, uv locks that one package anew in a copy, all static checks run on the result,
    and all files are written, or none. It executes uv; no code of the project.

    Exits with 0 when written, 1 when a check finds what it did not find before, 2 for unusable input or usage.
    """
    options = Options(static=True, online=online, clones=clones, timeout=timeout)
    if dry_run:
        if pending(path):
            raise InputError(str(path / FOLDER), "a change was not finished", hint="start once without --dry-run")
        return _change(path, normal_name(name), rev, options, config, dry_run=True)
    with alone(path):
        if recover(path):
            click.echo("an earlier change was not finished: its files are as they were before it", err=True)
        return _change(path, normal_name(name), rev, options, config, dry_run=False)


def _change(path: Path, wanted: str, rev: str, options: Options, config: Path | None, *, dry_run: bool) -> int:
    project = Project.load(path)
    trusted = _config(config, project)
    context = Context(project=project, config=trusted, options=options)
    pin = _pin(context, wanted)
    commit, words = resolve(rev, pin, context)
    old, files = edited(project, trusted, wanted, commit)
    if not files:
        click.echo(f"{wanted} is pinned to {commit} already")
        return 0
    old[LOCK], files[LOCK] = project.lock_document.raw, relocked(context, files, wanted, online=options.online)
    before, after = run_checks(context), _after(context, files, config)
    _show(old, files, f"{wanted}: {commit}, by {words}")
    fresh = _new(before, after)
    for finding in fresh:
        click.echo(
            guard_line(f"{finding.severity}: {finding.message} [{finding.code}] {finding.location or ''}".rstrip())
        )
    for outcome in after.outcomes:
        if outcome.status is Status.NOT_RUN and outcome.check.name in ("reachable", "api"):
            click.echo(guard_line(f"not verified: {outcome.check.name}: {outcome.reason}"))
    if any(finding.severity is Severity.ERROR for finding in fresh):
        click.echo("nothing was written")
        return 1
    if dry_run:
        click.echo("nothing was written (--dry-run)")
        return 0
    write_all(project.root, old, files)
    click.echo(f"wrote {', '.join(clean(path) for path in sorted(files))}")
    return 0


def _config(file: Path | None, project: Project) -> Config:
    from .check import trusted

    return trusted(file) or Config.load(project.pyproject)


def _pin(context: Context, name: str) -> Pin:
    stated = context.config.pins.get(name)
    if stated is not None and stated.git:
        return stated
    for package in context.project.lock.by_name.get(name, ()):
        if isinstance(package.source, Source) and package.source.kind == "git":
            return Pin(name=name, keys=(), git=package.source.location)
    raise InputError(LOCK, f"has no git dependency {name}", hint="name one that pyproject.toml takes from git")


def _after(context: Context, files: Mapping[str, bytes], config: Path | None) -> Report:
    changed = Project(Overlay(context.project.root, files), name=context.project.name)
    own = context.config if config is not None else Config.load(changed.pyproject)
    return run_checks(Context(project=changed, config=own, options=context.options))


def _new(before: Report, after: Report) -> list[Finding]:
    known = {(finding.code, finding.message) for finding in before.findings}
    return [f for f in after.findings if (f.code, f.message) not in known and f.severity is not Severity.INFO]


def _show(old: Mapping[str, bytes], new: Mapping[str, bytes], title: str) -> None:
    click.echo(guard_line(clean(title)))
    for path in sorted(new):
        before, after = (files[path].decode("utf-8", "replace").splitlines() for files in (old, new))
        for line in difflib.unified_diff(before, after, fromfile=path, tofile=path, n=1, lineterm=""):
            click.echo(guard_line(clean(line)))
