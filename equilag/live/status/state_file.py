"""The file that keeps what a steward has learnt over its restarts."""

from __future__ import annotations

import json
import logging
import time
from pathlib import Path
from typing import Final

from equilag.adapters.files import read_text, replace_file
from equilag.adapters.parse_json import parse_json
from equilag.domain.errors import InputError
from equilag.domain.show import show
from equilag.domain.values import as_object
from equilag.live.status.status import log_event
from equilag.live.tracking.load_tracker import LoadTracker

_SAVE_EVERY_S: Final = 60.0
"""A crash loses a minute: speeds are good for an hour."""


class KeptState:
    """A tracker, and the file that it is kept in; without a path there is none.

    `now` is monotonic time in seconds. Raises InputError, which names the file and the place in it,
    for a file that cannot be read, is no state, or is that of another group.
    """

    def __init__(self, path: Path | None, group: str) -> None:
        self._path = path
        self._group = group
        self._saved_at = time.monotonic()
        self._failed = False
        self.tracker = LoadTracker() if path is None else self._loaded(path)

    def _loaded(self, path: Path) -> LoadTracker:
        try:
            if not path.exists():
                if not path.parent.is_dir():
                    raise InputError("there is no such folder")
                return LoadTracker()
            state = as_object(parse_json(read_text(path)), "")
            if state.get("group", self._group) != self._group:
                problem = f"{show(state['group'])} is not {show(self._group)}, the group to steward"
                raise InputError(problem, "group")
            return LoadTracker.from_dict(state, self._saved_at, time.time())
        except InputError as error:
            raise InputError(error.problem, error.place, str(path)) from error
        except OSError as error:  # such as a name that is too long
            raise InputError(error.strerror or str(error), "", str(path)) from error

    def save_sometimes(self, now: float) -> None:
        """Write the file if the last time is long ago."""
        if now - self._saved_at >= _SAVE_EVERY_S:
            self.save(now)

    def save(self, now: float) -> None:
        """Write what the tracker knows; log it once if that fails. Never raises.

        After a crash the file is the old or the new one, whole.
        """
        self._saved_at = now
        if self._path is None:
            return
        text = json.dumps({"group": self._group, **self.tracker.to_dict(now, time.time())})
        try:
            replace_file(self._path, text.encode())
            self._failed = False
        except OSError as error:
            if not self._failed:
                problem = f"{self._path}: {error.strerror or error}"
                log_event(logging.WARNING, "state-not-kept", problem=problem)
            self._failed = True
