"""What do uv and pinproof find of tampering with real locks, kind by kind and place by place?

Every mutation of `tests/verify/mutations` in this repository and in a workspace that uv locks on the spot, and in the
projects of the corpus that are named. For each: the exit code of `uv lock --check --offline`, what
`pinproof check --static` finds, and what it finds beside that with `--base` the untouched commit.

Start it from the root of the checkout: `python -m benchmarks.tampering [RESULT.json] [CORPUS PROJECT ...]`.
"""

from __future__ import annotations

import json
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pinproof.verify import InputError, Options, Severity, check
from tests.verify.mutations import KINDS, mutations
from tests.verify.mutations.kinds import Mutation
from tests.verify.mutations.projects import Project, of_folder, this_repository, uv_exit, workspace
from tests.verify.repositories import make

from .check_speed import corpus_archive
from .processes import conditions


def main() -> int:
    output, names = sys.argv[1:2], sys.argv[2:]
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="pinproof-tampering-") as scratch:
        folder = Path(scratch)
        for project in _projects(folder, names):
            rows += _rows(project, folder)
    totals = _totals(rows)
    print()
    for words, count in totals.items():
        print(f"{count:5}  {words}")
    if output:
        result = {
            "question": (__doc__ or "").split("\n", 1)[0],
            "totals": totals,
            "rows": rows,
            "conditions": conditions(),
        }
        Path(output[0]).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return int(totals["missed, though the two files show them"] > 0)


def _projects(folder: Path, names: list[str]) -> Iterator[Project]:
    yield this_repository()
    yield workspace(folder)
    if names:
        with tarfile.open(corpus_archive("projects.tar.xz")) as file:
            file.extractall(folder / "corpus", filter="data")
    for name in names:
        yield of_folder(name, folder / "corpus" / name)


def _rows(project: Project, folder: Path) -> Iterator[dict[str, Any]]:
    root = folder / "mutated" / project.name
    repository = make(root, project.files)
    base = repository.head()
    honest = _found(root, None)
    with_base = _found(root, base)
    print(f"\n{project.name}: uv exits {uv_exit(root, folder / 'cache')} on the untouched lock")
    for mutation in mutations(project, KINDS):
        (root / "uv.lock").write_text(mutation.lock, encoding="utf-8", newline="")
        row: dict[str, Any] = {
            "project": project.name,
            "place": mutation.target.place,
            "package": mutation.target.name,
            "mutation": mutation.kind.name,
            "uv_exit": uv_exit(root, folder / "cache"),
            "static": sorted({code for code, _ in _found(root, None) - honest}),
            "base": sorted({code for code, _ in _found(root, base) - with_base}),
            "expected": list(mutation.kind.codes) or [f"only --{mutation.kind.only}"],
        }
        print(_line(row, mutation))
        yield row


def _found(root: Path, base: str | None) -> set[tuple[str, str]]:
    """Return code and message of every error and warning; a lock that is refused is found, too."""
    try:
        report = check(root, options=Options(static=True, base=base))
    except InputError as error:
        return {("refused", str(error))}
    return {(f.code, f.message) for f in report.findings if f.severity is not Severity.INFO}


def _line(row: dict[str, Any], mutation: Mutation) -> str:
    uv = "found" if row["uv_exit"] else "accepted"
    other = "--base: " + " ".join(row["base"]) if row["base"] else f"only --{mutation.kind.only}"
    mine = " ".join(row["static"]) or other
    return f"{row['place']:10}  {row['mutation']:55}  uv {uv:8}  {mine}"


def _totals(rows: list[dict[str, Any]]) -> dict[str, int]:
    count = Counter[str]()
    for row in rows:
        shown = not row["expected"][0].startswith("only")
        count["found by uv"] += row["uv_exit"] != 0
        count["found in the two files"] += bool(row["static"])
        count["missed, though the two files show them"] += shown and not row["static"]
        count["found with --base only"] += not row["static"] and bool(row["base"])
        count["left to --online"] += not row["static"] and not row["base"]
    return {"mutations": len(rows), "kinds": len({row["mutation"] for row in rows}), **count}


if __name__ == "__main__":
    sys.exit(main())
