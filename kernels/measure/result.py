"""What was measured: its form as JSON, and as a table. Standard library only."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Final

from ..record import write_bytes
from .statistics import paired_ratio

SCHEMA: Final = 1
KIND: Final = "pinproof gather measurement"


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to gather: transport `pull` or `push` of the triton backend, or the torch backend as `torch`.

    `row_blocks` is 0 for torch, which has none.
    """

    transport: str
    row_blocks: int = 0

    @classmethod
    def parse(cls, text: str) -> Variant:
        """Read `push:8` or `torch`. Raises `ValueError`."""
        transport, _, blocks = text.partition(":")
        if transport == "torch" and not blocks:
            return cls("torch")
        if transport in ("pull", "push") and blocks.isdecimal() and 1 <= int(blocks) <= 64:
            return cls(transport, int(blocks))
        raise ValueError(f"{text!r} is no variant, expected torch, or pull or push with row blocks such as push:8")

    def __str__(self) -> str:
        return f"{self.transport}:{self.row_blocks}" if self.row_blocks else self.transport


@dataclass(frozen=True, slots=True)
class Line:
    """The samples at one number of rows.

    Attributes:
        rows: physical rows.
        samples: variant -> microseconds a gather, in the order in which they alternated.
        exact: variant -> whether every byte was right before and after.
    """

    rows: int
    samples: Mapping[str, tuple[float, ...]]
    exact: Mapping[str, bool]


@dataclass(frozen=True, slots=True)
class Result:
    """One measurement.

    Attributes:
        world: number of ranks.
        emulated: whether the ranks were emulated on one GPU.
        topology: how the ranks were connected, in words.
        device: the GPU as its driver names it, or the processor.
        date: UTC, `2026-12-01T13:00:00Z`.
        command: that repeats it.
        versions: name -> version of what the numbers depend on.
        telemetry: clocks, power, temperature and throttle reasons before and after, or why they are not recorded.
        gathers: a CUDA graph.
        lines: by rows.
    """

    world: int
    emulated: bool
    topology: str
    device: str
    date: str
    command: str
    versions: Mapping[str, str]
    telemetry: Mapping[str, Any]
    gathers: int
    lines: tuple[Line, ...]

    @property
    def scope(self) -> str:
        """What the numbers speak of."""
        ranks = f"{self.world} ranks" + (" emulated on one GPU" if self.emulated else f", {self.topology}")
        return f"component, {ranks}; says nothing about a whole model"

    @property
    def samples(self) -> int:
        """How many each variant has at least; 0 where nothing was measured."""
        return min((len(taken) for line in self.lines for taken in line.samples.values()), default=0)

    def encode(self) -> bytes:
        """Return the JSON: ASCII, sorted keys."""
        data = {
            "schema": SCHEMA,
            "kind": KIND,
            "scope": self.scope,
            **{name: getattr(self, name) for name in ("world", "emulated", "topology", "device", "date", "command")},
            "versions": dict(self.versions),
            "telemetry": dict(self.telemetry),
            "gathers": self.gathers,
            "lines": [
                {
                    "rows": line.rows,
                    "samples": {name: [round(us, 4) for us in taken] for name, taken in line.samples.items()},
                    "exact": dict(line.exact),
                }
                for line in self.lines
            ],
        }
        return (json.dumps(data, indent=1, sort_keys=True, allow_nan=False) + "\n").encode("ascii")

    def write(self, path: Path) -> None:
        write_bytes(path, self.encode())


def decode(data: bytes) -> Result:
    """Read what `Result.encode` wrote. Raises `ValueError` for anything else."""
    try:
        read = json.loads(data)
        if read["schema"] != SCHEMA or read["kind"] != KIND:
            raise ValueError(f"schema {read['schema']!r} of {read['kind']!r}, expected {SCHEMA} of {KIND!r}")
        lines = tuple(
            Line(
                int(line["rows"]),
                {str(name): tuple(map(float, taken)) for name, taken in line["samples"].items()},
                {str(name): value is True for name, value in line["exact"].items()},
            )
            for line in read["lines"]
        )
        words = {name: str(read[name]) for name in ("topology", "device", "date", "command")}
        return Result(
            world=int(read["world"]),
            emulated=read["emulated"] is True,
            versions={str(name): str(value) for name, value in read["versions"].items()},
            telemetry=dict(read["telemetry"]),
            gathers=int(read["gathers"]),
            lines=lines,
            **words,
        )
    except (KeyError, TypeError, AttributeError, RecursionError, UnicodeDecodeError) as error:
        raise ValueError(f"it is no gather measurement: {type(error).__name__}: {error}") from None


def table(result: Result, against: str) -> str:
    """Return the measurement as text: a line a variant and number of rows, its ratio to `against` at these rows."""
    head = [
        f"{result.device}, {result.date}; {result.scope}",
        f"{'rows':>4}  {'variant':<8}  {'us a gather':>11}  {'exact':<5}  ratio to {against} [95 %]",
    ]
    return "\n".join([*head, *(text for line in result.lines for text in _rows(line, against))]) + "\n"


def _rows(line: Line, against: str) -> Sequence[str]:
    found = []
    for name, taken in line.samples.items():
        said = ""
        if not line.exact[name]:
            said = "not compared: it gathered wrong bytes"
        elif name != against and against in line.samples:
            ratio = paired_ratio(taken, line.samples[against])
            said = f"{ratio}, {ratio.verdict}"
        exact = "yes" if line.exact[name] else "NO"
        found.append(f"{line.rows:>4}  {name:<8}  {median(taken):>11.3f}  {exact:<5}  {said}".rstrip())
    return found
