"""The counting bounds of one plan under fewer rules, from none but subscriptions to all of them.

A bound that holds under fewer rules holds for more assignments. So the first rung on which an
argument proves a bound says which rules it needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from equilag.certificate.bounds.counting import Counting
from equilag.certificate.bounds.counting_by_capacity import counting_for
from equilag.domain.constraint import (
    CountConstraint,
    constraint_of,
    unconstrained,
    within_room,
)
from equilag.domain.constraint.derive import count_constraint_of, pinned_partitions
from equilag.domain.group.group import Group, Index
from equilag.domain.plan.metrics import has_racks
from equilag.domain.plan.plan import Plan
from equilag.domain.policy.policy import Policy
from equilag.domain.reduction.reduce import Reduction, reduce_group
from equilag.planner.explaining.loosened import has_room, without_room

Scope = Literal["subscriptions", "restrictions", "room", "owners", "counts", "racks"]
"""The rules that a bound needs, each with those before it: who subscribes to what; who may take
which partition (pins, `allowed`); `max_partitions`; that owners keep what they have; even counts;
the fewest reads across racks."""


class Rung(NamedTuple):
    scope: Scope
    counting: Counting


class BoundRungs:
    """The rungs of a plan with a policy; each is made when it is asked for."""

    def __init__(self, plan: Plan, policy: Policy) -> None:
        group = plan.planned.group
        self._policy = policy
        self._planned = plan.planned
        self._group = group.without_owners() if policy.fresh else group
        self._assigned: Index = plan.planned.collapse(plan.assigned)
        self._exact = plan.status != "fallback"
        self._known: dict[Scope, Counting] = {}

    def __iter__(self) -> Iterator[Rung]:
        """From the fewest rules to all; those that change nothing are left out."""
        for scope, make in self._makers.items():
            if scope not in self._known:
                self._known[scope] = make()
            yield Rung(scope, self._known[scope])

    @cached_property
    def _makers(self) -> Mapping[Scope, Callable[[], Counting]]:
        group, policy, assigned = self._group, self._policy, self._assigned
        real = group.real
        rungs: dict[Scope, Callable[[], Counting]] = {"subscriptions": self._by_subscriptions}
        if self._planned.given.allowed or (real is not None and real.has_room_limits):
            rungs["restrictions"] = self._of(unconstrained)
        if not self._exact:
            return rungs
        if real is not None and real.has_room_limits:
            nothing = np.zeros(group.n_partitions, dtype=np.bool_)
            rungs["room"] = self._of(lambda group: within_room(group, nothing))
        if policy.pins_owned:
            pinned = pinned_partitions(group, policy)
            rungs["owners"] = self._of(lambda group: within_room(group, pinned))
        if policy.balance != "none":
            rungs["counts"] = self._of(lambda group: count_constraint_of(group, policy, assigned))
        if policy.rack_aware and has_racks(group):
            rungs["racks"] = self._of(lambda group: constraint_of(group, policy, assigned))
        return rungs

    def _of(self, constrain: Callable[[Group], CountConstraint]) -> Callable[[], Counting]:
        return lambda: counting_for(self._group, constrain(self._group))

    def _by_subscriptions(self) -> Counting:
        loose = unrestricted(self._planned, self._policy).group
        return counting_for(loose, unconstrained(loose))


def unrestricted(planned: Reduction, policy: Policy) -> Reduction:
    """The same group without pins, `allowed`, room and racks, with the same units and weights."""
    given = planned.given
    if has_room(given):
        given = without_room(given)
    without = replace(policy.without("racks"), max_moves=None, balance="none")
    return reduce_group(replace(given, allowed=None), without)
