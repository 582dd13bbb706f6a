"""Deciding on a plan in the middle of a rebalance: the solver's if it holds, else a heuristic's.

The assignors inside consumers and the steward share this: the group waits for the answer, so there
must be one within the time limit, whatever fails.
"""

from __future__ import annotations

import queue
import threading
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from equilag.group import Group
from equilag.live.rebalance.kept_together import KeptTogether
from equilag.plan import Plan
from equilag.policy import Policy

_VERIFY_S: Final = 1e-5
"""Seconds reserved per partition to verify a plan: seven times what 100,000 partitions take on a
2.8 GHz core (1.4e-6 s each), for slower machines and many topics."""
_GRACE_S: Final = 0.5
"""How long `decide_within` waits after the time limit: the solver stops at the limit, and its plan
still has to be verified and handed over."""
FALLBACK: Final = "constrained-sticky"
"""The heuristic that answers; for groups with several subscriptions it runs `sticky`."""


@dataclass(frozen=True, slots=True)
class PlanSettings:
    """How to plan. `time_limit` is in seconds and includes verifying the plan."""

    policy: Policy | str = "lag-aware"
    time_limit: float = 1.0
    seed: int = 0
    together: KeptTogether | None = None
    """Finds topics that belong together; None: only those that the policy names."""

    def policy_for(self, group: Group) -> Policy:
        """The policy for this group, with the topics that belong together."""
        policy = self.policy if isinstance(self.policy, Policy) else Policy(self.policy)
        return policy if self.together is None else self.together.policy_for(group, policy)


@dataclass(frozen=True, slots=True)
class Decision:
    """The plan to hand out."""

    plan: Plan
    fallback_reason: str | None = None
    """Why a heuristic made the plan; None for the solver's."""


def decide(group: Group, settings: PlanSettings, fallback_reason: str | None = None) -> Decision:
    """Return the solver's plan if it holds, else a heuristic's.

    With a `fallback_reason` the heuristic answers at once. A solver's plan is verified before it is
    trusted. Raises InputError only if no heuristic can answer either.
    """
    policy = settings.policy_for(group)
    if fallback_reason is None:
        plan, fallback_reason = _solve_and_verify(group, policy, settings)
        if plan is not None and fallback_reason is None:
            return Decision(plan)
    return Decision(_heuristic(group, policy), fallback_reason)


def decide_within(
    group: Group, settings: PlanSettings, fallback_reason: str | None = None
) -> Decision:
    """As `decide`, but wait no longer than the time limit and _GRACE_S; then a heuristic answers.

    The solver runs on a daemon thread, which is abandoned when it is late.
    """
    if fallback_reason is not None:
        return decide(group, settings, fallback_reason)
    answers: queue.SimpleQueue[Decision | Exception] = queue.SimpleQueue()

    def work() -> None:
        try:
            answers.put(decide(group, settings))
        except Exception as error:  # noqa: BLE001  raised again below, in the caller's thread
            answers.put(error)

    threading.Thread(target=work, name="plan", daemon=True).start()
    patience = settings.time_limit + _GRACE_S
    try:
        answer = answers.get(timeout=patience)
    except queue.Empty:
        return decide(group, settings, f"no plan within {patience:g} s")
    if isinstance(answer, Exception):
        raise answer
    return answer


def _heuristic(group: Group, policy: Policy) -> Plan:
    """A heuristic's plan. It keeps topics together if any heuristic can."""
    from equilag.planner.assign import assign
    from equilag.planner.solve import solve

    if policy.overrides.co_partition or group.co_partitioned:
        with suppress(Exception):  # a group must get its assignment, whatever fails
            return solve(group, policy, time_limit=0)
    return assign(group, FALLBACK)


def _solve_and_verify(
    group: Group, policy: Policy, settings: PlanSettings
) -> tuple[Plan | None, str | None]:
    """Return the solver's plan, or the reason why there is none to trust."""
    from equilag.certificate.verify import verify
    from equilag.planner.solve import solve

    # Verifying counts as planning, but it gets at most half of the time.
    limit = max(settings.time_limit - _VERIFY_S * group.n_partitions, settings.time_limit / 2)
    try:
        plan = solve(group, policy, time_limit=limit, seed=settings.seed)
        findings = verify(group, plan)
    except Exception as error:  # noqa: BLE001  a group must get its assignment, whatever fails
        return None, f"planning failed: {type(error).__name__}: {error}"
    if findings:
        return None, f"the plan does not hold: {findings[0]}"
    if plan.status == "fallback":
        return None, f"no time for a plan within {settings.time_limit:g} s"
    return plan, None
