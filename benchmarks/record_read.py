"""How long does reading a record of 100,000 test results take? The bound is one second."""

from __future__ import annotations

import json
import platform
import statistics
import sys
import tempfile
import time
from pathlib import Path

from pinproof.kernels.checkout import Checkout
from pinproof.kernels.record import CaseResult, CheckResult, statement, write
from pinproof.verify.evidence.record import read_record

TESTS = 100_000
SAMPLES = 9


def main() -> None:
    cases = tuple(
        CaseResult(f"tests/gpu/test_gather.py::test_rows[{number}-bfloat16-float32]", *_status(number))
        for number in range(TESTS)
    )
    made = statement(
        {"uv.lock": {"sha256": "00" * 32}}, Checkout("ab" * 20, dirty=False), [CheckResult("gpu", "passed", "", cases)]
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "record.json")
        write(path, made)
        size = path.stat().st_size
        seconds = []
        for _ in range(SAMPLES):
            started = time.perf_counter()
            read_record(path)
            seconds.append(time.perf_counter() - started)
    result = {
        "question": "seconds to read and validate a record of 100,000 test results, half of them not run",
        "bytes": size,
        "median_s": round(statistics.median(seconds), 3),
        "max_s": round(max(seconds), 3),
        "samples": SAMPLES,
        "python": platform.python_version(),
        "machine": platform.machine(),
    }
    print(f"{TESTS} results, {size / 1e6:.1f} MB: median {result['median_s']} s, max {result['max_s']} s of {SAMPLES}")
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


def _status(number: int) -> tuple[str, str]:
    return ("passed", "") if number % 2 else ("not_run", "needs two devices")


if __name__ == "__main__":
    main()
