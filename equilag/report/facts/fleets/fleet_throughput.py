"""Which groups of a fleet keep up, and what would help the others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

VERDICTS: Final = ("keeps_up", "moves", "members", "uneven", "hot")
"""What `plans/` says: see `equilag.pipeline.sources.group_columns`."""


MAX_NAMED: Final = 20
"""Hot partitions of a group that are named: more are no list that somebody reads."""


@dataclass(frozen=True, slots=True)
class GroupThroughput:
    """A group whose rates and capacities are known; rates in records per second."""

    group: str
    verdict: str
    members: int
    moves: int
    utilisation_now: float
    """Rate over capacity of the busiest member."""
    utilisation: float
    """The same with the plan."""
    short_now: float
    """By so much the members fall behind, in all."""
    short: float
    members_short: int | None
    """So many more members keep up; 0 if the present ones would, where rates alone are balanced.
    None where the plan keeps up, and where no number was found."""
    hot: tuple[str, ...]
    """Partitions that are produced to faster than any member reads, `MAX_NAMED` at most."""


@dataclass(frozen=True, slots=True)
class FleetThroughputFacts:
    counts: dict[str, int]
    """Groups of each verdict; all of `VERDICTS` are there."""
    behind: tuple[GroupThroughput, ...]
    """Groups that do not keep up, the one that falls behind the fastest first; some of them."""

    @property
    def known(self) -> int:
        return sum(self.counts.values())

    @property
    def n_behind(self) -> int:
        return self.known - self.counts["keeps_up"]


def fleet_throughput(groups: Iterable[GroupThroughput], top: int) -> FleetThroughputFacts | None:
    """The facts of a run, with `top` of the groups that do not keep up; None if none is known."""
    known = list(groups)
    if not known:
        return None
    counts = {verdict: sum(row.verdict == verdict for row in known) for verdict in VERDICTS}
    behind = [row for row in known if row.verdict != "keeps_up"]
    behind.sort(key=lambda row: (-row.short_now, row.group))
    return FleetThroughputFacts(counts, tuple(behind[:top]))
