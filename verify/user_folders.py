"""Where programs keep what is the user's own, outside of any project: the XDG Base Directory Specification."""

from __future__ import annotations

import os
from pathlib import Path

_DEFAULTS = {"cache": ".cache", "state": ".local/state"}


def user_folder(kind: str, program: str) -> Path:
    """Return the user's folder for `program`. A variable with a relative path is ignored, as the specification says.

    Args:
        kind: `cache` or `state`.
        program: its name.
    """
    base = os.environ.get(f"XDG_{kind.upper()}_HOME")
    return (Path(base) if base and Path(base).is_absolute() else Path.home() / _DEFAULTS[kind]) / program


def uv_cache() -> Path:
    """Return the user's own uv cache, whatever the project's configuration says."""
    named = os.environ.get("UV_CACHE_DIR")
    return Path(named).resolve() if named else user_folder("cache", "uv")
