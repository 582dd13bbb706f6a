"""Figures of a live run, kept in .cache/live/ of the checkout for the documentation."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from typing import Any

from benchmarks.live.load_run import versions
from benchmarks.live.run import OUT


def keep(name: str, figures: dict[str, Any]) -> None:
    """Write the figures of one case, with the day, the load of the last minutes and versions."""
    OUT.mkdir(parents=True, exist_ok=True)
    when, load = datetime.now(UTC).isoformat(timespec="seconds"), os.getloadavg()[1]
    now = {"when": when, "load": round(load, 1), "versions": versions()}
    text = json.dumps({"case": name, **figures, **now}, indent=1)
    (OUT / f"{name}.json").write_text(text + "\n", "utf-8")
