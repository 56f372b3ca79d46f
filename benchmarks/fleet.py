"""How long does one call take over every project of the corpus, one after the other and side by side?

Reads the corpus from the folder that PINPROOF_CORPUS names, else from ../shared/corpus. Argument: a file for the result
as JSON.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import tarfile
import tempfile
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
CORPUS = Path(os.environ.get("PINPROOF_CORPUS", ROOT.parent / "shared" / "corpus"))
COMMAND = [sys.executable, "-m", "pinproof.verify", "check", "--static", "--format", "json"]


def main() -> int:
    archive = CORPUS / "projects.tar.xz"
    if not archive.is_file():
        sys.stderr.write(f"not run: {archive} is not on this machine\n")
        return 2
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(archive) as file:
            file.extractall(folder, filter="data")
        runs = {jobs: _run(Path(folder), jobs) for jobs in sorted({1, os.cpu_count() or 1})}
    report = runs[1][1]
    _table(report)
    for jobs, (seconds, _) in runs.items():
        print(f"{len(report['projects'])} projects with --jobs {jobs}: {seconds:.2f} s")
    result = {
        "question": "seconds of one static call over every project of the corpus",
        "projects": len(report["projects"]),
        "seconds_by_jobs": {str(jobs): round(seconds, 2) for jobs, (seconds, _) in runs.items()},
        "exit_codes": dict(Counter(str(project["exit_code"]) for project in report["projects"])),
        "same_report": len({json.dumps(report["projects"]) for _, report in runs.values()}) == 1,
        "python": platform.python_version(),
        "machine": platform.machine(),
        "date": datetime.now(UTC).date().isoformat(),
    }
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    return 0 if result["same_report"] else 1


def _run(folder: Path, jobs: int) -> tuple[float, dict[str, Any]]:
    started = time.perf_counter()
    done = subprocess.run([*COMMAND, "--jobs", str(jobs), str(folder)], capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - started
    data: dict[str, Any] = json.loads(done.stdout)
    return seconds, data


def _table(report: dict[str, Any]) -> None:
    for project in report["projects"]:
        counts = Counter(finding["severity"] for check in project["checks"] for finding in check["findings"])
        name = Path(project["project"]).name
        said = project["error"] or f"{counts['error']} errors, {counts['warning']} warnings"
        print(f"{project['exit_code']}  {name:<48} {said}")


if __name__ == "__main__":
    sys.exit(main())
