"""The launch policy still says what was reviewed.

Five cases were reviewed with the policy: 1, 2, 4 and 16 physical rows are gathered by one row block, 8 rows by two.
The check executes `pinproof.policy.row_blocks`, the very function that an engine imports, once for each case. It runs
in this process and executes no code of the project under check.

Example: somebody sets two row blocks at four rows because it looked faster once.

Fix: restore the reviewed rule, or have the new rule reviewed with a measurement behind it and change the cases.

How to allow: not at all.
"""

from __future__ import annotations

from collections.abc import Iterator

from pinproof.policy import REVIEWED_CASES, row_blocks

from ..context import Context
from ..model import Case, Finding, Status, Tally

CODE = "POL001"


def run(_: Context) -> Iterator[Finding | Tally]:
    cases = []
    for rows, expected in REVIEWED_CASES:
        found = row_blocks(rows)
        status = Status.PASSED if found == expected else Status.FAILED
        cases.append(Case(name=f"{rows} rows -> {expected} row blocks", status=status, reason=f"found {found}"))
        if status is Status.FAILED:
            message = f"row_blocks({rows}) is {found}, expected the reviewed {expected}"
            yield Finding(code=CODE, message=message, hint="restore the reviewed policy, or have the change reviewed")
    passed = sum(case.status is Status.PASSED for case in cases)
    yield Tally(detail=f"{passed} of {len(cases)} reviewed cases", cases=tuple(cases))
