"""Figures of a live run, kept in .cache/live/ of the checkout for the documentation."""

from __future__ import annotations

import json
import platform
from importlib.metadata import version
from typing import Any

import confluent_kafka
from support.paths import CHECKOUT


def keep(name: str, figures: dict[str, Any]) -> None:
    """Write the figures of one case, with the versions of the software."""
    folder = CHECKOUT / ".cache" / "live"
    folder.mkdir(parents=True, exist_ok=True)
    versions = {
        "python": platform.python_version(),
        "confluent-kafka": confluent_kafka.__version__,
        "librdkafka": confluent_kafka.libversion()[0],
        "kafka-python": version("kafka-python"),
    }
    text = json.dumps({"case": name, **figures, "versions": versions}, indent=1)
    (folder / f"{name}.json").write_text(text + "\n", "utf-8")
