"""How a gather of N physical rows is launched. Standard library only: an inference engine imports this at start-up."""

from pinproof.policy._rows import row_capacity
from pinproof.policy.launch import PINNED_COMMIT, PINNED_REPOSITORY, REVIEWED_CASES, Case, row_blocks

__all__ = ["PINNED_COMMIT", "PINNED_REPOSITORY", "REVIEWED_CASES", "Case", "row_blocks", "row_capacity"]
