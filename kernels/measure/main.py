"""The commands `bench gather` and `tune gather`."""

from __future__ import annotations

import argparse
import importlib.util
import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..record import write_bytes
from .plot import plot, plot_format
from .result import Result, Variant, table
from .tuning import choose, policy_table

if TYPE_CHECKING:
    from .harness import Harness

ROWS = (1, 2, 4, 8, 16)
BLOCKS = (1, 2, 4, 8)
USUAL = tuple(str(Variant(transport, blocks)) for transport in ("pull", "push") for blocks in BLOCKS)
_NOT_RUN = 2


class NotRunError(Exception):
    """Nothing can be measured here; the message is the reason."""


def main(arguments: Sequence[str], program: str = "python -m pinproof.kernels.measure") -> int:
    """Run `bench` or `tune` and return the exit code.

    0; 1 where a variant gathered wrong bytes; 2 for bad usage or where nothing can be measured.
    """
    parser = _parser(program)
    given = parser.parse_args(arguments)
    try:
        return _run(given, f"{program} {shlex.join(arguments)}")
    except (NotRunError, ValueError, OSError) as error:
        print(f"{'not run' if isinstance(error, NotRunError) else 'error'}: {error}", file=sys.stderr)
        return _NOT_RUN


def _parser(program: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=program,
        description="Measure the paired gather: alternating samples of the variants, 64 gathers a CUDA graph, the "
        "slowest rank counts, outputs compared before and after. Without torchrun the ranks are emulated on one GPU; "
        "under torchrun each process is a rank.",
    )
    commands = parser.add_subparsers(dest="command", required=True)
    for name, help_ in (("bench", "measure and compare"), ("tune", "measure and write a policy table")):
        command = commands.add_parser(name, help=help_, description=f"{help_}.".capitalize())
        command.add_argument("what", choices=["gather"])
        command.add_argument("--world", type=int, default=16, help="emulated ranks: 2, 4, 8 or 16 (default 16)")
        command.add_argument("--rows", type=_numbers, default=ROWS, help="numbers of rows (default 1,2,4,8,16)")
        command.add_argument(
            "--variants", type=_variants, default=_variants(",".join(USUAL)), help=f"default {','.join(USUAL)}"
        )
        command.add_argument("--samples", type=_positive, default=25, help="of each variant (default 25)")
        command.add_argument("--replays", type=_positive, default=10, help="of the graph a sample (default 10)")
        command.add_argument("--gathers", type=_positive, default=64, help="a CUDA graph (default 64)")
        command.add_argument("--json", type=Path, required=name == "tune", help="write the measurement here")
        command.add_argument("--plot", type=Path, action="append", default=[], help="write a plot: .png or .svg")
        if name == "tune":
            command.add_argument("--table", type=Path, required=True, help="write the policy table here")
            command.add_argument(
                "--root", type=Path, default=Path(), help="the project's root, which --json lies below (default here)"
            )
        else:
            command.add_argument("--against", help="the variant that ratios are to (default the first)")
    return parser


def _run(given: argparse.Namespace, command: str) -> int:
    if given.command == "tune" and "pull:1" not in map(str, given.variants):
        raise ValueError("--variants lacks pull:1, which all else is held against")
    against = str(getattr(given, "against", None) or given.variants[0])
    if against not in map(str, given.variants):
        raise ValueError(
            f"--against {against} is none of --variants, expected one of {', '.join(map(str, given.variants))}"
        )
    for path in given.plot:
        plot_format(path)
    evidence = _below(given.json, given.root) if given.command == "tune" else ""
    harness, first = _harness(given)
    from .session import measure

    result = measure(
        harness,
        given.rows,
        given.variants,
        samples=given.samples,
        replays=given.replays,
        command=command,
        progress=(lambda text: print(text, file=sys.stderr)) if first and sys.stderr.isatty() else (lambda _: None),
    )
    if first:
        _report(given, result, against, evidence)
    if not harness.emulated:
        import torch.distributed

        torch.distributed.destroy_process_group()
    return 0 if all(all(line.exact.values()) for line in result.lines) else 1


def _report(given: argparse.Namespace, result: Result, against: str, evidence: str) -> None:
    print(table(result, against), end="")
    for path in given.plot:
        try:
            plot(result, path)
        except ModuleNotFoundError:
            print(f"not run: {path} needs matplotlib", file=sys.stderr)
    if given.command == "tune":
        encoded = result.encode()
        text = policy_table(result, evidence, encoded)
        write_bytes(given.json, encoded)
        write_bytes(given.table, text)
        choice = choose(result)
        kept = (
            ", ".join(f"{blocks} at {rows} rows" for rows, blocks in sorted(choice.table.items())) or "one everywhere"
        )
        print(f"{given.table}: transport {choice.transport}, row blocks {kept}; the reviewed default stays the default")
    elif given.json:
        result.write(given.json)


def _below(path: Path, root: Path) -> str:
    try:
        return path.resolve().relative_to(root.resolve()).as_posix()
    except ValueError:
        raise ValueError(f"--json {path} is not below the project's root {root}") from None


def _harness(given: argparse.Namespace) -> tuple[Harness, bool]:
    """Return where to measure, and whether this process reports."""
    if importlib.util.find_spec("torch") is None:
        raise NotRunError("torch is not installed")
    from .rank_streams import prepare_environment

    prepare_environment()
    import torch

    if "WORLD_SIZE" in os.environ:
        from .harness import ProcessHarness, process_group

        device = process_group()
        return ProcessHarness(device, gathers=given.gathers), os.environ.get("RANK", "0") == "0"
    if not torch.cuda.is_available():
        raise NotRunError("there is no CUDA device to emulate ranks on; start several processes with torchrun")
    if importlib.util.find_spec("triton") is None:
        raise NotRunError("triton is not installed")
    from .harness import EmulatedHarness

    return EmulatedHarness(given.world, gathers=given.gathers), True


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(_positive(part) for part in text.split(","))


def _positive(text: str) -> int:
    number = int(text) if text.isdecimal() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive integer")
    return number


def _variants(text: str) -> tuple[Variant, ...]:
    try:
        return tuple(Variant.parse(part) for part in text.split(","))
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
