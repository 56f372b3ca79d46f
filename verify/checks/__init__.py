"""Every check, in the order of the report. Adding one: a module beside this file, a line here, a test."""

from __future__ import annotations

from ..model import Check
from . import (
    api,
    configuration,
    digests,
    file_names,
    gpu,
    hosts,
    ineffective,
    installed,
    lock,
    mentions,
    mutable,
    pins,
    policy,
    policy_tests,
    reachable,
    source_kinds,
    stacked,
    urls,
)

CHECKS: tuple[Check, ...] = (
    configuration.CHECK,
    pins.CHECK,
    mutable.CHECK,
    ineffective.CHECK,
    reachable.CHECK,
    api.CHECK,
    installed.CHECK,
    mentions.CHECK,
    stacked.CHECK,
    file_names.CHECK,
    digests.CHECK,
    urls.CHECK,
    hosts.CHECK,
    source_kinds.CHECK,
    lock.CHECK,
    policy.CHECK,
    policy_tests.CHECK,
    gpu.CHECK,
)
