"""The part of a policy that a live group can keep right now.

A pin may name a member that restarts, a list of co-partitioned topics one that is not there yet.
Offline that is an error. In a rebalance the group waits for an answer, and what does not fit is
left out until the next one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple

from equilag.domain.errors import InputError
from equilag.domain.group.group import Group, Index
from equilag.domain.plan.broken_rules import broken_rules
from equilag.domain.policy.policy import Policy
from equilag.domain.policy.setting import OVERRIDES
from equilag.domain.policy.shape import shape_group
from equilag.domain.reduction.reduce import Reduction, reduce_group
from equilag.domain.show import show


class FittingPolicy(NamedTuple):
    """A policy that fits a group."""

    policy: Policy
    left_out: tuple[str, ...] = ()
    """What was left out of the policy, and why: one line each."""


def check_rules(policy: Policy) -> None:
    """Raise InputError for a policy whose rules no group can keep."""
    single = policy if policy.instances != "none" else policy.without("instances")
    if policy.counts_topics and (single.overrides_group or policy.minds_racks):
        problem = f"{policy.balance} does not go with the settings of an extended group; total does"
        raise InputError(problem, "balance")


def fitting_policy(group: Group, policy: Policy, error: InputError) -> FittingPolicy:
    """Return the policy without the settings that made planning fail with `error`.

    Entries of lists (pins, capacities, kept and co-partitioned topics) are left out one by one.
    Without anything that can be left out, the policy is returned as it is.
    """
    found = _fitting_settings(group, policy)
    if found.left_out:
        return FittingPolicy(
            replace(policy.without(*OVERRIDES), **found.kept.in_force()), tuple(found.left_out)
        )
    if error.place.endswith("max_partitions") and policy.has("room"):
        return FittingPolicy(policy.without("room"), (_line(error),))
    if error.place == "max_cross_rack" and policy.max_cross_rack is not None:
        # Fewest reads are as close to the limit as a plan can get.
        aware = replace(policy.without("racks"), rack_aware=True)
        return FittingPolicy(aware, (_line(error),))
    return FittingPolicy(policy)


def with_capacities(group: Group, policy: Policy) -> Group:
    """Return the group with its members' capacities as the policy gives them; without a plan too
    its imbalance is measured by them."""
    if not policy.capacity:
        return group
    found = FittingSettings(group, ())
    found.add("capacity", policy.capacity)
    return shape_group(group, found.kept)


def structure_only(policy: Policy) -> Policy:
    """Return a policy that only says which partitions belong together, and who may take them."""
    return policy.only("co-partitioning", "pins")


def _fitting_settings(group: Group, policy: Policy) -> FittingSettings:
    """Return the settings that fit, and a line for each entry that does not."""
    given, missing = _without_missing_topics(group, policy)
    found = FittingSettings(group, missing)
    # Pins come after what contradicts them: that was meant for all partitions, the pin for one.
    for name in ("capacity", "co_partition", "keep", "pin", "max_partitions", "instances"):
        found.add(name, getattr(given, name))
    return found


class FittingSettings:
    """The settings that a group can keep, collected one after the other."""

    def __init__(self, group: Group, left_out: Iterable[str]) -> None:
        self._group = group
        self.kept = Policy()
        self.left_out = list(left_out)

    def _problem(self, **changed: Any) -> InputError | None:
        """Keep the settings, or return why they do not fit."""
        policy = replace(self.kept, **changed)
        try:
            # Counts topic by topic go with none of them, which is no fault of an entry.
            reduce_group(shape_group(self._group, policy), policy)
        except InputError as error:
            return error
        self.kept = policy
        return None

    def add(self, name: str, given: Any) -> None:
        """Keep a setting if it fits; of a list the entries that do.

        Many at a time: most of them fit, and each attempt shapes the whole group.
        """
        pending = [given] if given else []
        while pending:
            some = pending.pop()
            is_list = isinstance(some, tuple)
            error = self._problem(**{name: getattr(self.kept, name) + some if is_list else some})
            if error is not None and is_list and len(some) > 1:
                half = len(some) // 2
                pending += [some[half:], some[:half]]
            elif error is not None:
                self.left_out.append(_line(error))


def _without_missing_topics(group: Group, given: Policy) -> tuple[Policy, list[str]]:
    """Return the policy with those topics of each list that exist: they belong together."""
    missing = sorted({t for topics in given.co_partition for t in topics}.difference(group.topics))
    if not missing:  # also where no list is to be in force
        return given, []
    lists = [tuple(t for t in topics if t not in missing) for topics in given.co_partition]
    left = tuple(topics for topics in lists if len(topics) > 1)
    lines = [_line(InputError(f"there is no topic {show(t)}", "co_partition")) for t in missing]
    return replace(given, co_partition=left), lines


def _line(error: InputError) -> str:
    return f"left out for now: {error}"


def count_broken(group: Group, policy: Policy, assigned: Index) -> int:
    """Return the number of partitions that break rules in an assignment [P].

    A partition number of co-partitioned topics counts once. What the group cannot keep of the
    policy now is no rule.
    """
    if not policy.overrides_group:
        return 0
    try:
        reduction = _reduction(group, policy)
    except InputError as error:
        reduction = _reduction(group, fitting_policy(group, policy, error).policy)
    torn, misplaced, overfull = broken_rules(reduction, assigned)
    members = reduction.given.members
    beyond = sum(units - (members[m].max_partitions or 0) for m, units in overfull)
    return len(torn) + len(misplaced) + beyond


def _reduction(group: Group, policy: Policy) -> Reduction:
    """The group as these rules make it. Raises InputError."""
    return reduce_group(shape_group(group, policy), policy.only(*OVERRIDES))
