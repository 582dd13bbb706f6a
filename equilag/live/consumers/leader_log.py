"""The log of a leader."""

from __future__ import annotations

import logging
from typing import Final

from equilag.domain.errors import describe_error
from equilag.domain.group.co_partitioning import CoPartitionedTopics
from equilag.live.rebalance.assignments import RebalanceAnswer
from equilag.live.rebalance.controller import Considered
from equilag.live.rebalance.decision import Origin
from equilag.live.rebalance.rebalance_limits import VerdictNews

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
