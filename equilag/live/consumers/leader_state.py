"""What a leader remembers from one rebalance to the next, and what it writes to its log."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from equilag.domain.errors import describe_error
from equilag.domain.group.co_partitioning import CoPartitionedTopics
from equilag.domain.policy.policy import Policy
from equilag.live.consumers.lag_source import LoadSource, Sizes
from equilag.live.rebalance.assignments import RebalanceAnswer
from equilag.live.rebalance.controller import Considered
from equilag.live.rebalance.decision import Origin
from equilag.live.rebalance.fitting_policy import with_capacities
from equilag.live.rebalance.joined_members import JoinedMember, Partitions, group_of, member_key
from equilag.live.rebalance.measured import (
    Measured,
    Racks,
    measured_loads,
    too_few_lags,
    with_size,
)
from equilag.live.rebalance.rebalance_limits import VerdictNews
from equilag.planner.worth.group_loads import GroupLoads

log: Final = logging.getLogger("equilag.consumers")

_ANSWERS: Final[dict[Origin, str]] = {
    "target": "the plan made in advance",
    "sticky": "a sticky plan",
    "heuristic": "a heuristic",
}


class VerdictLog:
    """The log of one group: what repeats from sample to sample is written once."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._news = VerdictNews()
        self._failures: set[str] = set()
        self._left_out: tuple[str, ...] = ()

    def answer(self, answer: RebalanceAnswer, seconds: float) -> None:
        """An answer was made in this time."""
        for line in answer.left_out:
            if line not in self._left_out:
                log.warning("group %s: %s", self._name, line)
        self._left_out = answer.left_out
        reasons = "; ".join(answer.fallback_reasons)
        log.log(
            logging.WARNING if answer.origin == "heuristic" else logging.INFO,
            "group %s: %s answers in %.0f ms: %d moves, %d partitions withheld%s",
            self._name, _ANSWERS[answer.origin], 1000 * seconds, answer.moves, answer.withheld,
            f": {reasons}" if reasons else "",
        )  # fmt: skip

    def verdict(self, considered: Considered, now: float) -> None:
        """A verdict of the controller: written when it is news."""
        if considered.effect:
            log.info("group %s: %s", self._name, considered.effect)
        verdict = considered.verdict
        if self._news.is_news(verdict, now):
            log.info("group %s: no rebalance: %s: %s", self._name, verdict.ground, verdict.reason)

    def request(self, considered: Considered) -> None:
        """The leader requests a rebalance."""
        log.info("group %s: requesting a rebalance: %s", self._name, considered.case)

    def failure(self, error: Exception) -> None:
        """Something of the user's failed: the first failure of each type is written."""
        if (kind := type(error).__name__) not in self._failures:
            self._failures.add(kind)
            log.warning("group %s: the lag source failed: %s", self._name, describe_error(error))

    def together(self, found: tuple[CoPartitionedTopics, ...]) -> None:
        """These topics are kept together from now on."""
        topics = "; ".join(", ".join(one.topics) for one in found)
        log.info("group %s: keeps together: %s", self._name, topics or "no topics")


@dataclass(frozen=True, slots=True)
class LastAnswer:
    """To whom something was handed out last, and of what."""

    rebalances: int
    """How many there had been then."""
    members: Sequence[JoinedMember]
    """Those with topics."""
    sizes: Sizes
    racks: Racks | None
    held: Mapping[str, Partitions]
    """Member key -> partitions, withheld ones included."""


class LeaderLoad:
    """Measurements of one group from `source`. Lags older than `max_age` s count as unknown."""

    def __init__(
        self, name: str, source: LoadSource, policy: Policy, max_age: float, report: VerdictLog
    ) -> None:
        self._name = name
        self._source = source
        self.policy = policy
        self._max_age = max_age
        self._report = report

    def measured(
        self, members: Sequence[JoinedMember], sizes: Sizes, racks: Racks | None
    ) -> tuple[Measured, str | None]:
        """Return what is known; and why nothing is to be planned by it, if so. Never raises."""
        nothing = Measured(racks=racks)
        try:
            found = self._source.measured(sizes, [member_key(one) for one in members if one.topics])
        except Exception as error:  # noqa: BLE001  the user's own code
            self._report.failure(error)
            return nothing, f"the lag source failed: {describe_error(error)}"
        if found is None:
            return nothing, "no lag has been measured yet"
        if found.age > self._max_age:
            return nothing, f"the newest lags are {found.age:.0f} s old"
        try:
            reason = too_few_lags(with_size(found.lags, sizes))
        except Exception as error:  # noqa: BLE001  the user's lags may be anything
            return nothing, f"the lags cannot be used: {describe_error(error)}"
        rates = (rate for row in found.rates.values() for rate in row)
        if reason is not None and any(rate is not None for rate in rates):
            # Rates alone tell more than lags that would count as 0 for some partitions.
            found, reason = replace(found, lags={}), None
        if self.policy.capacity:  # they may be in any unit
            found = replace(found, capacities={})
        return replace(found, racks=racks), reason

    def loads(self, last: LastAnswer, measured: Measured) -> GroupLoads:
        """Return the loads of the group with what was handed out. Raises InputError."""
        settled = [
            replace(one, claims=last.held[member_key(one)], hints={}, generation=-1)
            for one in last.members
        ]
        group = group_of(self._name, settled, last.sizes, measured)
        return measured_loads(with_capacities(group, self.policy), self.policy, measured)
