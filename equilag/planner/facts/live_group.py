"""A group of a cluster or of a text, in the figures that a list of groups has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from equilag.domain.group.group import Group
from equilag.domain.plan.metrics import member_loads, spread
from equilag.domain.plan.verdict import VerdictFacts


@dataclass(frozen=True, slots=True)
class LiveGroupFacts:
    """A group; figures of members are None where no member reads anything, and all of them for a
    group of a kind that is not read."""

    group: str
    state: str
    kind: str
    """The kind, as `equilag.adapters.kafka.group_kinds` has it, such as ``classic``."""
    members: int | None = None
    partitions: int | None = None
    lag: int | None = None
    lag_spread: int | None = None
    worst_member: str | None = None
    worst_share_percent: float | None = None
    unknown_lags: int = 0
    """Partitions whose lag could not be read."""
    remarks: Sequence[str] = ()
    cause: str | None = None
    """The cause that its action is about; None for none."""
    action: str | None = None
    """What to do."""
    seconds_behind: float | None = None
    """Its lag in seconds of production; None where rates are unknown."""
    verdict: VerdictFacts | None = None

    @property
    def asks(self) -> bool:
        """True if something is to be done."""
        return self.verdict is not None and self.verdict.worth_it


def live_group_facts(
    group: Group,
    state: str,
    kind: str,
    unknown_lags: int,
    remarks: Sequence[str],
    verdict: VerdictFacts | None = None,
) -> LiveGroupFacts:
    """The figures of a group that was read."""
    loads = member_loads(group.owner, group.lag, group.n_members)
    total, active = int(group.lag.sum()), bool((~group.idle).any())
    worst = int(loads.max()) if active else 0
    return LiveGroupFacts(
        group=group.name,
        state=state,
        kind=kind,
        members=group.n_members,
        partitions=group.n_partitions,
        lag=total,
        lag_spread=spread(loads, group.idle) if active else None,
        worst_member=group.members[int(loads.argmax())].id if active and worst else None,
        worst_share_percent=100 * worst / total if active and total else None,
        unknown_lags=unknown_lags,
        remarks=remarks,
        cause=None if verdict is None else verdict.cause,
        action=None if verdict is None else verdict.action,
        seconds_behind=_seconds_behind(group, total),
        verdict=verdict,
    )


def _seconds_behind(group: Group, lag: int) -> float | None:
    rate = 0.0 if group.rates is None else float(np.nansum(group.rates))
    return lag / rate if rate else None
