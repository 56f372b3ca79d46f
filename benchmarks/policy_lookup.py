"""What does one look-up of a launch policy cost?

    python -m benchmarks.policy_lookup [--json FILE]

Prints nanoseconds a call of the reviewed policy and of a loaded table, the median and the best of 15 samples of 200,000
calls each, taken in turn. A loaded table has to stay under 200.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import timeit
from pathlib import Path
from typing import Final

from pinproof.policy import loads, row_blocks

CALLS: Final = 200_000
SAMPLES: Final = 15
TABLE: Final = f"""\
schema = 1
transport = "pull"
default = 1
[row-blocks]
8 = 2
[provenance]
device = "none"
topology = "none"
world = 1
emulated = true
date = 2026-12-01T00:00:00Z
samples = 1
versions = {{ python = "{platform.python_version()}" }}
evidence = "none"
evidence-sha256 = "{"0" * 64}"
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, help="write the result here")
    arguments = parser.parse_args()
    policies = {"reviewed policy": row_blocks, "loaded table": loads(TABLE.encode()).row_blocks}
    taken: dict[str, list[float]] = {name: [] for name in policies}
    for _ in range(SAMPLES):
        for name, policy in policies.items():
            assert policy(8) == 2
            seconds = timeit.timeit("policy(8)", globals={"policy": policy}, number=CALLS)
            taken[name].append(seconds / CALLS * 1e9)
    for name, samples in taken.items():
        print(f"{name:16} median {statistics.median(samples):6.1f} ns, best {min(samples):6.1f} ns")
    if arguments.json:
        machine = {"python": platform.python_version(), "processor": platform.processor() or platform.machine()}
        text = json.dumps({"unit": "ns", "samples": taken, "machine": machine}, indent=1) + "\n"
        temporary = arguments.json.with_name(f".{arguments.json.name}.part")
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(arguments.json)


if __name__ == "__main__":
    main()
