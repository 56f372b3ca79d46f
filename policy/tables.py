"""Launch policies that were measured: TOML tables with the provenance of their numbers.

The reviewed policy `pinproof.policy.row_blocks` stays the default. A table takes its place only where a caller passes
it.

```toml
schema = 1
transport = "pull"                  # which the numbers below were measured with
default = 1                         # row blocks at every row capacity that is not listed

[row-blocks]
8 = 2                               # row capacity = row blocks

[provenance]
device = "NVIDIA H200"
topology = "16 ranks emulated on one GPU"
world = 16
emulated = true
date = 2026-12-01T08:00:00Z
samples = 25
versions = { pinproof = "0.1.0", torch = "2.11.0", triton = "3.6.0" }
evidence = "evidence/tune-h200.json"   # the measurements, a path below the table's project
evidence-sha256 = "..."
```
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Any, Final, SupportsIndex

from pinproof.policy._rows import row_capacity

SCHEMA: Final = 1
TRANSPORTS: Final = ("pull", "push")
MAX_ROW_CAPACITY: Final = 1 << 20
MAX_ROW_BLOCKS: Final = 64
"""What the kernels launch at most."""

MAX_BYTES: Final = 1 << 20

_CAPACITY: Final = re.compile(r"[1-9][0-9]{0,6}")
_SHA256: Final = re.compile(r"[0-9a-f]{64}")


class PolicyError(ValueError):
    """A table that cannot be used; the message names the file and every problem by its key."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where the numbers of a table come from.

    Attributes:
        device: the GPU as its driver names it.
        topology: how the ranks were connected.
        world: how many ranks gathered.
        emulated: whether the ranks were emulated on one GPU.
        date: when it was measured, with time zone.
        samples: alternating samples of each variant.
        versions: name -> version of what the numbers depend on.
        evidence: path of the measurements, relative to the project's root.
        evidence_sha256: of that file.
    """

    device: str
    topology: str
    world: int
    emulated: bool
    date: datetime
    samples: int
    versions: Mapping[str, str]
    evidence: str
    evidence_sha256: str


@dataclass(frozen=True, slots=True)
class LaunchPolicy:
    """A validated table.

    Attributes:
        transport: of the triton backend, which the table was measured with.
        default: row blocks at every row capacity that is not listed.
        table: row capacity -> row blocks.
        provenance: where the numbers come from.
        digest: SHA-256 of the whole content, in hexadecimal; the same for files that differ in blanks, comments or
            order only. Ranks compare it.
    """

    transport: str
    default: int
    table: Mapping[int, int]
    provenance: Provenance
    digest: str
    _blocks: dict[int, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_blocks", dict(self.table))

    def row_blocks(self, rows: SupportsIndex) -> int:
        """Return how many thread blocks share one paired gather of `rows` physical rows. A pure function of the rows.

        Raises:
            TypeError: `rows` is a bool, or has no `__index__`.
            ValueError: `rows` is zero or negative.
        """
        if type(rows) is int and rows > 0:
            return self._blocks.get(rows, self.default)
        return self._blocks.get(row_capacity(rows), self.default)


def load(path: str | Path) -> LaunchPolicy:
    """Return the policy in the TOML file `path`.

    The evidence is not looked at: `pinproof check` compares it with the table.

    Raises:
        PolicyError: it is no valid table; names the file and every problem.
        OSError: the file cannot be read.
    """
    with Path(path).open("rb") as file:
        content = file.read(MAX_BYTES + 1)
    return loads(content, str(path))


def loads(content: bytes, name: str = "the policy table") -> LaunchPolicy:
    """Return the policy in `content`, the bytes of a TOML file; `name` stands for the file in messages.

    Raises:
        PolicyError: it is no valid table; names every problem.
    """
    if len(content) > MAX_BYTES:
        raise PolicyError(f"{name}: the file has more than {MAX_BYTES} bytes")
    try:
        data = tomllib.loads(content.decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise PolicyError(f"{name}: not TOML: {error}") from None
    reader = _Reader()
    policy = _policy(reader, data)
    if reader.problems or policy is None:
        raise PolicyError("\n".join(f"{name}: {problem}" for problem in reader.problems))
    return policy


class _Reader:
    """Takes values out of tables and collects what is wrong with them."""

    def __init__(self) -> None:
        self.problems: list[str] = []

    def problem(self, key: str, found: object, expected: str) -> None:
        self.problems.append(f"{key} is {found!r}, expected {expected}")

    def table(self, data: Mapping[str, Any], key: str) -> dict[str, Any]:
        value = data.get(key)
        if isinstance(value, dict):
            return dict(value)
        self._wrong(key, data, key, "a table")
        return {}

    def only(self, data: Mapping[str, Any], known: tuple[str, ...], prefix: str = "") -> None:
        self.problems += [f"{prefix}{key} is unknown, expected {', '.join(known)}" for key in data if key not in known]

    def integer(self, data: Mapping[str, Any], key: str, most: int, prefix: str = "") -> int:
        value = data.get(key)
        if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= most:
            return value
        self._wrong(key, data, prefix + key, f"an integer from 1 to {most}")
        return 1

    def text(self, data: Mapping[str, Any], key: str, prefix: str = "") -> str:
        value = data.get(key)
        if isinstance(value, str) and value.strip() and value.isprintable():
            return value
        self._wrong(key, data, prefix + key, "printable text on one line")
        return ""

    def _wrong(self, key: str, data: Mapping[str, Any], shown: str, expected: str) -> None:
        if key in data:
            self.problem(shown, data[key], expected)
        else:
            self.problems.append(f"{shown} is missing, expected {expected}")


def _policy(reader: _Reader, data: dict[str, Any]) -> LaunchPolicy | None:
    if data.get("schema") != SCHEMA or isinstance(data["schema"], bool):
        reader.problem("schema", data.get("schema"), f"{SCHEMA}; this pinproof reads no other")
        return None
    reader.only(data, ("schema", "transport", "default", "row-blocks", "provenance"))
    transport = reader.text(data, "transport")
    if transport and transport not in TRANSPORTS:
        reader.problem("transport", transport, " or ".join(TRANSPORTS))
    return LaunchPolicy(
        transport=transport,
        default=reader.integer(data, "default", MAX_ROW_BLOCKS),
        table=MappingProxyType(_table(reader, reader.table(data, "row-blocks"))),
        provenance=_provenance(reader, reader.table(data, "provenance")),
        digest=hashlib.sha256(json.dumps(data, sort_keys=True, default=str).encode()).hexdigest(),
    )


def _table(reader: _Reader, rows: dict[str, Any]) -> dict[int, int]:
    found = {}
    for key in rows:
        blocks = reader.integer(rows, key, MAX_ROW_BLOCKS, "row-blocks.")
        if _CAPACITY.fullmatch(key) and int(key) <= MAX_ROW_CAPACITY:
            found[int(key)] = blocks
        else:
            reader.problems.append(
                f"row-blocks has the key {key!r}, expected a row capacity from 1 to {MAX_ROW_CAPACITY}"
            )
    return found


def _provenance(reader: _Reader, data: dict[str, Any]) -> Provenance:
    prefix = "provenance."
    known = ("device", "topology", "world", "emulated", "date", "samples", "versions", "evidence", "evidence-sha256")
    reader.only(data, known, prefix)
    date, emulated, versions = data.get("date"), data.get("emulated"), data.get("versions")
    if not isinstance(date, datetime) or date.tzinfo is None:
        reader.problem(f"{prefix}date", date, "a date and time with a time zone, such as 2026-12-01T08:00:00Z")
        date = datetime(1, 1, 1, tzinfo=UTC)
    if not isinstance(emulated, bool):
        reader.problem(f"{prefix}emulated", emulated, "true or false")
    if not isinstance(versions, dict) or not versions or not all(isinstance(value, str) for value in versions.values()):
        reader.problem(f"{prefix}versions", versions, "a table of names and versions, not empty")
        versions = {}
    evidence = reader.text(data, "evidence", prefix)
    path = PurePosixPath(evidence)
    if evidence and (path.is_absolute() or ".." in path.parts or "\\" in evidence):
        reader.problem(f"{prefix}evidence", evidence, "a path inside the project")
    digest = reader.text(data, "evidence-sha256", prefix)
    if digest and not _SHA256.fullmatch(digest):
        reader.problem(f"{prefix}evidence-sha256", digest, "64 hexadecimal digits in lower case")
    return Provenance(
        device=reader.text(data, "device", prefix),
        topology=reader.text(data, "topology", prefix),
        world=reader.integer(data, "world", 1024, prefix),
        emulated=bool(emulated),
        date=date,
        samples=reader.integer(data, "samples", 1_000_000, prefix),
        versions=MappingProxyType(dict(versions)),
        evidence=evidence,
        evidence_sha256=digest,
    )
