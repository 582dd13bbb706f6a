"""Loads of a group with one topic, as the controller of a live group sees them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from equilag.domain.group.group import Group, Member
from equilag.domain.policy.policy import Policy
from equilag.planner.worth.group_loads import GroupLoads, group_loads


def loads_of(
    lags: Sequence[int],
    members: Sequence[str],
    owner: Sequence[int] = (),
    rates: Sequence[float] | None = None,
    errors: Sequence[float | None] | None = None,
    capacities: Mapping[str, float] | None = None,
    measured: bool = False,
    policy: Policy | None = None,
) -> GroupLoads:
    """All members read the topic `t`; `owner` has the number of each partition's owner."""
    capacity = capacities or {}
    owned = {
        name: {"t": [p for p, one in enumerate(owner) if one == number]}
        for number, name in enumerate(members)
    }
    group = Group.build(
        name="g",
        topics={"t": len(lags)},
        members=[Member(name, capacity=capacity.get(name)) for name in members],
        subscriptions={name: ["t"] for name in members},
        owned=owned,
        lags={"t": list(lags)},
        **({} if rates is None else {"rates": {"t": list(rates)}}),
    )
    column = None
    if errors is not None:
        column = np.array([np.nan if one is None else one for one in errors])
    known = np.ones(len(members), dtype=np.bool_) if measured else None
    return group_loads(group, policy or Policy(horizon=60.0), column, known)
