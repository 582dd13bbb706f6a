"""Settings and rules that could be looser, one at a time, and what the bounds owe to them.

`bound_rungs` are the counting bounds of one plan under fewer rules, from none but subscriptions to
all of them. A bound that holds under fewer rules holds for more assignments. So the first rung on
which an argument proves a bound says which rules it needs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np

from equilag.certificate.ledger import Ledger
from equilag.domain.constraint import CountConstraint, constraint_of, unconstrained, within_room
from equilag.domain.constraint.derive import count_constraint_of, pinned_partitions
from equilag.domain.group.group import Group
from equilag.domain.plan.plan import Plan
from equilag.domain.policy.entries import NO_LISTS
from equilag.domain.policy.policy import SETTINGS, Policy
from equilag.domain.reduction.reduce import Reduction, reduce_group

LooserName = Literal[
    "moves", "fewest-moves", "tolerance", "move-cost", "topic-balance", "balance", "pins",
    "allowed", "room", "racks", "co-partitioning", "subscriptions",
]  # fmt: skip
"""What is loosened:

- ``moves``: no limit on moves.
- ``fewest-moves``: more moves than the counts need, where the policy asks for the fewest.
- ``tolerance``: no spread is given away for fewer moves.
- ``move-cost``: a move need not save anything.
- ``topic-balance``: totals are even, not each topic.
- ``balance``: counts need not be even.
- ``pins``: without ``--pin`` and ``--keep``.
- ``allowed``: every subscriber may take every partition of its topics.
- ``room``: no member has a most number of partitions.
- ``racks``: reads across racks do not count.
- ``co-partitioning``: partitions of co-partitioned topics may be with different members.
- ``subscriptions``: every member that reads anything reads every topic that is read.
"""


@dataclass(frozen=True, slots=True)
class Loosened:
    """One looser setting: the group and the policy with it."""

    name: LooserName
    group: Group
    policy: Policy
    settings: Mapping[str, Any]
    """The settings that ask for it; empty where the group itself is another one."""


def loosened(group: Group, policy: Policy) -> Iterator[Loosened]:
    """What could be looser, settings first; `group` is as it was read."""
    for name, wider in _looser_policies(group, policy):
        changed = [one for one in SETTINGS if getattr(wider, one) != getattr(policy, one)]
        table = {one: SETTINGS[one].json(getattr(wider, one)) for one in changed}
        if "name" in table:
            table["policy"] = table.pop("name")
        yield Loosened(name, group, wider, table)
    if group.allowed:
        yield Loosened("allowed", replace(group, allowed=None), policy, {})
    if group.limits_room:
        yield Loosened("room", without_room(group), policy.without("room"), {})
    everybody = _everybody_reads_all(group)
    if everybody is not None:
        yield Loosened("subscriptions", everybody, policy, {})


def _looser_policies(group: Group, policy: Policy) -> Iterator[tuple[LooserName, Policy]]:
    weighed = not policy.moves_first and not policy.fresh
    if policy.limits_moves and not policy.moves_first:
        yield "moves", replace(policy, max_moves=None, max_move_weight=None)
    if policy.moves_first and not policy.fresh:
        by_topic = policy.balance == "per-topic"
        yield (
            "fewest-moves",
            replace(policy, name="kip-169" if by_topic else "lag-aware", balance=policy.balance),
        )
    if policy.tolerance and weighed:
        yield "tolerance", replace(policy, tolerance=0.0)
    if policy.move_cost and weighed:
        yield "move-cost", replace(policy, move_cost=0)
    if policy.minds_topics:
        yield "topic-balance", replace(policy, balance="total")
    if policy.balance != "none":
        yield "balance", replace(policy, balance="none")
    if policy.has("pins"):
        yield "pins", policy.without("pins")
    if policy.has("room") and not group.limits_room:
        yield "room", policy.without("room")
    if (policy.co_partition or group.co_partitioned) and policy.co_partition != NO_LISTS:
        yield "co-partitioning", replace(policy, co_partition=NO_LISTS)
    if policy.minds_racks and group.racks is not None:
        yield "racks", policy.without("racks")


def without_room(group: Group) -> Group:
    """The same group without these numbers."""
    members = tuple(replace(member, max_partitions=None) for member in group.members)
    return replace(group, members=members)


def _everybody_reads_all(group: Group) -> Group | None:
    """The group in which every member that reads anything reads every topic that is read; None if
    that is so already."""
    read = np.flatnonzero(group.reads.any(axis=1)).astype(np.int32)
    sizes = np.array([len(topics) for topics in group.class_topics])
    if set(sizes.tolist()) <= {0, len(read)}:
        return None
    class_of = (sizes == 0)[group.class_of].astype(np.int32)
    topics = (read, np.zeros(0, np.int32))
    return replace(group, class_of=class_of, class_topics=topics[: 1 + int(class_of.max())])


Scope = Literal["subscriptions", "restrictions", "room", "owners", "counts", "racks"]
"""The rules that a bound needs, each with those before it: who subscribes to what; who may take
which partition (pins, `allowed`); `max_partitions`; that owners keep what they have; even counts;
the fewest reads across racks."""


class Rung(NamedTuple):
    scope: Scope
    ledger: Ledger
    """Of the constraint that these rules make."""


def bound_rungs(plan: Plan, policy: Policy) -> Iterator[Rung]:
    """The rungs of a plan with a policy, from the fewest rules to all; those that change nothing
    are left out."""
    planned = plan.planned
    group = planned.group.without_owners() if policy.fresh else planned.group
    assigned = planned.collapse(plan.assigned)

    def rung(scope: Scope, constraint: CountConstraint) -> Rung:
        of = constraint.group
        return Rung(scope, Ledger(of, of, policy, constraint, exact_counts=True, move_limit=None))

    yield rung("subscriptions", unconstrained(unrestricted(planned, policy).group))
    if planned.given.allowed or group.extended.has_room_limits:
        yield rung("restrictions", unconstrained(group))
    if plan.status == "fallback":
        return
    if group.extended.has_room_limits:
        yield rung("room", within_room(group, np.zeros(group.n_partitions, dtype=np.bool_)))
    if policy.pins_owned:
        yield rung("owners", within_room(group, pinned_partitions(group, policy)))
    if policy.balance != "none":
        yield rung("counts", count_constraint_of(group, policy, assigned))
    if policy.rack_aware and group.extended.has_racks:
        yield rung("racks", constraint_of(group, policy, assigned))


def unrestricted(planned: Reduction, policy: Policy) -> Reduction:
    """The same group without pins, `allowed`, room and racks, with the same units and weights."""
    given = planned.given
    if given.limits_room:
        given = without_room(given)
    without = replace(policy.without("racks"), max_moves=None, max_move_weight=None, balance="none")
    return reduce_group(replace(given, allowed=None), without)
