"""The log of the steward: one line per event."""

from __future__ import annotations

import logging
from typing import Any, Final

LOG: Final = logging.getLogger("equilag.steward")


def log_event(level: int, event: str, **fields: Any) -> None:
    """Log an event and its fields as one line."""
    LOG.log(level, event, extra={"fields": fields})
