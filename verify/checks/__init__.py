"""Every check, in the order of the report. Adding one: a module beside this file, a line here, a test."""

from __future__ import annotations

from ..model import Check
from . import configuration, pins

CHECKS: tuple[Check, ...] = (configuration.CHECK, pins.CHECK)
