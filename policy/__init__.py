"""How a gather of N physical rows is launched. Standard library only: an inference engine imports this at start-up.

What reads policy tables is loaded when it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pinproof.policy._rows import row_capacity
from pinproof.policy.launch import PINNED_COMMIT, PINNED_REPOSITORY, REVIEWED_CASES, Case, row_blocks

if TYPE_CHECKING:
    from pinproof.policy.tables import LaunchPolicy, PolicyError, Provenance, load, loads

__all__ = [
    "PINNED_COMMIT",
    "PINNED_REPOSITORY",
    "REVIEWED_CASES",
    "Case",
    "LaunchPolicy",
    "PolicyError",
    "Provenance",
    "load",
    "loads",
    "row_blocks",
    "row_capacity",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from pinproof.policy import tables

    return getattr(tables, name)
