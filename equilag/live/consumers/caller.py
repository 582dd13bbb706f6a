"""Which consumer an assignor works for."""

from __future__ import annotations

import sys
from typing import Any, Final

DEEP: Final = 8


def find_caller(kinds: tuple[type, ...]) -> Any | None:
    """The nearest `self` up the stack that is one of `kinds`; None where there is none.

    Neither client tells an assignor whose it is: kafka-python makes it without arguments, aiokafka
    calls methods of the bare class. But it takes the group's name and a connection to measure lag,
    and users shall not have to give twice what they gave their consumer. Both call from a method of
    the coordinator, so its frame has it. Nothing but `self` is read there.
    """
    get_frame = getattr(sys, "_getframe", None)
    if get_frame is None:  # not every Python has frames to look at
        return None
    frame = get_frame(1)
    for _ in range(DEEP):
        if frame is None:
            return None
        found = frame.f_locals.get("self")
        if isinstance(found, kinds):
            return found
        frame = frame.f_back
    return None
