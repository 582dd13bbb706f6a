"""What `size` answers: the heaviest load by the number of processes, and the rows it shows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal, NamedTuple

import numpy as np

from equilag.domain.document import Shown, to_document
from equilag.domain.group.group import Group
from equilag.domain.plan.claim import Evidence
from equilag.domain.policy.policy import Policy
from equilag.domain.policy.policy_settings import WeightKind

FORMAT: Final = "equilag/size/1"
EVIDENCE: Final[Evidence] = "checked"
"""What the bounds rest on: counting and exhaustive search; no solver is asked."""


class LeastSize(NamedTuple):
    """The least size whose heaviest load is within a limit."""

    at_least: int
    """No smaller size is; where none is, the size after the largest one that was looked at."""
    at_most: int | None
    """A plan of this size is; None where none was found."""

    @property
    def proved(self) -> bool:
        return self.at_least == self.at_most


class HotUnit(NamedTuple):
    """A partition that weighs much by itself, or the first one of those co-partitioned with it."""

    topic: str
    partition: int
    weight: float
    """Records per second, or what else is spread."""
    share: float | None
    """Of what the fastest member can process; None where that is unknown."""

    @property
    def pieces(self) -> int:
        """The least number of partitions to share its records evenly, for each to be read by one
        member."""
        return math.ceil(self.share or 1.0)

    def to_dict(self) -> dict[str, Any]:
        pieces = {} if self.share is None else {"pieces": self.pieces}
        return {**self._asdict(), **pieces}


LOWER: Final = 0.98
"""Part of a load below which another one would be a help: a size whose bound is lower is open."""


@dataclass(frozen=True, slots=True)
class SizeRow:
    """One size under its best plan. Loads are per unit of capacity."""

    size: int
    """Processes."""
    members: int
    """Threads of all processes."""
    load: float
    """Of the heaviest member, under the best plan that is known."""
    load_at_least: float
    """No plan of this size has less."""
    helps: bool
    """True if the load is lower by more than the tolerance than that of the last size that helps,
    and for the first row."""
    share: float = 0.0
    """Part of the limit on time or work that was spent on this size by itself: plans of other sizes
    tell of it, too."""
    keeps_up: bool | None = None
    """False if no plan does; None where that is open, or rates or capacities are unknown."""
    catches_up: bool | None = None
    """The same for everything being read within the time that was asked for."""
    catch_up_s: float | None = None
    """Seconds until everything is read under the best plan that is known, infinite for never; None
    where it was not computed."""
    catch_up_at_least_s: float | None = None
    """No plan of this size takes less."""

    @property
    def catch_up(self) -> Literal["known", "at least", "never", "unknown"]:
        """What is known of the time until everything is read: that of a plan, or only a bound."""
        least = self.catch_up_at_least_s
        if self.catch_up_s is not None and math.isfinite(self.catch_up_s):
            return "known"
        if least is None or least == 0:
            return "unknown"
        return "at least" if math.isfinite(least) else "never"

    @property
    def proved(self) -> bool:
        """True if no plan of this size has a smaller heaviest load."""
        return self.load_at_least >= self.load


@dataclass(frozen=True, slots=True)
class SizeBasis:
    """What is spread, and over whom."""

    kind: WeightKind
    horizon_s: float | None
    unit: str
    """Of what is spread. Loads are per unit of capacity where capacities are known."""
    total: float
    """In `unit`."""
    unknown_rates: int
    """Partitions whose rate was not known and was filled in; 0 where rates do not matter."""
    limit: float | None
    """The load up to which a member keeps up; None where there is no such load."""
    present: int
    """Processes of the group as it is."""
    threads: int
    """Members of a new process."""
    capacity: float | None
    """Of a new member; None where no capacity is known."""
    equal_capacities: bool
    subscriptions: int
    """Sets of topics that members read; each keeps its share of the processes."""
    idle: int
    """Members that read nothing; they are left out."""
    unrestricted: int
    """Partitions that only some members may read now; in groups of another size all may."""


@dataclass(frozen=True, slots=True, repr=False)
class Sizing(Shown):
    """The rows of all sizes that were looked at, ascending, and what they say."""

    group: Group
    policy: Policy
    basis: SizeBasis
    rows: tuple[SizeRow, ...]
    first: int
    last: int
    """The sizes that were asked for; those without a row were not looked at, or have no room for
    all partitions."""
    most: int
    """The size at which every thread has one partition at most; none beyond it helps."""
    least_keeping_up: LeastSize | None
    """None where rates or capacities are unknown."""
    catch_up: float | None
    """Seconds within which everything is to be read, as it was asked for."""
    least_catching_up: LeastSize | None
    heaviest: HotUnit | None
    """The heaviest partition; no number of members gets the load below it."""
    hot: tuple[HotUnit, ...]
    """Partitions whose rate alone exceeds what any member can process, the largest rate first."""
    interrupted: bool = False

    def row(self, size: int) -> SizeRow | None:
        """The row of a size, if there is one."""
        return next((row for row in self.rows if row.size == size), None)

    @property
    def now(self) -> SizeRow | None:
        """The row of the present size; None where it is outside of the range."""
        return self.row(self.basis.present)

    @property
    def starts_late(self) -> bool:
        """True if smaller sizes were not asked for, and are possible."""
        return self.first > self.basis.subscriptions

    @property
    def helping(self) -> tuple[SizeRow, ...]:
        """The first row, and those whose load is lower than that of all smaller sizes by more than
        the tolerance."""
        return tuple(row for row in self.rows if row.helps)

    @property
    def helpful_end(self) -> SizeRow | None:
        """The last size that helps; None where the range is too small to tell, or ends with it."""
        if self.last < self.most or len(self.rows) < 2 or self.heaviest is None:
            return None
        last = self.helping[-1]
        too_late = self.starts_late and last is self.rows[0]  # a smaller size may be as good
        open_after = any(
            row.load_at_least < last.load * LOWER for row in self.rows if row.size > last.size
        )
        return None if last is self.rows[-1] or too_late or open_after else last

    def to_dict(self) -> dict[str, Any]:
        """The document ``equilag/size/1``."""
        document: dict[str, Any] = {
            "format": FORMAT,
            "group": self.group.name,
            "policy": self.policy.to_dict(),
            "basis": asdict(self.basis),
            "sizes": {"from": self.first, "to": self.last, "most": self.most},
            "rows": to_document(self.rows),
            "helps": [row.size for row in self.helping],
            "keeps_up": to_document(self.least_keeping_up),
            "catch_up_s": self.catch_up,
            "catches_up": to_document(self.least_catching_up),
            "heaviest": to_document(self.heaviest),
            "hot": to_document(self.hot),
            "evidence": EVIDENCE,
        }
        if self.interrupted:
            document["interrupted"] = True
        return document


MAX_NOTABLE: Final = 12
"""Sizes that help, at most, beside those at which something changes: a table for one look."""


def notable_sizes(
    rows: Sequence[SizeRow], present: int, least: Iterable[LeastSize | None]
) -> list[int]:
    """Of the sizes with a row, ascending: the present one, those around the least ones that keep
    up or catch up, and those that help; of many of these some, in about equal ratios."""
    wanted = {present, *_thinned([row.size for row in rows if row.helps])}
    for found in filter(None, least):
        ends = [found.at_least, found.at_least if found.at_most is None else found.at_most]
        wanted |= {*ends, *(end - 1 for end in ends)}
    return [row.size for row in rows if row.size in wanted]


def _thinned(sizes: Sequence[int]) -> list[int]:
    """At most `MAX_NOTABLE` of the sizes, the first and the last among them."""
    if len(sizes) <= MAX_NOTABLE:
        return [*sizes]
    places = np.geomspace(sizes[0], sizes[-1], MAX_NOTABLE)
    return [min(sizes, key=lambda size: abs(size - place)) for place in places.tolist()]
