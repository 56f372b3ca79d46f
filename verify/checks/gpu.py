"""The GPU tests ran and passed, on a CUDA device.

`[tool.pinproof.tests] gpu` names the folders; of these the tests marked `gpu` run through pytest in the project's
environment and are counted one by one. Without a CUDA device they skip themselves, and the check is *not run*, in
words: a machine without a GPU never passes it. A record of an earlier run may be mentioned in the reason; it does not
make the check pass. `--require gpu` makes a run without them fail. This executes code of the project.

Example: a pull request says "GPU tests pass" and the report says `not run … no CUDA device`.

Fix: run `pinproof check --evidence FILE` on a machine with the device, and pass the record to `pinproof gate`.

How to allow: do not require it; nothing turns "not run" into "passed".
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..context import Context
from ..model import Finding, NotRun, Tally

CODE = "GPU001"
_DRIVER = (Path("/dev/nvidiactl"), Path("/proc/driver/nvidia/version"), Path("/dev/dxg"))


def run(context: Context) -> Iterator[Finding | Tally]:
    paths = context.config.tests.get("gpu", ())
    if not paths:
        raise NotRun("[tool.pinproof.tests] names no GPU tests")
    try:
        from ..pytests import run_tests

        yield from run_tests(context, CODE, paths, marker="gpu")
    except NotRun as answer:
        from ..evidence.recorded import recorded

        earlier = recorded(context.project.root, "gpu")
        said = f"the GPU tests were not run: {_device()}{answer}" + (f"; {earlier}" if earlier else "")
        raise NotRun(said, cases=answer.cases) from None


def _device() -> str:
    """Return words for the case that this machine has no CUDA driver, else an empty string."""
    return "" if any(path.exists() for path in _DRIVER) else "no CUDA device on this machine; "
