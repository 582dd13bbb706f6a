"""The steward's log: one event with its fields a line."""

from __future__ import annotations

import logging
from typing import Any, Final

LOG: Final = logging.getLogger("equilag.steward")


def log_event(level: int, event: str, **fields: Any) -> None:
    """One line of the log: an event and its fields."""
    LOG.log(level, event, extra={"fields": fields})
