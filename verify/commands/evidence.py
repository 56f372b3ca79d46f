"""`pinproof sign`, `gate`, `report` and `claims`."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from ..checks import CHECKS
from ..cli import emit
from ..evidence import gate, render
from ..evidence.judge import Judged, judge
from ..evidence.record import read_record
from ..evidence.shape import ShapeError
from ..evidence.signature import SUFFIX, SignatureError, sign
from ..evidence.signers import trusted_signers
from ..evidence.target import Target, target
from ..files import InputError, write_whole
from ..git import GitError, Repository

_FILE = click.Path(path_type=Path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Against:
    """What the records are held against, as the options say."""

    project: Path
    commit: str | None
    allowed_signers: Path | None
    config: Path | None
    base: str | None

    def judge(self, paths: Iterable[Path], *, signed: bool = False, target: Target | None) -> list[Judged]:
        signers = trusted_signers(self.project, file=self.allowed_signers, config=self.config, base=self.base)
        if signed and signers is None:
            raise click.UsageError(
                "--signed needs trusted signers: --allowed-signers FILE, --config FILE with a file allowed_signers"
                " beside it, or --base REVISION with evidence/allowed_signers in it"
            )
        return [judge(path, target, signers=signers, signed=signed) for path in _records(paths)]

    def target_if_any(self) -> Target | None:
        """Return the commit to hold records against; None outside of a git checkout."""
        if self.commit is None:
            try:
                Repository(self.project)
            except (GitError, OSError):
                return None
        return target(self.project, self.commit)


def held_against(command: Callable[..., Any]) -> Callable[..., Any]:
    options = (
        click.option("--project", type=_FILE, default=".", help="The project's checkout; here by default."),
        click.option("--commit", metavar="REV", help="The commit that records must be about; HEAD by default."),
        click.option("--allowed-signers", type=_FILE, help="Trusted signers, in the form of ssh-keygen."),
        click.option("--config", type=_FILE, help="Trusted configuration; allowed_signers beside it counts."),
        click.option("--base", metavar="REV", help="Trusted revision; its evidence/allowed_signers counts."),
    )

    @functools.wraps(command)
    def taking_against(*arguments: Any, **others: Any) -> Any:
        names = [field.name for field in dataclasses.fields(Against)]
        return command(*arguments, against=Against(**{name: others.pop(name) for name in names}), **others)

    wrapped: Callable[..., Any] = taking_against
    for option in reversed(options):
        wrapped = option(wrapped)
    return wrapped


def _records(paths: Iterable[Path]) -> Iterable[Path]:
    for path in paths:
        if not path.is_dir():
            yield path
            continue
        inside = sorted(path.glob("*.json"))
        if not inside:
            raise InputError(str(path), "holds no record", hint="name the folder or the files that hold *.json records")
        yield from inside


@click.command("sign")
@click.argument("file", type=_FILE)
@click.option("--key", type=_FILE, required=True, help="Private SSH key, or the public key of one in the agent.")
def sign_command(file: Path, key: Path) -> int:
    """Sign the record FILE with ssh-keygen; the signature goes to FILE.sig."""
    try:
        record = read_record(file)
        signature = sign(record.raw, key)
    except (ShapeError, SignatureError) as error:
        raise InputError(str(file), str(error)) from None
    write_whole(file.with_name(file.name + SUFFIX), signature)
    click.echo(f"signature written to {click.format_filename(file)}{SUFFIX}")
    return 0


@click.command("gate")
@click.argument("evidence", nargs=-1, required=True, type=_FILE)
@click.option("--require", multiple=True, required=True, metavar="NAMES", help="Checks that must have passed.")
@click.option("--signed", is_flag=True, help="Refuse records without a signature of a trusted signer.")
@click.option("--skip-refused", is_flag=True, help="Leave refused records out, instead of failing for them.")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", help="Output form.")
@click.option("--output", type=_FILE, help="Write to a file, whole or not at all.")
@held_against
def gate_command(
    evidence: tuple[Path, ...],
    require: tuple[str, ...],
    signed: bool,
    skip_refused: bool,
    format_: str,
    output: Path | None,
    against: Against,
) -> int:
    """Combine the records EVIDENCE (files, or folders of *.json) and fail unless every required check passed.

    Exits with 0 when the gate opens, 1 when it does not, 2 for unusable input or usage.
    """
    held = target(against.project, against.commit)
    judged = against.judge(evidence, signed=signed, target=held)
    required = [name.strip() for names in require for name in names.split(",")]
    _require_known(required, judged)
    verdict = gate.combine(held.commit, judged, required, skip_refused=skip_refused)
    emit(render.verdict_json(verdict) if format_ == "json" else render.verdict_text(verdict), output)
    return 0 if verdict.opens else 1


def _require_known(names: Iterable[str], judged: Iterable[Judged]) -> None:
    known = {check.name for check in CHECKS}
    known |= {check.name for entry in judged if entry.record for check in entry.record.checks}
    for name in names:
        if name not in known:
            raise click.UsageError(f"no check is called {name!r}; there are {', '.join(sorted(known))}")


@click.command("report")
@click.argument("evidence", nargs=-1, required=True, type=_FILE)
@click.option("--format", type=click.Choice(["markdown"]), default="markdown", expose_value=False, help="Output form.")
@click.option("--output", type=_FILE, help="Write to a file, whole or not at all.")
@held_against
def report_command(evidence: tuple[Path, ...], output: Path | None, against: Against) -> int:
    """Write the validation section of a pull request from the records EVIDENCE: what ran, where, and what did not."""
    from ..evidence.markdown import validation_section

    held = against.target_if_any()
    judged = against.judge(evidence, target=held)
    emit(validation_section(judged, held.commit if held else None), output)
    return 0
