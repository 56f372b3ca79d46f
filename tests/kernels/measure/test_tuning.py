from __future__ import annotations

from dataclasses import replace

import pytest

from pinproof.kernels.measure.result import Line, Result, Variant, decode, table
from pinproof.kernels.measure.tuning import choose, policy_table
from pinproof.policy import loads


def result(*lines: Line) -> Result:
    return Result(
        world=16,
        emulated=True,
        topology="16 ranks emulated on one GPU",
        device="a GPU",
        date="2026-12-01T13:00:00Z",
        command="pinproof tune gather",
        versions={"torch": "2.11.0"},
        telemetry={"before": {"not recorded": "a test"}},
        gathers=64,
        lines=lines,
    )


def line(rows: int, wrong: tuple[str, ...] = (), **medians: float) -> Line:
    """Five samples of each variant, given as `pull_1=3.0`, one per cent apart."""
    samples = {
        name.replace("_", ":"): tuple(us * (1 + 0.01 * number) for number in range(5)) for name, us in medians.items()
    }
    return Line(rows, samples, {name: name not in wrong for name in samples})


def test_only_what_is_faster_beyond_its_interval_is_kept() -> None:
    found = choose(
        result(
            line(1, pull_1=3.0),
            line(4, pull_1=4.0, pull_2=4.0, pull_4=4.1),
            line(8, pull_1=5.0, pull_2=4.0, pull_4=3.6, pull_8=3.7),
        )
    )
    assert (found.transport, found.table) == ("pull", {8: 4})


def test_wrong_bytes_are_never_kept() -> None:
    found = choose(result(line(8, ("pull:4",), pull_1=5.0, pull_2=4.0, pull_4=1.0)))
    assert found.table == {8: 2}


def test_push_has_to_be_faster_at_every_row_capacity() -> None:
    one = line(1, pull_1=6.0, push_1=5.0)
    eight = line(8, pull_1=8.0, pull_4=7.0, push_1=14.0, push_8=6.0)
    assert choose(result(one, eight)).transport == "push"
    assert choose(result(one, eight)).table == {8: 8}
    slow = line(2, pull_1=6.0, push_1=6.0)
    found = choose(result(one, slow, eight))
    assert (found.transport, found.table) == ("pull", {8: 4})


def test_without_right_samples_of_one_block_nothing_is_chosen() -> None:
    with pytest.raises(ValueError, match="at 8 rows pull:1"):
        choose(result(line(8, pull_2=4.0)))
    with pytest.raises(ValueError, match="at 8 rows pull:1"):
        choose(result(line(8, ("pull:1",), pull_1=5.0)))


def test_the_table_is_one_that_policies_are_loaded_from() -> None:
    measured = result(line(1, pull_1=3.0), line(8, pull_1=5.0, pull_2=4.0))
    policy = loads(policy_table(measured, "evidence/a.json", measured.encode()))
    assert [policy.row_blocks(rows) for rows in (1, 2, 4, 8, 16)] == [1, 1, 1, 2, 1]
    where = policy.provenance
    assert (where.device, where.world, where.emulated, where.samples) == ("a GPU", 16, True, 5)
    assert (where.evidence, len(where.evidence_sha256)) == ("evidence/a.json", 64)


def test_a_measurement_survives_its_file() -> None:
    measured = result(line(8, ("pull:2",), pull_1=5.0, pull_2=4.0))
    assert decode(measured.encode()) == replace(
        measured, lines=(Line(8, {k: tuple(round(v, 4) for v in vs) for k, vs in measured.lines[0].samples.items()},
                              measured.lines[0].exact),)
    )  # fmt: skip


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b'{"schema": 2, "kind": "x"}', b"\xff", b"[" * 100000])
def test_what_is_no_measurement(data: bytes) -> None:
    with pytest.raises(ValueError, match=r".+"):
        decode(data)


def test_the_text_says_emulated_and_what_is_not_compared() -> None:
    text = table(result(line(8, ("pull:4",), pull_1=5.0, pull_2=4.0, pull_4=3.0)), "pull:1").splitlines()
    assert text[0] == (
        "a GPU, 2026-12-01T13:00:00Z; component, 16 ranks emulated on one GPU; says nothing about a whole model"
    )
    assert text[2] == "   8  pull:1          5.100  yes"
    assert text[3] == "   8  pull:2          4.080  yes    0.800 [0.800, 0.800], faster"
    assert text[4] == "   8  pull:4          3.060  NO     not compared: it gathered wrong bytes"


@pytest.mark.parametrize("text", ["", "pull", "pull:0", "pull:65", "push:x", "torch:1", "nccl"])
def test_what_is_no_variant(text: str) -> None:
    with pytest.raises(ValueError, match="is no variant"):
        Variant.parse(text)
