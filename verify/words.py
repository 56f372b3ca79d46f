from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """Return `1 pin`, `2 pins`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
