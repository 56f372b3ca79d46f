"""A changed row of the launch policy has a measurement behind it.

The policy says how many thread blocks share a gather of so many rows; ranks that run it have no way to notice that a
row changed. Compared with the base are, row by row, the cases that a module of `policy/` states as `REVIEWED_CASES`,
read without executing it, and the tables of `[tool.pinproof] tables`. Each changed row is shown. It is an error unless
the same change adds or changes a measurement in `evidence/` (what `pinproof tune gather` writes) that has these rows,
with right bytes; for a table it must be the one that the table names ([POL003](POL003.md) holds it against that).

Example: `Case(8, 2)` became `Case(8, 4)`, and nothing in `evidence/` changed.

Fix: measure (`pinproof tune gather`), and commit the measurement with the change.

How to allow: an ignore with its reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from pinproof.policy import PolicyError, loads

from ..added import changed_files, place
from ..context import Context
from ..files import InputError
from ..git import GitError
from ..model import Finding, Location, Severity, Tally
from ..words import counted

if TYPE_CHECKING:
    import ast

CODE = "CHG004"
_FOLDER = "policy/"
_EVIDENCE = "evidence/"
_CASES = "REVIEWED_CASES"

Rows = Mapping[int, int]


def run(context: Context) -> Iterator[Finding | Tally]:
    changed = {place(context, change.path) for change in changed_files(context)}
    evidence = {path: _measured(_after(context, path)) for path in changed if path.startswith(_EVIDENCE)}
    compared = 0
    for path in sorted(changed):
        if path.startswith(_FOLDER) and path.endswith(".py"):
            compared += 1
            yield from _file(context, path, stated_cases, evidence)
        elif path in context.config.tables:
            compared += 1
            named = _named(_after(context, path))
            behind = {named: evidence[named]} if named in evidence else {}
            yield from _file(context, path, _table_rows, behind)
    yield Tally(detail=f"{counted(compared, 'policy file')} changed")


def _file(
    context: Context, path: str, read: Callable[[bytes], Rows | None], evidence: Mapping[str, frozenset[int]]
) -> Iterator[Finding]:
    before, after = read(_before(context, path)), read(_after(context, path))
    if before is None or after is None:
        if before != after:
            said = "no longer states its rows so that they can be read" if after is None else "now states its rows"
            yield _finding(path, f"it {said}", Severity.WARNING if after is None else Severity.INFO)
        return
    for rows in sorted(before.keys() | after.keys()):
        if before.get(rows) != after.get(rows):
            old, new = before.get(rows, "nothing"), after.get(rows, "nothing")
            measured = ", ".join(sorted(name for name, capacities in evidence.items() if rows in capacities))
            behind = f"measured in {measured}" if measured else "without a measurement of these rows in the change"
            severity = Severity.INFO if measured else Severity.ERROR
            yield _finding(path, f"{rows} rows: row blocks {old} became {new}, {behind}", severity)


def _measured(content: bytes) -> frozenset[int]:
    """Return the row capacities that a file measured with right bytes; none for anything that is no measurement."""
    from pinproof.kernels.measure.result import decode

    try:
        lines = decode(content).lines
    except ValueError:
        return frozenset()
    return frozenset(
        line.rows for line in lines if any(taken and line.exact.get(name) for name, taken in line.samples.items())
    )


def _finding(path: str, what: str, severity: Severity) -> Finding:
    hint = "measure with `pinproof tune gather`, and commit the measurement with the change"
    return Finding(code=CODE, message=f"{path}: {what}", severity=severity, location=Location(path), hint=hint)


def stated_cases(source: bytes) -> Rows | None:
    """Return rows -> row blocks of `REVIEWED_CASES = (Case(8, 2), ...)` in a module.

    None where it states none, or the same rows twice.
    """
    import ast  # only where a change is compared

    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    for node in tree.body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        named = any(isinstance(target, ast.Name) and target.id == _CASES for target in targets)
        if named and isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Tuple | ast.List):
            pairs = [_case(element) for element in node.value.elts]
            rows = dict(pair for pair in pairs if pair)
            return rows if len(rows) == len(pairs) else None
    return None


def _case(node: ast.expr) -> tuple[int, int] | None:
    import ast

    if not isinstance(node, ast.Call):
        return None
    values = [*node.args, *(keyword.value for keyword in node.keywords)][:2]
    numbers = [v.value for v in values if isinstance(v, ast.Constant) and type(v.value) is int]
    return (numbers[0], numbers[1]) if len(numbers) == 2 else None


def _table_rows(content: bytes) -> Rows | None:
    try:
        policy = loads(content)
    except PolicyError:
        return None
    return dict(policy.table)


def _named(content: bytes) -> str:
    try:
        return loads(content).provenance.evidence
    except PolicyError:
        return ""


def _before(context: Context, path: str) -> bytes:
    return _at(context, context.base.commit if context.base else "", path)


def _after(context: Context, path: str) -> bytes:
    return _at(context, context.base.head if context.base else "", path)


def _at(context: Context, commit: str, path: str) -> bytes:
    assert context.base is not None  # noqa: S101 - only with a base is anything compared
    try:
        return context.base.repository.read(commit, path)
    except (FileNotFoundError, InputError, GitError):
        return b""
