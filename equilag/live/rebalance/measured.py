"""What was measured of a group's topics, for a plan."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Final, TypeAlias, TypeVar

import numpy as np

from equilag.adapters.measuring.topic_columns import TopicColumns
from equilag.domain.group.group import Group
from equilag.domain.group.lag import NO_COMMIT, UNKNOWN, lag_from_offsets
from equilag.domain.group.weight import knows_rates
from equilag.domain.policy.policy import Policy
from equilag.planner.simulation.rebalance_price import COMMIT_S
from equilag.planner.worth.group_loads import GroupLoads, group_loads

Row = TypeVar("Row")
Lags: TypeAlias = Mapping[str, Sequence[int | None]]
"""Topic -> lag in records, one entry per partition; None if unknown."""
Racks: TypeAlias = Mapping[str, Sequence[Sequence[str]]]
"""Topic -> for each partition, the racks that hold a replica."""
Rates: TypeAlias = Mapping[str, Sequence[float | None]]
"""Topic -> records per second, one entry per partition; None if unknown."""

MAX_UNKNOWN_LAGS: Final = 0.1
"""Share of the partitions whose lag may be unknown in a plan: with more, the plan would rest on
guesses for more than one partition in ten."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What is known of some topics and members; those of which nothing is known may be missing."""

    lags: Lags = field(default_factory=dict)
    racks: Racks | None = None
    """None if no rack is known, or if the policy does not mind racks."""
    age: float = 0.0
    """Seconds since the lags were measured."""
    rates: Rates = field(default_factory=dict)
    """Records produced per second."""
    rate_errors: Rates = field(default_factory=dict)
    """Standard errors of the rates."""
    capacities: Mapping[str, float] = field(default_factory=dict)
    """Member key -> records per second; empty if no speed is known."""
    guessed: Set[str] = frozenset()
    """Member keys of the capacities that are guesses: those members never had a backlog."""
    commit_s: float = COMMIT_S
    """The longest time between two commits."""


NOTHING_MEASURED: Final = Measured()


def shares_in_force(
    keys: Iterable[str], in_force: Mapping[str, float], measured: Mapping[str, float]
) -> dict[str, float]:
    """Return the share of each member key in a plan that a join or a leave forces.

    Members that stay keep the proportions in force: a newly measured speed is no reason to move
    partitions now. Others get a share by their measured speed, or else a mean one. Empty if counts
    in force are even.
    """
    if not in_force:
        return {}
    both = [key for key in in_force if key in measured]
    usual = sum(in_force.values()) / len(in_force)
    each = sum(in_force[key] for key in both) / max(1e-9, sum(measured[key] for key in both))
    return {
        key: in_force.get(key, each * measured[key] if both and key in measured else usual)
        for key in keys
    }


_WITHOUT_RESET: Final = "earliest"
"""How lags are counted as long as the setting is unknown: those without a commit are left out."""


def lags_of(committed: Lags, log_start: Lags, log_end: Lags, reset: str | None) -> Lags:
    """Return the lag of each partition by topic; None if it is unknown, as offsets are.

    As long as the consumers' `auto.offset.reset` is unknown, so is the lag of a partition without a
    commit, unless its log is empty.
    """
    columns = TopicColumns({topic: len(row) for topic, row in log_end.items()})
    commits, starts, ends = map(columns.column, (committed, log_start, log_end))
    lag, quality = lag_from_offsets(commits, starts, ends, reset or _WITHOUT_RESET)
    unknown = quality == UNKNOWN
    if reset is None:
        unknown |= (quality == NO_COMMIT) & (lag > 0)
    rows = zip(lag.tolist(), unknown.tolist(), strict=True)
    lags = [None if is_unknown else number for number, is_unknown in rows]
    return {topic: lags[place] for topic, place in columns}


def too_few_lags(lags: Lags) -> str | None:
    """Return why too few of these lags are known for a plan by lag; None if enough are."""
    values = [value for row in lags.values() for value in row]
    unknown = sum(value is None for value in values)
    if unknown <= MAX_UNKNOWN_LAGS * len(values):
        return None
    return f"the lag of {unknown} of {len(values)} partitions is unknown"


def with_size(
    rows: Mapping[str, Sequence[Row]], sizes: Mapping[str, int]
) -> dict[str, Sequence[Row]]:
    """Return the rows of topics that still have the size that they had when they were measured."""
    return {topic: row for topic, row in rows.items() if sizes.get(topic) == len(row)}


def measured_loads(group: Group, policy: Policy, measured: Measured) -> GroupLoads:
    """Return the loads of a group that was built from `measured`. Raises InputError."""
    errors = known = None
    if measured.rate_errors:
        sizes = dict(zip(group.topics, group.topic_size.tolist(), strict=True))
        errors = TopicColumns(sizes).values(measured.rate_errors)
    if measured.capacities:
        keys = [member.instance_id or member.id for member in group.members]
        known = np.array([key not in measured.guessed for key in keys], dtype=np.bool_)
    return group_loads(group, policy, errors, known)


def awaits_rates(group: Group, policy: Policy) -> bool:
    """True if loads depend on rates, and none is known yet."""
    return policy.weight in (None, "work", "rate") and not knows_rates(group)
