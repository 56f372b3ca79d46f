"""Backend `torch` between real gloo processes, byte for byte against `torch.cat`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

Results = list[dict[str, Any]]

RANKS = Path(__file__).with_name("gloo_ranks.py")
WORLDS = (2, 4, 8, 16)


@pytest.fixture(scope="session")
def ranks(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], Results]:
    """Run all scenarios of a world once, and return the results by rank."""

    @cache
    def run(world: int) -> Results:
        folder = tmp_path_factory.mktemp(f"world{world}")
        scenarios = ["matrix", "literal", "in_turn", *(["subgroups", "disagree"] if world == 4 else [])]
        subprocess.run(
            [sys.executable, RANKS, ",".join(scenarios), str(world), folder],
            check=True,
            timeout=400,
            env=os.environ | {"OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"},
        )
        return [json.loads((folder / f"{rank}.json").read_text()) for rank in range(world)]

    return run


@pytest.mark.parametrize(("world", "cases"), [(2, 480), (4, 480), (8, 160), (16, 160)])
def test_every_byte_is_as_torch_cat_puts_it(ranks: Callable[[int], Results], world: int, cases: int) -> None:
    results = [result["matrix"] for result in ranks(world)]
    assert results == [{"cases": cases, "failures": []}] * world


@pytest.mark.parametrize("world", WORLDS)
def test_rows_that_change_objects_in_turn_and_late_ranks(ranks: Callable[[int], Results], world: int) -> None:
    assert [result["in_turn"]["right"] for result in ranks(world)] == [[True] * 8] * world


def test_rank_major_places(ranks: Callable[[int], Results]) -> None:
    expected = {
        "latent": [[0, 1, 2, 3, 100, 101, 102, 103], [4, 5, 6, 7, 104, 105, 106, 107]],
        "router": [
            [*range(16), *range(-50, -34)],
            [*range(16, 32), *range(-34, -18)],
        ],
        "dtypes": ["torch.float32", "torch.float16"],
    }
    assert [result["literal"] for result in ranks(2)] == [expected, expected]


def test_a_group_of_some_ranks(ranks: Callable[[int], Results]) -> None:
    stranger = "this process is not a member of the group; only its members make a gather for it"
    even = {"latent": [[0.0] * 4 + [2.0] * 4], "router": [[0.5] * 4 + [2.5] * 4], "stranger": stranger}
    odd = {"latent": [[1.0] * 4 + [3.0] * 4], "router": [[1.5] * 4 + [3.5] * 4], "stranger": stranger}
    assert [result["subgroups"] for result in ranks(4)] == [even, odd, even, odd]


DIFFERENT = "RanksDisagreeError: the ranks ask for different gathers: "
REST = "(ranks 0-1, 3)"


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("latent_width", f"{DIFFERENT}latent_width is 224 {REST}, 232 (rank 2)"),
        ("router_width", f"{DIFFERENT}router_width is 56 {REST}, 60 (rank 2)"),
        ("latent_dtype", f"{DIFFERENT}latent_dtype is torch.bfloat16 {REST}, torch.float16 (rank 2)"),
        ("router_dtype", f"{DIFFERENT}router_dtype is torch.float32 {REST}, torch.bfloat16 (rank 2)"),
        (
            "max_rows",
            (
                f"{DIFFERENT}max_rows is 8 {REST}, 16 (rank 2); row_blocks is 1 at 1-7 rows, 2 at 8 rows {REST}, "
                "1 at 1-7 rows, 2 at 8 rows, 1 at 9-16 rows (rank 2)"
            ),
        ),
        ("row_blocks", f"{DIFFERENT}row_blocks is 1 at 1-7 rows, 2 at 8 rows {REST}, 1 at 1-8 rows (rank 2)"),
        ("backend", f"{DIFFERENT}backend is torch {REST}, auto (rank 2)"),
        ("timeout_s", f"{DIFFERENT}timeout_s is 60.0 {REST}, None (rank 2)"),
        ("allow_one_block", f"{DIFFERENT}allow_one_block is False {REST}, True (rank 2)"),
        ("transport", f"{DIFFERENT}transport is pull {REST}, push (rank 2)"),
        ("table", f"{DIFFERENT}the digest of the policy table is one {REST}, another (rank 2)"),
        (
            "two at once",
            (
                f"{DIFFERENT}router_width is 56 {REST}, 60 (rank 2); max_rows is 8 {REST}, 4 (rank 2); "
                f"row_blocks is 1 at 1-7 rows, 2 at 8 rows {REST}, 1 at 1-4 rows (rank 2)"
            ),
        ),
        (
            "bad argument",
            (
                "RanksDisagreeError: not every rank can take part in the gather: ValueError: latent_width is 3: a row "
                "of 3 torch.bfloat16 has 6 bytes, expected a multiple of 16 (rank 2)"
            ),
        ),
        (
            "bad policy",
            (
                "RanksDisagreeError: not every rank can take part in the gather: ValueError: row_blocks(1) is 0, "
                "expected at least 1 (rank 2)"
            ),
        ),
        (
            "bad argument everywhere",
            "ValueError: latent_width is 3: a row of 3 torch.bfloat16 has 6 bytes, expected a multiple of 16",
        ),
        (
            "refusing",
            (
                "BackendUnavailableError: refusing cannot run: its device is too old (rank 2). "
                "The others: breaking, failing, torch; or auto"
            ),
        ),
        (
            "breaking",
            (
                "BackendUnavailableError: breaking cannot run: asking it failed with ZeroDivisionError: integer "
                "division or modulo by zero (rank 2). The others: refusing, failing, torch; or auto"
            ),
        ),
        (
            "failing",
            "RanksDisagreeError: not every rank can start the backend failing: OSError: no memory left (rank 2)",
        ),
        (
            "auto",
            (
                "torch: auto chose torch, the first that can run on every rank; refusing cannot run: its device is too "
                "old (rank 2); breaking cannot run: asking it failed with ZeroDivisionError: integer division or "
                "modulo by zero (rank 2)"
            ),
        ),
        ("and afterwards", "True"),
    ],
)
def test_ranks_that_disagree_all_get_the_same_answer(ranks: Callable[[int], Results], what: str, message: str) -> None:
    assert [result["disagree"][what] for result in ranks(4)] == [message] * 4
