"""How long does the pre-commit hook take on this repository? The bound is 0.3 seconds for the whole process.

Argument: a file for the result as JSON.
"""

from __future__ import annotations

import json
import platform
import statistics
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SAMPLES = 15
BOUND = 0.3


def main() -> int:
    hook = (ROOT / ".pre-commit-hooks.yaml").read_text()
    entry = next(line.partition(": ")[2] for line in hook.splitlines() if line.strip().startswith("entry: "))
    program, *arguments = entry.split()
    command = [str(Path(sys.executable).with_name(program)), *arguments]
    seconds = [_seconds(command) for _ in range(SAMPLES + 1)][1:]
    result = {
        "question": "seconds that the hook takes on this repository, as a whole process, after one run to warm up",
        "command": entry,
        "median_s": round(statistics.median(seconds), 3),
        "max_s": round(max(seconds), 3),
        "samples": SAMPLES,
        "bound_s": BOUND,
        "python": platform.python_version(),
        "machine": platform.machine(),
        "date": datetime.now(UTC).date().isoformat(),
    }
    print(f"{entry}: median {result['median_s']} s, max {result['max_s']} s of {SAMPLES}; the bound is {BOUND} s")
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    return 0 if statistics.median(seconds) < BOUND else 1


def _seconds(command: list[str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return time.perf_counter() - started


if __name__ == "__main__":
    sys.exit(main())
