"""`explain`: what bounds a plan, what looser settings would buy, and what its moves are for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Literal, Unpack

from equilag.certificate.verify import checked_plan
from equilag.domain.budget import Budget
from equilag.domain.document import Shown
from equilag.domain.errors import InputError
from equilag.domain.group.group import Group
from equilag.domain.plan.claim import Evidence
from equilag.domain.plan.plan import Plan
from equilag.domain.plan.plan_figures import NEGLIGIBLE
from equilag.domain.policy.objective import most_excess
from equilag.domain.policy.policy import Policy
from equilag.planner.explaining.bound_causes import BoundCause, bound_causes, in_unit
from equilag.planner.explaining.loosened import Loosened, LooserName, bound_rungs, loosened
from equilag.planner.solving.make_plan import make_plan
from equilag.planner.solving.run_settings import (
    Asked,
    SolveSettings,
    budget_of,
    policy_from,
    task_of,
)
from equilag.planner.solving.stage import Watcher
from equilag.planner.worth.thresholds import NEARLY
from equilag.solver.lower_bounds.load_bounds import excess_bound, load_bounds

OTHERWISE_BOUND: Final[frozenset[LooserName]] = frozenset(("co-partitioning", "subscriptions"))
"""Looser settings for which a bound on all assignments to subscribers is none."""
OF_MOVES: Final[frozenset[LooserName]] = frozenset(
    ("tolerance", "moves", "fewest-moves", "move-cost")
)
"""Those that trade moves for evenness, so that they save no moves."""


def _gains(plan: Plan, most: float, spread: float, excess: float, part: float) -> list[float]:
    """By how much such loads are more even than those of a plan, in what is noticed of each: a part
    of the mean load."""
    loads, step = plan.loads, part * plan.loads.mean
    if not step:
        return [0.0] * 3
    above = most_excess(step, int((~plan.planned.group.idle).sum()))
    before = ((loads.max, most, step), (loads.spread, spread, step), (loads.excess, excess, above))
    return [(now - then) / noticed for now, then, noticed in before]


def is_at_the_floor(plan: Plan, policy: Policy) -> bool:
    """True if no assignment to subscribers is noticeably better, whatever counts, pins, room, racks
    and moves. O(sets × P)."""
    counting = next(bound_rungs(plan, policy)).ledger.counting
    bounds = load_bounds(counting, lambda: False)
    if bounds is None:
        return False
    least = bounds.highest.value, bounds.spread, excess_bound(counting, bounds).value
    most, spread, excess = (in_unit(plan, one) for one in least)
    return max(_gains(plan, most, spread, excess, NEGLIGIBLE)) <= 1


def helps(plan: Plan, other: Plan, name: LooserName) -> bool:
    """True if the other plan is noticeably more even, or as even with noticeably fewer moves.

    Noticeably is by more than the tolerance of the policy gives away, or, where the setting is
    about that, by more than anybody notices.
    """
    part, after = NEGLIGIBLE, other.loads
    if plan.policy is not None and name not in OF_MOVES:
        part = max(part, plan.policy.tolerance / 100)
    gains = _gains(plan, after.max, after.spread, after.excess, part)
    if max(gains) > 1:
        return True
    saves = len(other.moves) < len(plan.moves) and len(other.moves) <= NEARLY * len(plan.moves)
    return saves and min(gains) >= -1 and name not in OF_MOVES


DEFAULT_TIME_LIMIT: Final = 2.0
"""Seconds for the plan, as `solve` takes."""
OF_LOOSER: Final = 1.5
"""Time or work for all looser settings, some six, beside that of the plan: half a second each."""


LooserEvidence = Literal["proved", "found", "not tried"]
"""``proved``: under the looser setting no plan is noticeably better than the one found, or, where
it does not help, than the present one; ``found``: a better one may be there; ``not tried``: no time
was left."""


@dataclass(frozen=True, slots=True)
class LooserPlan:
    """What one looser setting would buy."""

    name: LooserName
    settings: Mapping[str, Any]
    """The settings that ask for it; empty where the group itself would be another one."""
    helps: bool
    """True if a plan was found that is noticeably better."""
    evidence: LooserEvidence
    plan: Plan | None
    """The plan that was found; None where it was proved without one, or not tried."""
    refused: str = ""
    """Why there is no such plan; empty if there is one."""


@dataclass(frozen=True, slots=True, repr=False)
class Explanation(Shown):
    """Why a plan is as it is."""

    plan: Plan
    """Its moves have their reasons."""
    causes: tuple[BoundCause, ...]
    looser: tuple[LooserPlan, ...]
    evidence: Evidence
    """``solver`` if a cause, or the plan's status, rests on a solver's word."""
    interrupted: bool


class ExplainSettings(SolveSettings, total=False):
    """The settings of `explain`: those of `solve`, and the policy."""

    policy: str | Policy


def explain(
    group: Group, plan: Plan | Mapping[str, Any] | None = None, **settings: Unpack[ExplainSettings]
) -> Explanation:
    """Return what keeps the loads of a plan apart, and what each looser setting would buy.

    `plan` is a `Plan` for the group or its JSON, which is verified; None makes one, with the other
    settings, which are those of `solve` and `policy`: it is what `solve` makes with them.
    `time_limit` (2 seconds by default) and `effort` are for the plan; plans with one setting
    loosened each get 1.5 times as much in all, on top. The moves of the plan have their reasons
    (`plan.moves[0].reason`).

    Raises InputError for a plan that does not hold, and for settings that make no sense; also for
    settings of a policy beside a plan, which has its own.
    """
    run = Asked.of(group, settings, DEFAULT_TIME_LIMIT)
    budget = run.budget
    if plan is None:
        policy = policy_from(run.others.pop("policy", "lag-aware"), **run.others)
        made = make_plan(task_of(group, policy, run.seed), budget, run.progress)
    else:
        refused = [name for name, value in run.others.items() if value is not None]
        if refused:
            raise InputError("has no effect beside a plan", refused[0])
        made = plan if isinstance(plan, Plan) else checked_plan(group, plan)
        if isinstance(plan, Plan) and plan.group.name != group.name:
            raise InputError("is of another group", "plan")
    work = None if budget.effort is None else OF_LOOSER * budget.effort
    more = budget_of(group, OF_LOOSER * budget.limit, work, stop=budget.stop)
    return explanation_of(group, made, more, run.progress)


def explanation_of(
    group: Group, plan: Plan, budget: Budget, watcher: Watcher | None = None
) -> Explanation:
    """The explanation of a plan for the group as it was read."""
    causes = bound_causes(plan)
    looser = tuple(_looser(group, plan, budget, watcher))
    on_solver = plan.evidence == "solver" or any(c.evidence == "solver" for c in causes)
    return Explanation(
        plan, causes, looser, "solver" if on_solver else "checked", budget.interrupted
    )


def _looser(
    group: Group, plan: Plan, budget: Budget, watcher: Watcher | None
) -> Iterator[LooserPlan]:
    policy = plan.policy
    if policy is None or plan.planned.group.idle.all():
        return
    at_floor = is_at_the_floor(plan, policy)
    tries = [*loosened(group, policy)]
    for number, looser in enumerate(tries):
        with budget.portion(1 / (len(tries) - number)) as part:
            yield _tried(looser, plan, at_floor, part, watcher)


def _tried(
    looser: Loosened, plan: Plan, at_floor: bool, budget: Budget, watcher: Watcher | None
) -> LooserPlan:
    told = partial(LooserPlan, looser.name, looser.settings)
    ruled_out = at_floor and looser.name not in OTHERWISE_BOUND
    if ruled_out and looser.name in OF_MOVES:
        return told(False, "proved", None)
    if budget.time_left <= 0 or budget.seconds_of_work() <= 0:
        return told(False, "not tried", None)
    try:
        found = make_plan(task_of(looser.group, looser.policy, plan.seed), budget, watcher)
    except InputError as error:  # such as a limit on moves that these counts do not allow
        return told(False, "proved", None, error.problem)
    better = helps(plan, found, looser.name)
    proved = found.status == "optimal" and found.evidence == "checked"
    return told(better, "proved" if proved or (ruled_out and not better) else "found", found)
