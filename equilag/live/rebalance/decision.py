"""Deciding on a plan in the middle of a rebalance: the solver's if it holds, else a quicker one.

The assignors inside consumers and the steward share this: the group waits for the answer, so there
must be one within the time limit, whatever fails. The answer of last resort is a heuristic's; where
the policy has rules (pins, co-partitioned topics, room, racks), a plan that keeps them comes first.
"""

from __future__ import annotations

import queue
import threading
import time
from dataclasses import dataclass, field
from importlib import import_module
from typing import Final, Literal, get_args

from equilag.domain.errors import InputError
from equilag.domain.group.group import Group
from equilag.domain.group.weight import with_known_weight
from equilag.domain.plan.metrics import is_valid
from equilag.domain.plan.plan import Plan
from equilag.domain.policy.policy import Policy
from equilag.live.rebalance.fitting_policy import FittingPolicy, fitting_policy, structure_only
from equilag.live.rebalance.kept_together import KeptTogether

GRACE_S: Final = 0.5
"""How long an answer waits after the time limit: the solver stops at the limit, and its plan
still has to be verified and handed over."""
PATIENCE: Final = 5
"""A plan that nobody waits for may take so many times as long: its work is counted, and a busy
machine, where the clock ended it early, would leave the group as it is."""
_LAST_RESORT_S: Final = 0.5
"""How long the answer of last resort may take for exact counts: as long as the grace. 22,000
partitions of 200 members take 0.1 s."""
FALLBACK: Final = "constrained-sticky"
"""The heuristic that answers; for groups with several subscriptions it runs `sticky`."""

_OF_FIRST_PLAN: Final = (
    "equilag.domain.building.builder",
    "equilag.planner.solve",
    "equilag.planner.solving.make_plan",
    "equilag.planner.assign",
    "equilag.certificate.verify",
)
"""What the first plan loads: 0.2 s of one core."""


def load_planner() -> None:
    """Load what the first plan needs, so that no group waits for it."""
    for module in _OF_FIRST_PLAN:
        import_module(module)


@dataclass(frozen=True, slots=True)
class PlanSettings:
    """How to plan. `time_limit` is in seconds, to which verifying adds 1.4e-6 per partition."""

    policy: Policy = field(default_factory=Policy)
    time_limit: float = 1.0
    seed: int = 0
    together: KeptTogether | None = None
    """Finds topics that belong together; None: only those that the policy names."""
    effort: float | None = None
    """Counted work in seconds of one core, after which planning ends before the time limit; None
    for no such end."""

    def policy_for(self, group: Group) -> Policy:
        """The policy for this group, with the topics that belong together and a weight that is
        known."""
        policy = with_known_weight(self.policy, group)
        return policy if self.together is None else self.together.policy_for(group, policy)


Origin = Literal["target", "sticky", "heuristic"]
ORIGINS: Final[tuple[Origin, ...]] = get_args(Origin)
"""What an assignment is: the plan made in advance, one with the fewest moves, a last resort."""


@dataclass(frozen=True, slots=True)
class Decision:
    """The plan to hand out."""

    plan: Plan
    fallback_reason: str | None = None
    """Why there is no plan of the solver's within the time limit; None for one."""
    left_out: tuple[str, ...] = ()
    """What the group cannot keep of the policy for now, one line each."""


def decide(group: Group, settings: PlanSettings) -> Decision:
    """Return the solver's plan if it holds, else one that keeps the policy's rules, else a
    heuristic's.

    Every plan but a heuristic's is verified before it is trusted. Raises InputError only if no
    heuristic can answer either.
    """
    fitting = FittingPolicy(settings.policy_for(group))
    attempt = attempt_plan(group, fitting, settings, settings.time_limit, settings.effort)
    if attempt.plan is not None:
        return Decision(attempt.plan, left_out=attempt.fitting.left_out)
    return last_resort(group, settings, attempt.fitting, attempt.problem)


