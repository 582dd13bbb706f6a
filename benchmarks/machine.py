"""The machine that figures are measured on."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import Any


def machine() -> dict[str, Any]:
    """Return processor, cores, memory, kernel and load of this machine."""
    model = platform.processor()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = cpuinfo.read_text().splitlines()
        models = [line.partition(":")[2].strip() for line in lines if line[:10] == "model name"]
        model = models[0] if models else model
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {
        "cpu": model,
        "cores": os.cpu_count(),
        "memory_gib": round(memory),
        "kernel": platform.system(),
        "load_at_start": os.getloadavg()[0],
    }
