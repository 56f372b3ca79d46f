import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinproof.kernels.layout import RowLayout, partition, row_share


@pytest.mark.parametrize(
    ("rows", "row_blocks", "expected"),
    [
        (1, 1, [[0]]),
        (8, 1, [[0, 1, 2, 3, 4, 5, 6, 7]]),
        (8, 2, [[0, 1, 2, 3], [4, 5, 6, 7]]),
        (8, 3, [[0, 1, 2], [3, 4, 5], [6, 7]]),
        (5, 4, [[0, 1], [2, 3], [4], []]),
        (3, 8, [[0], [1], [2], [], [], [], [], []]),
        (9, 8, [[0, 1], [2, 3], [4, 5], [6, 7], [8], [], [], []]),
    ],
)
def test_partition(rows: int, row_blocks: int, expected: list[list[int]]) -> None:
    assert [list(partition(rows, row_blocks, block)) for block in range(row_blocks)] == expected


@given(st.integers(1, 500), st.integers(1, 64))
def test_every_row_is_in_one_block(rows: int, row_blocks: int) -> None:
    blocks = [partition(rows, row_blocks, block) for block in range(row_blocks)]
    assert [row for block in blocks for row in block] == list(range(rows))
    assert max(map(len, blocks)) == row_share(rows, row_blocks)


@pytest.mark.parametrize(("rows", "row_blocks", "block"), [(0, 1, 0), (1, 0, 0), (4, 2, 2), (4, 2, -1)])
def test_partitions_that_do_not_exist(rows: int, row_blocks: int, block: int) -> None:
    with pytest.raises(
        ValueError, match=f"^no partition of {rows} rows over {row_blocks} row blocks has a block {block}$"
    ):
        partition(rows, row_blocks, block)


def test_the_pair_of_tp16() -> None:
    layout = RowLayout(latent_bytes=448, router_bytes=224)
    assert (layout.latent_units, layout.router_units, layout.row_bytes) == (28, 14, 672)
    assert layout.router_offset(8) == 3584
    assert (layout.slot_bytes(8), layout.slot_bytes(1), layout.slot_bytes(1, align=16)) == (5376, 768, 672)


@pytest.mark.parametrize("sizes", [(0, 16), (16, 0), (8, 16), (16, 24), (-16, 16)])
def test_rows_that_are_no_multiple_of_sixteen_bytes(sizes: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="bytes, expected a positive multiple of 16"):
        RowLayout(*sizes)
