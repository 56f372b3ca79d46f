"""The reviewed launch policy of Kimi's paired gather.

The paired gather copies latent rows and router logits from all tensor-parallel ranks before expert selection. With
one thread block, that block copies every row. At eight physical rows two blocks, each with complete rows, are faster:
33.31 -> 31.00 us on sixteen RTX PRO 6000 over PCIe, TP16 (512 threads, 64 gathers a CUDA graph, alternating samples,
automatic clocks, 600 W limits). That is one component measured alone; it says nothing about a whole model. No other
capacity was shown to gain, so every other capacity keeps one block.

The multi-block gather is supplied by the pinned FlashInfer commit; the measurement and the rule come from the review
of that pin. The repository's host is inferred from public pull requests.
"""

from __future__ import annotations

from typing import Final, NamedTuple, SupportsIndex

from pinproof.policy._rows import row_capacity

PINNED_REPOSITORY: Final = "https://github.com/local-inference-lab/flashinfer"
PINNED_COMMIT: Final = "7bb37d608657e18a40de913d2cc3cd0448400336"


class Case(NamedTuple):
    """One reviewed case: a gather of `row_capacity` physical rows is launched with `row_blocks` thread blocks."""

    row_capacity: int
    row_blocks: int


# Which five capacities the original test used is inferred from its description.
REVIEWED_CASES: Final = (Case(1, 1), Case(2, 1), Case(4, 1), Case(8, 2), Case(16, 1))


def row_blocks(rows: SupportsIndex) -> int:
    """Return how many thread blocks share one paired gather of `rows` physical rows: 2 at eight rows, otherwise 1.

    A pure function of the rows: ranks that disagree on the number of row blocks deadlock.

    Args:
        rows: the row capacity, that is the physical rows of the captured buffer, padding included. Anything with
            `__index__` is an integer.

    Raises:
        TypeError: `rows` is a bool, or has no `__index__`.
        ValueError: `rows` is zero or negative.
    """
    return 2 if row_capacity(rows) == 8 else 1