def decide_within(group: Group, settings: PlanSettings, patience: float | None = None) -> Decision:
    """As `decide`, but after `patience` seconds the answer of last resort; None: PATIENCE times the
    time limit, for a plan that nobody waits for.

    It decides on a daemon thread, which is abandoned when it is late. What it raises is raised
    here.
    """
    patience = PATIENCE * settings.time_limit if patience is None else patience
    answers: queue.SimpleQueue[Decision | Exception] = queue.SimpleQueue()

    def run() -> None:
        try:
            answers.put(decide(group, settings))
        except Exception as error:  # noqa: BLE001  raised again below, in the caller's thread
            answers.put(error)

    # Not from a pool: the interpreter waits at exit for the threads of a pool.
    threading.Thread(target=run, name="plan", daemon=True).start()
    try:
        answer = answers.get(timeout=patience)
    except queue.Empty:
        fitting = FittingPolicy(settings.policy_for(group))
        return last_resort(group, settings, fitting, f"no plan within {patience:g} s")
    if isinstance(answer, Exception):
        raise answer
    return answer


@dataclass(frozen=True, slots=True)
class PlanAttempt:
    """A verified plan, or why there is none; and the policy that fits the group, if it was
    needed."""

    plan: Plan | None
    problem: str
    fitting: FittingPolicy


def attempt_plan(
    group: Group,
    fitting: FittingPolicy,
    settings: PlanSettings,
    limit: float,
    effort: float | None = None,
) -> PlanAttempt:
    """Solve and verify; without what the group cannot keep, if that is why solving fails."""
    from equilag.certificate.verify import verify
    from equilag.planner.solve import solve

    end = time.monotonic() + limit
    plan: Plan | None = None
    try:
        while plan is None:
            left = max(0.0, end - time.monotonic())
            try:
                plan = solve(
                    group, fitting.policy, time_limit=left, seed=settings.seed, effort=effort
                )
            except InputError as error:
                found = fitting_policy(group, fitting.policy, error)
                if not found.left_out:
                    raise
                fitting = FittingPolicy(found.policy, (*fitting.left_out, *found.left_out))
        findings = verify(group, plan)
    except Exception as error:  # noqa: BLE001  a group must get its assignment, whatever fails
        return PlanAttempt(None, f"planning failed: {type(error).__name__}: {error}", fitting)
    if findings:
        return PlanAttempt(None, f"the plan does not hold: {findings[0]}", fitting)
    if not is_valid(group, plan.assigned):
        return PlanAttempt(None, "the plan leaves partitions without an owner", fitting)
    if plan.status == "fallback" and effort == settings.effort:
        return PlanAttempt(None, f"no time for a plan within {settings.time_limit:g} s", fitting)
    return PlanAttempt(plan, "", fitting)


def last_resort(
    group: Group, settings: PlanSettings, fitting: FittingPolicy, reason: str
) -> Decision:
    """Return a heuristic's plan; where the policy has rules, one that keeps them, without any
    search, if there is one.

    First the exact counts and reads across racks; where those fail, a heuristic's assignment of
    what belongs together among those that may take it.
    """
    from equilag.planner.assign import assign

    if not _has_rules(group, fitting.policy):
        return Decision(assign(group, FALLBACK), reason, fitting.left_out)
    limit, left_out = min(_LAST_RESORT_S, settings.time_limit), ""
    for seconds in (limit, 0.0):
        attempt = attempt_plan(group, fitting, settings, seconds, effort=0.0)
        fitting = attempt.fitting
        if attempt.plan is not None:
            more = (left_out,) if left_out else ()
            return Decision(attempt.plan, reason, (*fitting.left_out, *more))
        left_out = f"capacities, room, instances and racks are left out for now: {attempt.problem}"
        fitting = fitting._replace(policy=structure_only(fitting.policy))
    broken = f"pins and co-partitioned topics are not kept: {attempt.problem}"
    return Decision(assign(group, FALLBACK), reason, (*fitting.left_out, broken))


def _has_rules(group: Group, policy: Policy) -> bool:
    """True if there are rules, or shares of members, that no heuristic knows."""
    if len({member.capacity for member in group.members}) > 1:
        return True
    return policy.overrides_group or (policy.minds_racks and group.racks is not None)
