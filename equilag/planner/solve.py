"""`solve`: the best plan within a time limit, end to end, with its proof.

Light to import: the clock runs from the call, so what the call needs is loaded in it.
"""

from __future__ import annotations

import math
import sys

import numpy as np

from equilag.deadline import Deadline
from equilag.errors import InputError
from equilag.group import Group
from equilag.plan import Plan
from equilag.planner.progress import Watcher
from equilag.policy import Policy


def solve(
    group: Group,
    policy: str | Policy = "lag-aware",
    *,
    time_limit: float = 2.0,
    seed: int = 0,
    balance: str | None = None,
    move_cost: int = 0,
    tolerance: float = 0.0,
    max_moves: int | None = None,
    fresh: bool = False,
    effort: float | None = None,
    deterministic: bool = False,
    progress: Watcher | None = None,
) -> Plan:
    """The best plan for the group that the time limit allows, with its certificate.

    `time_limit` is in seconds from the call to the returned plan; with 0 a heuristic's plan comes
    back. It never raises for lack of time. `effort` limits the work itself: about as much as one
    core does in so many seconds, but counted, so that a run which the clock does not cut off is the
    same everywhere with the same `seed`. `deterministic` is an effort of half the time limit.
    `progress` is called now and then, from the same thread.

    Raises InputError for settings that make no sense, and where `max_moves` is fewer than the
    count balance forces.
    """
    check_group(group)
    deadline = Deadline(seconds(time_limit), reserve=_reserve(group))
    chosen = _policy(policy, balance, move_cost, tolerance, max_moves, fresh)
    check_seed(seed)
    if effort is None and deterministic:
        effort = time_limit / 2
    work_limit = math.inf if effort is None else seconds(effort, "effort")
    from equilag.planner.at_once import plan_at_once

    if deadline.limit > 0 and progress is None:
        plan = plan_at_once(group, chosen, deadline, seed, work_limit)
        if plan is not None:
            return plan
    from equilag.planner.effort import Effort
    from equilag.planner.run import STAGES, finish, run
    from equilag.planner.work import Work

    planned = group.without_owners() if chosen.fresh else group
    rng = np.random.default_rng(seed)
    work = Work(planned, group, chosen, deadline, rng, seed, Effort(work_limit), progress)
    run(work, STAGES)
    work.use_tolerance()
    return finish(work)


def check_group(group: object) -> None:
    """Raises InputError."""
    if not isinstance(group, Group):
        raise InputError(f"{type(group).__name__} is no group; load_snapshot makes one", "group")


def check_seed(seed: int) -> None:
    """Raises InputError."""
    if type(seed) is not int or seed < 0:
        raise InputError(f"{seed!r} is not a whole number, 0 or more", "seed")


def seconds(value: float, place: str = "time_limit") -> float:
    """A checked number of seconds. Raises InputError."""
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not number or not 0 <= value <= sys.float_info.max:
        raise InputError(f"{value!r} is not a number of seconds, 0 or more", place)
    return float(value)


def _policy(
    policy: str | Policy,
    balance: str | None,
    move_cost: int,
    tolerance: float,
    max_moves: int | None,
    fresh: bool,
) -> Policy:
    if isinstance(policy, Policy):
        return policy
    return Policy.of(policy, balance, move_cost, tolerance, max_moves, fresh)


def _reserve(group: Group) -> float:
    """Seconds kept for writing the plan back."""
    return 0.002 + 3e-7 * (group.n_partitions + 2 * group.n_members)
