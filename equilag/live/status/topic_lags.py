"""Sizes and lags of the members' topics, read while the group waits in a rebalance."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from equilag.adapters.kafka.group_reader import GroupReader, MissingRight, TopicOffsets
from equilag.domain.errors import EquilagError, InputError
from equilag.live.rebalance.measured import (
    NOTHING_MEASURED,
    Measured,
    too_few_lags,
    with_size,
)
from equilag.live.steward.membership_errors import Unreachable
from equilag.live.steward.observer import Observation, lags_of
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
    limit = options.in_rebalance.time_limit
    observed = _observed_lags(observation, topics, options)
    if observed is not None and observed.age <= FRESH_INTERVALS * options.observe_every:
        try:
            sizes = _read_sizes(reader, topics, limit)
        except TopicsUnknown:
            return TopicLags(observed.sizes, observed.measured)
        if all(sizes.get(topic) == observed.sizes.get(topic) for topic in topics):
            return _checked(sizes, observed.measured)
    try:
        offsets = reader.lags(options.group, topics, limit)
    except MissingRight:
        raise
    except EquilagError as error:
        if observed is not None:
            reason = None if observed.age <= options.lag_age else f"no fresh lag: {error}"
            return TopicLags(observed.sizes, observed.measured, reason)
        sizes = _read_sizes(reader, topics, options.session / 2)
        return TopicLags(sizes, fallback_reason=f"no lag: {error}")
    return _lags_of_offsets(offsets, options, observation)


class _ObservedLags(NamedTuple):
    sizes: Mapping[str, int]
    measured: Measured
    age: float
    """Seconds since the observation."""


def _observed_lags(
    observation: Observation | None, topics: list[str], options: StewardOptions
) -> _ObservedLags | None:
    """What the last observation knows of the topics; None if it does not cover them all."""
    if observation is None or not _observed_topics(observation).issuperset(topics):
        return None
    age = time.monotonic() - observation.at
    return _ObservedLags(observation.sizes, replace(observation.measured, age=age), age)


def _observed_topics(observation: Observation) -> set[str]:
    return {topic for member in observation.members for topic in member.topics}


def _read_sizes(reader: GroupReader, topics: list[str], timeout: float) -> Mapping[str, int]:
    """Return the topics' sizes. Without them nothing can be assigned, so they may take long."""
    try:
        return reader.sizes(topics, timeout)
    except MissingRight:
        raise
    except EquilagError as error:
        raise TopicsUnknown(f"the topics cannot be read: {error}") from error


def _lags_of_offsets(
    offsets: TopicOffsets, options: StewardOptions, observation: Observation | None
) -> TopicLags:
    """Lags and racks are those of the offsets; whatever else is measured takes several looks, and
    comes from the last observation."""
    racks = offsets.racks if options.policy.minds_racks else None
    try:
        lags = lags_of(offsets, options.reset)
    except InputError as error:
        return TopicLags(offsets.sizes, fallback_reason=f"no valid lag: {error}")
    before = NOTHING_MEASURED if observation is None else observation.measured
    return _checked(offsets.sizes, replace(before, lags=lags, racks=racks or None, age=0.0))


def _checked(sizes: Mapping[str, int], measured: Measured) -> TopicLags:
    return TopicLags(sizes, measured, too_few_lags(with_size(measured.lags, sizes)))
