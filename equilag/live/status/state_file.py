"""The file that keeps what a steward has learnt over its restarts."""

from __future__ import annotations

import json
import logging
import time
from pathlib import Path
from typing import Final

from equilag.adapters.open_text import read_text
from equilag.adapters.parse_json import parse_json
from equilag.adapters.whole_file import replace_file
from equilag.domain.errors import InputError
from equilag.domain.show import show
from equilag.domain.values import as_object
from equilag.live.status.event_log import log_event
from equilag.live.tracking.load_tracker import LoadTracker
from equilag.live.tracking.tracked_state import TrackingSettings


class StateFile:
    """One file for one group; `now` is monotonic time, `wall` Unix time, both in seconds."""

    def __init__(self, path: Path, group: str) -> None:
        self._path = path
        self._group = group

    def load(
        self, now: float, wall: float, settings: TrackingSettings | None = None
    ) -> LoadTracker:
        """Return a tracker that knows what the file says; a new one if there is no file.

        Raises InputError, which names the file and the place in it, for a file that cannot be read,
        is no state, or is that of another group.
        """
        try:
            if not self._path.exists():
                self._check_folder()
                return LoadTracker(settings)
            state = as_object(parse_json(read_text(self._path)), "")
            if state.get("group", self._group) != self._group:
                problem = f"{show(state['group'])} is not {show(self._group)}, the group to steward"
                raise InputError(problem, "group")
            return LoadTracker.from_dict(state, now, wall, settings)
        except InputError as error:
            raise InputError(error.problem, error.place, str(self._path)) from error
        except OSError as error:  # such as a name that is too long
            raise InputError(error.strerror or str(error), "", str(self._path)) from error

    def _check_folder(self) -> None:
        if not self._path.parent.is_dir():
            raise InputError("there is no such folder")

    def save(self, tracker: LoadTracker, now: float, wall: float) -> None:
        """Write what the tracker knows; after a crash the file is the old or the new one, whole.

        Raises InputError, which names the file, if it cannot be written.
        """
        text = json.dumps({"group": self._group, **tracker.to_dict(now, wall)})
        try:
            replace_file(self._path, text.encode())
        except OSError as error:
            raise InputError(error.strerror or str(error), "", str(self._path)) from error


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
