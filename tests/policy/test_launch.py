import subprocess
import sys

import pytest

from pinproof.policy import REVIEWED_CASES, row_blocks


@pytest.mark.parametrize(("rows", "blocks"), [(1, 1), (2, 1), (4, 1), (8, 2), (16, 1)])
def test_five_reviewed_cases(rows: int, blocks: int) -> None:
    assert row_blocks(rows) == blocks


def test_the_cases_that_the_command_executes_are_these_five() -> None:
    assert REVIEWED_CASES == ((1, 1), (2, 1), (4, 1), (8, 2), (16, 1))


@pytest.mark.parametrize("rows", [3, 5, 6, 7, 9, 15, 17, 64, 80, 2**40])
def test_every_other_capacity_keeps_one_block(rows: int) -> None:
    assert row_blocks(rows) == 1


class Eight:
    def __index__(self) -> int:
        return 8


def test_anything_with_index_is_an_integer() -> None:
    assert row_blocks(Eight()) == 2


@pytest.mark.parametrize("rows", [True, False, 8.0, "8", None, [8]])
def test_other_types_are_refused(rows: object) -> None:
    with pytest.raises(TypeError, match="row capacity must be an integer, got"):
        row_blocks(rows)  # type: ignore[arg-type]


@pytest.mark.parametrize("rows", [0, -1, -8])
def test_capacities_below_one_are_refused(rows: int) -> None:
    with pytest.raises(ValueError, match=f"at least 1 physical row, got {rows}"):
        row_blocks(rows)


def test_import_loads_only_the_standard_library() -> None:
    code = (
        "import sys; before = set(sys.modules); import pinproof.policy\n"
        "roots = {n.partition('.')[0] for n in set(sys.modules) - before}\n"
        "print(sorted(roots - sys.stdlib_module_names))"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "['pinproof']"
