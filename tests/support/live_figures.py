"""Figures of a live run, kept in .cache/live/ of the checkout for the documentation."""

from __future__ import annotations

import json
from typing import Any

from benchmarks.live.load_run import versions
from benchmarks.live.run import OUT


def keep(name: str, figures: dict[str, Any]) -> None:
    """Write the figures of one case, with the versions of the software."""
    OUT.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"case": name, **figures, "versions": versions()}, indent=1)
    (OUT / f"{name}.json").write_text(text + "\n", "utf-8")
