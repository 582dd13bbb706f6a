"""The log of the steward: one line per event; its status remembers those that people look for."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from equilag.live.status.status import StewardStatus, utc
from equilag.report.facts.stewards.steward_parts import StewardEvent

LOG: Final = logging.getLogger("equilag.steward")
_SHOWN_ELSEWHERE: Final = {"decision", "would-be", "speeds"}
"""Events whose content the status has as figures."""


def log_event(level: int, event: str, **fields: Any) -> None:
    """Log an event and its fields as one line."""
    LOG.log(level, event, extra={"fields": fields})


class _Recorder(logging.Handler):
    """Hands the lines of the log to a status."""

    def __init__(self, state: StewardStatus) -> None:
        super().__init__(logging.INFO)
        self._state = state

    def emit(self, record: logging.LogRecord) -> None:
        event = record.getMessage()
        if event in _SHOWN_ELSEWHERE:
            return
        text = _in_words(getattr(record, "fields", {}))
        self._state.record_event(
            StewardEvent(utc(record.created), record.levelname.lower(), event, text)
        )


def _in_words(fields: Mapping[str, Any]) -> str:
    """The fields as people read them: reasons as they are, other ones with their names."""
    plain = ("reason", "problem", "text")
    words = [
        str(value) if name in plain else f"{name.replace('_', ' ')}: {value}"
        for name, value in fields.items()
        if value not in ("", None)
    ]
    return "; ".join(words)


@contextmanager
def recorded(state: StewardStatus) -> Iterator[None]:
    """Let the status remember the steward's log."""
    recorder = _Recorder(state)
    LOG.addHandler(recorder)
    try:
        yield
    finally:
        LOG.removeHandler(recorder)
