"""Damaged files end in a report or a clear error: no traceback, no endless run, bounded memory."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pinproof.verify import InputError, Options, Status, check
from pinproof.verify.formats import render

from .mangling import OPERATIONS, VALUES, Edit, mangle
from .mutations.projects import ROOT, workspace

NAMES = ("pyproject.toml", "uv.lock")
EDITS = st.lists(
    st.builds(
        Edit,
        st.sampled_from(OPERATIONS),
        st.floats(0, 1),
        st.floats(0, 1),
        st.integers(0, len(VALUES) - 1),
    ),
    min_size=1,
    max_size=4,
)


def survives(root: Path) -> None:
    """Check the project statically: a report without a crashed check that can be rendered, or an `InputError`."""
    try:
        report = check(root, options=Options(static=True))
    except InputError:
        return
    crashed = [f"{o.check.code}: {o.reason}" for o in report.outcomes if o.status is Status.ERRORED]
    assert crashed == []
    assert report.exit_code in (0, 1)
    for name in ("text", "json"):
        render(name, [report])


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small workspace that uv just locked."""
    folder = tmp_path_factory.mktemp("fuzz")
    return workspace(folder).write(folder / "damaged")


@pytest.mark.parametrize("name", NAMES)
def test_a_damaged_workspace(small: Path, name: str) -> None:
    path = small / name
    original = path.read_bytes()

    @settings(max_examples=150, deadline=10_000, suppress_health_check=list(HealthCheck))
    @given(edits=EDITS)
    def damaged(edits: list[Edit]) -> None:
        path.write_bytes(mangle(original, edits))
        survives(small)

    try:
        damaged()
    finally:
        path.write_bytes(original)


@pytest.mark.parametrize("name", NAMES)
def test_this_repository_damaged(tmp_path: Path, name: str) -> None:
    for each in NAMES:
        (tmp_path / each).write_bytes((ROOT / each).read_bytes())
    original = (ROOT / name).read_bytes()

    @settings(max_examples=25, deadline=20_000, suppress_health_check=list(HealthCheck))
    @given(edits=EDITS)
    def damaged(edits: list[Edit]) -> None:
        (tmp_path / name).write_bytes(mangle(original, edits))
        survives(tmp_path)

    damaged()


HOSTILE = {
    "findings without end": "version = 1\n" + "[[package]]\nname = 'a'\n" * 20_000,
    "one long string": f'version = 1\n[[package]]\nname = "{"a" * 2_000_000}"\n',
    "edges without end": "version = 1\n[[package]]\nname = 'a'\ndependencies = [\n"
    + "{ name = 'b' },\n" * 50_000
    + "]\n",
    "a wide table": "version = 1\n" + "".join(f"k{number} = 1\n" for number in range(50_000)),
    "a chain of keys": "version = 1\n" + ".".join("abcdefgh" * 50) + " = 1\n",
}


# A process inherits the peak of the one that starts it, and this one may have torch in memory: a small one measures.
_MEASURE = """
import json, resource, subprocess, sys
code = subprocess.run(sys.argv[1:], stdout=sys.stderr, stderr=sys.stderr).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([code, used.ru_maxrss, used.ru_utime]))
"""


@pytest.mark.parametrize("name", HOSTILE)
def test_memory_and_time_are_bounded(tmp_path: Path, name: str) -> None:
    """At most 150 MB plus 20 times the input, in a process of its own."""
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "a"\nversion = "1"\n')
    (tmp_path / "uv.lock").write_text(HOSTILE[name])
    size = (tmp_path / "uv.lock").stat().st_size
    command = [sys.executable, "-m", "pinproof.verify", "check", "--static", str(tmp_path)]
    with (tmp_path / "out").open("wb") as out:
        measured = subprocess.run(
            [sys.executable, "-c", _MEASURE, *command], stdout=subprocess.PIPE, stderr=out, text=True, check=True
        )
    code, kibibytes, seconds = json.loads(measured.stdout)
    assert code in (0, 1, 2)
    assert b"Traceback" not in (tmp_path / "out").read_bytes()
    assert kibibytes * 1024 <= 150e6 + 20 * size
    assert seconds < 60
