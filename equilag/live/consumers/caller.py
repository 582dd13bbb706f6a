"""Finding the consumer that an assignor works for."""

from __future__ import annotations

import sys
from typing import Any, Final

MAX_FRAMES: Final = 8
"""Frames to search: the coordinator's is the third or fourth one up (kafka-python 3.0.12, aiokafka
0.14). Twice that leaves room for users' subclasses."""


def find_caller(kinds: tuple[type, ...]) -> Any | None:
    """Return the nearest `self` on the call stack that is one of `kinds`, or None.

    Neither client tells an assignor which consumer it works for: kafka-python creates it without
    arguments, aiokafka calls class methods. But planning needs the group's name and a connection
    that measures lag, and users should not have to configure both twice. Both clients call from a
    method of the coordinator, so its frame has it. Only `self` is read there.
    """
    get_frame = getattr(sys, "_getframe", None)
    if get_frame is None:  # not every Python has frames
        return None
    frame = get_frame(1)
    for _ in range(MAX_FRAMES):
        if frame is None:
            return None
        found = frame.f_locals.get("self")
        if isinstance(found, kinds):
            return found
        frame = frame.f_back
    return None
