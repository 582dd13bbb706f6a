"""The steward's log: a line in logfmt for each event."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class LogLine(logging.Formatter):
    """One line in logfmt: ``time=… level=… event=… key=value``."""

    default_time_format = "%Y-%m-%dT%H:%M:%S"
    default_msec_format = "%s.%03d"

    def format(self, record: logging.LogRecord) -> str:
        fields: dict[str, Any] = {
            "time": self.formatTime(record),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        line = " ".join(
            f"{key}={_shown(value)}" for key, value in fields.items() if value not in ("", None)
        )
        return f"{line}\n{self.formatException(record.exc_info)}" if record.exc_info else line


def _shown(value: object) -> str:
    text = str(value)
    plain = text and all(c.isprintable() and c not in ' "=' for c in text)
    return text if plain else json.dumps(text, ensure_ascii=False)


@contextmanager
def logging_to_stderr() -> Iterator[None]:
    """Write equilag's log lines of level INFO and above to standard error, and nowhere else."""
    handler = logging.StreamHandler()
    handler.setFormatter(LogLine())
    logger = logging.getLogger("equilag")
    level, propagate = logger.level, logger.propagate
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    logger.propagate = False
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
        logger.propagate = propagate
