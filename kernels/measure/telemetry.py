"""Clocks, power, temperature and throttle reasons of a GPU, as NVML has them."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

_REASONS: Final = {
    "GpuIdle": "idle",
    "ApplicationsClocksSetting": "application clocks",
    "SwPowerCap": "power cap",
    "HwSlowdown": "hardware slowdown",
    "SyncBoost": "sync boost",
    "SwThermalSlowdown": "software thermal slowdown",
    "HwThermalSlowdown": "hardware thermal slowdown",
    "HwPowerBrakeSlowdown": "power brake",
}


def read(uuid: str) -> dict[str, Any]:
    """Return what NVML says of the GPU `uuid` now: MHz, watts, degrees Celsius; `not recorded` with the reason else."""
    try:
        nvml: Any = import_module("pynvml")
    except ImportError:
        return {"not recorded": "nvidia-ml-py is not installed"}
    try:
        nvml.nvmlInit()
        try:
            handle = nvml.nvmlDeviceGetHandleByUUID(uuid)
            active = nvml.nvmlDeviceGetCurrentClocksThrottleReasons(handle)
            return {
                "sm clock, MHz": nvml.nvmlDeviceGetClockInfo(handle, nvml.NVML_CLOCK_SM),
                "memory clock, MHz": nvml.nvmlDeviceGetClockInfo(handle, nvml.NVML_CLOCK_MEM),
                "power, W": nvml.nvmlDeviceGetPowerUsage(handle) / 1000,
                "power limit, W": nvml.nvmlDeviceGetEnforcedPowerLimit(handle) / 1000,
                "temperature, C": nvml.nvmlDeviceGetTemperature(handle, nvml.NVML_TEMPERATURE_GPU),
                "throttled by": [
                    words
                    for name, words in _REASONS.items()
                    if active & getattr(nvml, f"nvmlClocksThrottleReason{name}", 0)
                ],
            }
        finally:
            nvml.nvmlShutdown()
    except (nvml.NVMLError, AttributeError) as error:
        return {"not recorded": str(error) or type(error).__name__}
