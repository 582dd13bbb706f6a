"""The settings that `solve`, `compare` and `frontier` share, checked."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from threading import Event
from typing import Any, Final, NamedTuple, TypedDict, Unpack

from equilag.domain.budget import Budget
from equilag.domain.errors import InputError, whole_number
from equilag.domain.group.group import Group
from equilag.domain.group.weight import weighed_policy
from equilag.domain.policy.objective import Objective
from equilag.domain.policy.policy import Policy
from equilag.domain.policy.policy_settings import POLICIES
from equilag.domain.policy.shape import shape_group
from equilag.domain.reduction.reduce import reduce_group
from equilag.planner.solving.problem import Task
from equilag.planner.solving.stage import Watcher

UNCHANGED: Final[Mapping[str, Policy]] = {name: Policy(name) for name in POLICIES}
"""The policies without any setting on top: to make and check one takes a tenth of a small plan."""


class PolicySettings(TypedDict, total=False):
    """Settings on top of a policy, see `domain.policy.settings`; None means the policy's own."""

    balance: str | None
    move_cost: int | None
    tolerance: float | None
    max_moves: int | None
    fresh: bool | None
    move_weight: str | None
    max_move_weight: int | None
    weight: str | None
    horizon: float | None
    rack_aware: bool | None
    max_cross_rack: int | None
    capacity: Any
    max_partitions: Any
    instances: str | None
    co_partition: Any
    pin: Any
    keep: Any
    add_members: int | None


class RunSettings(TypedDict, total=False):
    """How long a run may take and who watches it, as `solve` documents it."""

    time_limit: float
    seed: int
    effort: float | None
    deterministic: bool
    progress: Watcher | None
    stop: Event | None


class SolveSettings(PolicySettings, RunSettings, total=False):
    """All settings of a run, as `solve` documents them."""


def policy_from(policy: str | Policy, **settings: Unpack[PolicySettings]) -> Policy:
    """The policy with the settings that are given. Raises InputError."""
    given: dict[str, Any] = {k: v for k, v in settings.items() if v is not None}
    if isinstance(policy, Policy):
        return replace(policy, **given) if given else policy
    if not given and isinstance(policy, str) and policy in UNCHANGED:
        return UNCHANGED[policy]
    return Policy(**{"name": policy, **given})


def task_of(group: Group, policy: Policy, seed: int) -> Task:
    """A checked task. Raises InputError."""
    policy = weighed_policy(policy, group)
    reduction = reduce_group(shape_group(group, policy), policy)
    return Task.of(reduction, Objective(policy), whole_number(seed, "seed"))


def budget_of(
    group: Group,
    time_limit: float,
    effort: float | None = None,
    deterministic: bool = False,
    stop: Event | None = None,
) -> Budget:
    """The budget of a run, from now on; it ends early once `stop` is set. Raises InputError."""
    limit = checked_seconds(time_limit)
    if type(deterministic) is not bool:
        raise InputError(f"{deterministic!r} is not true or false", "deterministic")
    if stop is not None and not hasattr(stop, "is_set"):
        raise InputError(f"{type(stop).__name__} is not an Event", "stop")
    if effort is None and deterministic:
        effort = limit / 2
    work = None if effort is None else checked_seconds(effort, "effort")
    # Kept for writing the plan back: 0.3 us per partition, and twice that per member, measured.
    reserve = 0.002 + 3e-7 * (group.n_partitions + 2 * group.n_members)
    return Budget.of_run(limit, reserve, work, stop)


class Asked(NamedTuple):
    """What a run was asked for."""

    budget: Budget
    seed: int
    progress: Watcher | None
    others: dict[str, Any]
    """All other settings."""

    @staticmethod
    def of(group: Group, settings: Mapping[str, Any], time_limit: float) -> Asked:
        """The settings of a run, which starts now, apart from the others. Raises InputError."""
        others = {k: v for k, v in settings.items() if k not in RunSettings.__annotations__}
        limit, effort = settings.get("time_limit", time_limit), settings.get("effort")
        budget = budget_of(
            checked_group(group), limit, effort, settings.get("deterministic", False),
            settings.get("stop"),
        )  # fmt: skip
        seed = whole_number(settings.get("seed", 0), "seed")
        return Asked(budget, seed, settings.get("progress"), others)


def checked_group(group: object) -> Group:
    """Raises InputError."""
    if not isinstance(group, Group):
        raise InputError(f"{type(group).__name__} is no group; load_snapshot makes one", "group")
    return group


def checked_seconds(value: object, place: str = "time_limit") -> float:
    """Raises InputError."""
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not number or not 0 <= value <= sys.float_info.max:  # type: ignore[operator]
        raise InputError(f"{value!r} is not a number of seconds, 0 or more", place)
    return float(value)  # type: ignore[arg-type]
