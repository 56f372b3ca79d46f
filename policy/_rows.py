from __future__ import annotations

import operator
from typing import SupportsIndex


def row_capacity(value: SupportsIndex) -> int:
    """Return `value` as a row capacity: a positive `int`.

    A row capacity counts the physical rows of the captured buffer, padding included, not the live tokens.

    Raises:
        TypeError: `value` is a bool, or has no `__index__` (a float, a string).
        ValueError: `value` is zero or negative.
    """
    if isinstance(value, bool):
        raise TypeError(f"row capacity must be an integer, got the bool {value!r}")
    try:
        rows = operator.index(value)
    except TypeError:
        raise TypeError(f"row capacity must be an integer, got {value!r} of type {type(value).__name__}") from None
    if rows < 1:
        raise ValueError(f"row capacity must be at least 1 physical row, got {rows}")
    return rows
