"""Sizes and lags of the members' topics, read while the group waits in a rebalance."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from equilag.adapters.kafka.group_reader import GroupReader, MissingRight
from equilag.domain.errors import EquilagError
from equilag.live.rebalance.measured import (
    NOTHING_MEASURED,
    Measured,
    lags_of,
    too_few_lags,
    with_size,
)
from equilag.live.steward.membership_errors import Unreachable
from equilag.live.steward.observer import Observation
from equilag.live.steward.steward_options import StewardOptions

FRESH_INTERVALS: Final = 2.0
"""Observation intervals for which an observation stands in for reading lags while the group waits:
one may have failed."""


class TopicsUnknown(Unreachable):
    """The topics' sizes are unknown, so nothing can be assigned."""


@dataclass(frozen=True, slots=True)
class TopicLags:
    """The number of partitions of each topic, and what was measured of them."""

    sizes: Mapping[str, int] = field(default_factory=dict)
    measured: Measured = NOTHING_MEASURED
    fallback_reason: str | None = None
    """Why the lags are not good enough for a plan, None if they are."""


def read_topic_lags(
    reader: GroupReader,
    topics: list[str],
    options: StewardOptions,
    observation: Observation | None,
) -> TopicLags:
    """Return sizes and lags of the topics; the lags from the last observation if that is fresh, or
    if they cannot be read.

    Sizes are always read, in one request. Raises TopicsUnknown, and MissingRight if the steward may
    not describe a topic.
    """
    if not topics:
        return TopicLags()
    limit, observed = options.in_rebalance.time_limit, None
    if observation is not None and observation.read_topics.issuperset(topics):
        age = time.monotonic() - observation.at
        observed = TopicLags(observation.sizes, replace(observation.measured, age=age))
    if observed is not None and observed.measured.age <= FRESH_INTERVALS * options.observe_every:
        try:
            sizes = _read_sizes(reader, topics, limit)
        except TopicsUnknown:
            return observed
        if all(sizes.get(topic) == observed.sizes.get(topic) for topic in topics):
            return _checked(sizes, observed.measured)
    try:
        offsets = reader.lags(options.group, topics, limit)
    except MissingRight:
        raise
    except EquilagError as error:
        if observed is None:
            sizes = _read_sizes(reader, topics, options.session / 2)
            return TopicLags(sizes, fallback_reason=f"no lag: {error}")
        fresh = observed.measured.age <= options.lag_age
        return replace(observed, fallback_reason=None if fresh else f"no fresh lag: {error}")
    # Lags and racks are those of the offsets; whatever else is measured takes several looks.
    before = NOTHING_MEASURED if observation is None else observation.measured
    racks = offsets.racks if options.policy.minds_racks else None
    lags = lags_of(offsets.committed, offsets.log_start, offsets.log_end, options.reset)
    return _checked(offsets.sizes, replace(before, lags=lags, racks=racks or None, age=0.0))


def _read_sizes(reader: GroupReader, topics: list[str], timeout: float) -> Mapping[str, int]:
    """Return the topics' sizes. Without them nothing can be assigned, so they may take long."""
    try:
        return reader.sizes(topics, timeout)
    except MissingRight:
        raise
    except EquilagError as error:
        raise TopicsUnknown(f"the topics cannot be read: {error}") from error


def _checked(sizes: Mapping[str, int], measured: Measured) -> TopicLags:
    return TopicLags(sizes, measured, too_few_lags(with_size(measured.lags, sizes)))
