"""What did the benchmarks of the gather measure? Prints docs/kernels.md's tables from their JSON.

python -m benchmarks.tables GATHER.JSON AGAINST_FLASHINFER.JSON
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def markdown(head: list[str], lines: Iterable[list[str]]) -> str:
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (head, ["---"] * len(head), *lines))


def gather(result: dict[str, Any]) -> str:
    """Return rows by row blocks: microseconds, and `pull` over what it is compared with."""
    columns = ["pull", "push", "barrier", "prototype"]
    ratios = ["pull / barrier", "pull / prototype", "pull / without limit", "push / without limit"]
    head = ["rows", "row blocks", *(f"{name}, us" for name in columns), *ratios]
    lines = [
        [str(line["rows"]), str(line["row_blocks"])]
        + [f"{line['us'][name]:.2f}" for name in columns]
        + [f"{line[name]:.2f}" for name in ratios]
        for line in result["table"]
    ]
    return markdown(head, lines)


def against(result: dict[str, Any]) -> str:
    """Return each transport at its best number of row blocks beside FlashInfer's kernel and the CUDA prototypes."""
    lines = []
    for line in result["table"]:
        cells = [str(line["rows"]), f"{line['us']['flashinfer']:.2f}"]
        for prefix in ("push ", "CUDA ll ", "pull ", "CUDA pull "):
            blocks, taken = min(
                ((name.removeprefix(prefix), us) for name, us in line["us"].items() if name.startswith(prefix)),
                key=lambda pair: pair[1],
            )
            cells.append(f"{taken:.2f} ({blocks})")
        ratios = ("push / flashinfer", "push / CUDA prototype", "pull / flashinfer", "pull / CUDA prototype")
        lines.append(cells + [f"{line['ratios'][name]:.2f}" for name in ratios])
    head = ["rows", "FlashInfer, us", "push", "CUDA push", "pull", "CUDA pull"]
    head += ["push / FlashInfer", "push / CUDA push", "pull / FlashInfer", "pull / CUDA pull"]
    return markdown(head, lines)


def main() -> None:
    results = [json.loads(Path(path).read_text(encoding="utf-8")) for path in sys.argv[1:3]]
    for result, table in zip(results, (gather, against), strict=True):
        machine = result["machine"]
        print(
            f"{machine['device']}, driver {machine['nvidia-smi']['driver_version']}, torch {machine['torch']}, ", end=""
        )
        print(f"triton {result['triton']}, {machine['date']}; {result['scope']}\n\n{table(result)}\n")


if __name__ == "__main__":
    main()
