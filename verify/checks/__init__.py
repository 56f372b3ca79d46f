"""Every check, in the order of the report. Adding one: a module beside this file, a line here, a test."""

from __future__ import annotations

from ..model import Check
from . import configuration, gpu, ineffective, lock, mutable, pins, policy, policy_tests, reachable

CHECKS: tuple[Check, ...] = (
    configuration.CHECK,
    pins.CHECK,
    mutable.CHECK,
    ineffective.CHECK,
    reachable.CHECK,
    lock.CHECK,
    policy.CHECK,
    policy_tests.CHECK,
    gpu.CHECK,
)
