"""What a steward learns of its group, kept in a file over restarts if the user names one."""

from __future__ import annotations

import logging
import time
from pathlib import Path
from typing import Final

from equilag.domain.errors import InputError
from equilag.live.status.event_log import log_event
from equilag.live.status.state_file import StateFile
from equilag.live.tracking.load_tracker import LoadTracker

_SAVE_EVERY_S: Final = 60.0
"""A crash loses a minute: speeds are good for an hour."""


class KeptState:
    """A tracker, and the file that it is kept in."""

    def __init__(self, tracker: LoadTracker, file: StateFile | None, now: float) -> None:
        self.tracker = tracker
        self._file = file
        self._saved_at = now
        self._failed = False

    @classmethod
    def open(cls, path: Path | None, group: str) -> KeptState:
        """Return what an earlier process learnt. Raises InputError for a file that is no state."""
        now = time.monotonic()
        if path is None:
            return cls(LoadTracker(), None, now)
        file = StateFile(path, group)
        return cls(file.load(now, time.time()), file, now)

    def save_sometimes(self, now: float) -> None:
        """Write the file if the last time is long ago. Never raises."""
        if now - self._saved_at >= _SAVE_EVERY_S:
            self.save(now)

    def save(self, now: float) -> None:
        """Write the file; log it once if that fails."""
        self._saved_at = now
        if self._file is None:
            return
        try:
            self._file.save(self.tracker, now, time.time())
            self._failed = False
        except InputError as error:
            if not self._failed:
                log_event(logging.WARNING, "state-not-kept", problem=str(error))
            self._failed = True
