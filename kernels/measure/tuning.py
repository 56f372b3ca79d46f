"""A launch policy from measurements: what is kept, and the table that says so. Standard library only."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from statistics import median

from pinproof.policy import loads

from .result import Line, Result, Variant
from .statistics import paired_ratio

_TRANSPORTS = ("pull", "push")


@dataclass(frozen=True, slots=True)
class Choice:
    """What the measurements support: the transport, and the row capacities at which more than one block is kept."""

    transport: str
    table: dict[int, int]


def choose(result: Result) -> Choice:
    """Return what `result` supports.

    More row blocks than one are kept at a row capacity only if they gathered the right bytes and were faster than one
    block of the same transport beyond their interval. `push` is kept only if, each with its row blocks, it was faster
    than `pull` beyond its interval at every row capacity.

    Raises:
        ValueError: a row capacity lacks one row block of `pull`, or it gathered wrong bytes.
    """
    blocks = {transport: {line.rows: _blocks(line, transport) for line in result.lines} for transport in _TRANSPORTS}
    for line in result.lines:
        if blocks["pull"][line.rows] == 0:
            raise ValueError(f"at {line.rows} rows pull:1, which all else is held against, has no right samples")
    push = bool(result.lines) and all(_push_is_faster(line, blocks) for line in result.lines)
    chosen = blocks["push" if push else "pull"]
    return Choice("push" if push else "pull", {rows: number for rows, number in chosen.items() if number > 1})


def _blocks(line: Line, transport: str) -> int:
    """Return the row blocks kept for a transport; 0 where one block was not measured, or gathered wrong bytes."""
    one = str(Variant(transport, 1))
    if not line.exact.get(one, False):
        return 0
    kept = {1: line.samples[one]}
    for name, taken in line.samples.items():
        variant = Variant.parse(name)
        able = variant.transport == transport and variant.row_blocks > 1 and line.exact[name]
        if able and paired_ratio(taken, line.samples[one]).verdict == "faster":
            kept[variant.row_blocks] = taken
    return min(kept, key=lambda number: (median(kept[number]), number))


def _push_is_faster(line: Line, blocks: dict[str, dict[int, int]]) -> bool:
    pull, push = (blocks[transport][line.rows] for transport in _TRANSPORTS)
    if push == 0:
        return False
    taken, against = line.samples[f"push:{push}"], line.samples[f"pull:{pull}"]
    return paired_ratio(taken, against).verdict == "faster"


def policy_table(result: Result, evidence: str, encoded: bytes) -> bytes:
    """Return the TOML table for `pinproof.policy.load`.

    Args:
        result: the measurement.
        evidence: its path below the project's root, with forward slashes.
        encoded: its bytes.

    Raises:
        ValueError: as `choose`.
        PolicyError: the provenance does not make a valid table.
    """
    choice = choose(result)
    text = json.dumps
    versions = ", ".join(f"{text(name)} = {text(value)}" for name, value in sorted(result.versions.items()))
    lines = [
        f"# {result.scope}.",
        "# Row blocks above one are faster than one beyond a 95 % interval; what is not listed has one.",
        "schema = 1",
        f"transport = {text(choice.transport)}",
        "default = 1",
        "",
        "[row-blocks]",
        *(f"{rows} = {number}" for rows, number in sorted(choice.table.items())),
        "",
        "[provenance]",
        f"device = {text(result.device)}",
        f"topology = {text(result.topology)}",
        f"world = {result.world}",
        f"emulated = {text(result.emulated)}",
        f"date = {result.date}",
        f"samples = {result.samples}",
        f"versions = {{ {versions} }}",
        f"evidence = {text(evidence)}",
        f"evidence-sha256 = {text(hashlib.sha256(encoded).hexdigest())}",
    ]
    data = ("\n".join(lines) + "\n").encode()
    loads(data)
    return data
