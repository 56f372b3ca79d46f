"""Every measured policy table is valid, and says what its evidence says.

A launch policy that `pinproof tune gather` wrote names the measurement that it comes from, with its digest. A table
that was changed by hand, or whose measurement was, is no longer what was measured. Each table that
`[tool.pinproof] tables` lists is read as `pinproof.policy.load` reads it; its evidence is read, compared with the
digest, and the choice is made again from its samples. The reviewed policy is not concerned: it is the default, and
stays it.

Example: `policy/h200.toml` has `8 = 4`, and the samples of `evidence/h200.json` make it `8 = 8`.

Fix: measure again (`pinproof tune gather`), or restore table and evidence.

How to allow: not at all; take the table out of `tables`, and nothing is said of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC
from typing import TYPE_CHECKING

from ..context import Context
from ..files import InputError
from ..model import Case, Finding, Location, NotRun, Related, Status, Tally
from ..words import counted

if TYPE_CHECKING:
    from pinproof.policy import LaunchPolicy

CODE = "POL003"
_HINT = "measure again with `pinproof tune gather`, or restore the table and its evidence"


def run(context: Context) -> Iterator[Finding | Tally]:
    paths = context.config.tables
    if not paths:
        raise NotRun("[tool.pinproof] tables lists none")
    cases = []
    for path in paths:
        problems = list(_table(context, path))
        for problem, at in problems:
            related = (Related(Location(at), "its evidence"),) if at != path else ()
            yield Finding(code=CODE, message=f"{path}: {problem}", location=Location(path), related=related, hint=_HINT)
        status = Status.FAILED if problems else Status.PASSED
        cases.append(Case(name=path, status=status, reason=problems[0][0] if problems else ""))
    yield Tally(detail=f"{counted(len(paths), 'table')} compared with evidence", cases=tuple(cases))


def _table(context: Context, path: str) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with a table, and in which file."""
    from pinproof.policy import PolicyError, loads

    try:
        policy = loads(context.project.tree.read(path), path)
    except FileNotFoundError:
        yield "does not exist", path
        return
    except InputError as error:
        yield str(error), path
        return
    except PolicyError as error:
        yield from ((line.removeprefix(f"{path}: "), path) for line in str(error).splitlines())
        return
    yield from ((problem, policy.provenance.evidence) for problem in _evidence(context, policy))


def _evidence(context: Context, policy: LaunchPolicy) -> Iterator[str]:
    import hashlib

    from pinproof.kernels.measure.result import decode
    from pinproof.kernels.measure.tuning import choose

    where = policy.provenance
    try:
        data = context.project.tree.read(where.evidence)
    except FileNotFoundError:
        yield f"its evidence {where.evidence} does not exist"
        return
    except InputError as error:
        yield f"its evidence cannot be read: {error}"
        return
    digest = hashlib.sha256(data).hexdigest()
    if digest != where.evidence_sha256:
        yield f"its evidence {where.evidence} has the digest {digest}, expected {where.evidence_sha256}"
        return
    try:
        result = decode(data)
        choice = choose(result)
    except ValueError as error:
        yield f"its evidence {where.evidence} cannot be used: {error}"
        return
    for name, ours, theirs in (
        ("transport", policy.transport, choice.transport),
        ("default", policy.default, 1),
        ("row blocks", dict(policy.table), choice.table),
        ("device", where.device, result.device),
        ("world", where.world, result.world),
        ("emulated", where.emulated, result.emulated),
        ("topology", where.topology, result.topology),
        ("date", where.date.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"), result.date),
        ("samples", where.samples, result.samples),
        ("versions", dict(where.versions), dict(result.versions)),
    ):
        if ours != theirs:
            yield f"its {name} is {ours}, and its evidence {where.evidence} says {theirs}"
