"""Checks of a uv project: pins, lock, policy, and what was run. `check` is the whole job; it prints nothing."""

from .config import Config
from .context import Context, Options
from .files import InputError
from .fleet import check_projects, find_projects
from .model import Case, Check, Fact, Finding, Location, NotRun, Outcome, Related, Report, Severity, Status, Tally
from .run import UnknownCheckError, check, run_checks

__all__ = [
    "Case",
    "Check",
    "Config",
    "Context",
    "Fact",
    "Finding",
    "InputError",
    "Location",
    "NotRun",
    "Options",
    "Outcome",
    "Related",
    "Report",
    "Severity",
    "Status",
    "Tally",
    "UnknownCheckError",
    "check",
    "check_projects",
    "find_projects",
    "run_checks",
]
