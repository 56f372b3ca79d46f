"""The project's own tests of its policy pass.

`[tool.pinproof.tests] policy` names them. They run through pytest in the project's environment (`--python`, else its
`.venv`) and are counted test by test: pytest's exit code says 0 when every test was skipped. This executes code of
the project.

Example: the policy's table was changed, and the test that states the reviewed table fails.

Fix: restore the policy, or change the test together with the review that allows it.

How to allow: take the path out of `[tool.pinproof.tests]`, or use `--static`.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..context import Context
from ..model import Finding, NotRun, Tally

CODE = "POL002"


def run(context: Context) -> Iterator[Finding | Tally]:
    paths = context.config.tests.get("policy", ())
    if not paths:
        raise NotRun("[tool.pinproof.tests] names no policy tests")
    from ..pytests import run_tests

    yield from run_tests(context, CODE, paths)
