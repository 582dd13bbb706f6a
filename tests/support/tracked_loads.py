"""Made-up observations of a group for `LoadTracker`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from equilag.adapters.measuring.offset_samples import OffsetSamples
from equilag.adapters.measuring.topic_columns import ObservedOffsets
from equilag.domain.columns import NOBODY, Floats, Index
from equilag.live.tracking.load_tracker import LoadTracker

TOPIC = "t"


def keys_of(members: int) -> list[str]:
    return [f"m{number}" for number in range(members)]


def observation(
    at: float,
    log_end: Sequence[int | None],
    committed: Sequence[int | None] | None = None,
    holder: Index | None = None,
) -> ObservedOffsets:
    """One topic; member number i has the key `mi`. Without commits nobody holds anything."""
    held: dict[str, dict[str, list[int]]] = {}
    for partition, member in enumerate(() if holder is None else holder.tolist()):
        if member != NOBODY:
            held.setdefault(f"m{member}", {TOPIC: []})[TOPIC].append(partition)
    starts = {TOPIC: [0] * len(log_end)}
    return ObservedOffsets(at, starts, {TOPIC: log_end}, {TOPIC: committed or []}, held)


def observations(samples: OffsetSamples) -> Iterator[ObservedOffsets]:
    for at, end, committed, holder in zip(
        samples.times, samples.log_end, samples.committed, samples.holder, strict=True
    ):
        yield observation(float(at), end.tolist(), committed.tolist(), holder)


def rates_now(tracker: LoadTracker, partitions: int) -> Floats:
    """[P] NaN where unknown."""
    found = tracker.rates({TOPIC: partitions})[0][TOPIC]
    return np.array([np.nan if rate is None else rate for rate in found])


def followed(times: Floats, log_ends: Floats) -> Iterator[Floats]:
    """The rates [P] after each of the observations of log ends [S, P]."""
    tracker = LoadTracker()
    for at, row in zip(times.tolist(), log_ends.astype(int).tolist(), strict=True):
        tracker.add(observation(at, row))
        yield rates_now(tracker, len(row))
