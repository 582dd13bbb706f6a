"""The file that keeps what a steward has learnt over its restarts."""

from __future__ import annotations

import json
from pathlib import Path

from equilag.adapters.open_text import read_text
from equilag.adapters.parse_json import parse_json
from equilag.adapters.snapshot.shapes import as_object
from equilag.adapters.whole_file import replace_file
from equilag.domain.errors import InputError
from equilag.domain.show import show
from equilag.live.tracking.load_tracker import LoadTracker
from equilag.live.tracking.tracking_settings import TrackingSettings


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
