"""What happened in a group between two samples of its offsets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from equilag.domain.columns import Flags, Ints
from equilag.domain.group.group import Group


@dataclass(frozen=True, slots=True)
class ReadProgress:
    """[P] between two samples; 0 where an offset is unknown."""

    seconds: float
    known: Flags
    """Commits and ends of both moments are known, and did not go back."""
    before: Ints
    """Records that waited at the first one."""
    after: Ints
    read: Ints
    produced: Ints

    is_whole: bool
    """True if every partition that lags is known."""

    @property
    def is_settled(self) -> bool:
        """True if the lag falls."""
        return self.is_whole and int(self.after.sum()) < int(self.before.sum())


def progress_of(group: Group) -> ReadProgress | None:
    """None without an earlier sample."""
    now, earlier = group.offsets, group.previous
    if now is None or earlier is None:
        return None
    then = earlier.offsets
    known: Flags = group.assignable.copy()
    for column in (now.committed, now.log_end, then.committed, then.log_end):
        known &= column >= 0
    known &= (now.committed >= then.committed) & (now.log_end >= then.log_end)

    def between(last: Ints, first: Ints) -> Ints:
        found: Ints = np.where(known, last - first, 0)
        return found

    return ReadProgress(
        earlier.seconds_before,
        known,
        np.maximum(0, between(then.log_end, np.maximum(then.committed, then.log_start))),
        np.maximum(0, between(now.log_end, np.maximum(now.committed, now.log_start))),
        between(now.committed, then.committed),
        between(now.log_end, then.log_end),
        not group.lag[group.assignable & ~known].any(),
    )
