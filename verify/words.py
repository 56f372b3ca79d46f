from __future__ import annotations


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return `1 pin`, `2 pins`; a plural that needs more than an `s` is given."""
    return f"{number} {noun}" if number == 1 else f"{number} {plural or noun + 's'}"
