"""Sizes and lags of the members' topics, read while the group waits in a rebalance."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from equilag.adapters.kafka.group_reader import GroupReader, MissingRight, TopicOffsets
from equilag.errors import EquilagError, InputError
from equilag.live.rebalance.measured import NOTHING_MEASURED, Measured
from equilag.live.steward.membership_errors import Unreachable
from equilag.live.steward.observer import Observation, known_share, measured_of
from equilag.live.steward.steward_options import StewardOptions

_MIN_KNOWN_LAGS: Final = 0.9
"""Share of the partitions whose lag must be known for a plan: with less, the plan would rest on
guesses for more than one partition in ten."""


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
    """Return sizes and lags of the topics; from the last observation if they cannot be read.

    Raises TopicsUnknown, and MissingRight if the steward may not describe a topic.
    """
    if not topics:
        return TopicLags()
    try:
        offsets = reader.lags(options.group, topics, options.in_rebalance.time_limit)
    except MissingRight:
        raise
    except EquilagError as error:
        if observation is not None and _observed_topics(observation).issuperset(topics):
            measured = replace(observation.measured, age=time.monotonic() - observation.at)
            reason = None if measured.age <= options.lag_age else f"no fresh lag: {error}"
            return TopicLags(observation.sizes, measured, reason)
        sizes = _read_sizes(reader, topics, options.session / 2)
        return TopicLags(sizes, fallback_reason=f"no lag: {error}")
    return _lags_of_offsets(offsets, options)


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


def _lags_of_offsets(offsets: TopicOffsets, options: StewardOptions) -> TopicLags:
    try:
        measured = measured_of(offsets, options)
    except InputError as error:
        return TopicLags(offsets.sizes, fallback_reason=f"no valid lag: {error}")
    known, total = known_share(measured.lags)
    enough = known >= _MIN_KNOWN_LAGS * total
    reason = None if enough else f"the lag of {total - known} of {total} partitions is unknown"
    return TopicLags(offsets.sizes, measured, reason)
