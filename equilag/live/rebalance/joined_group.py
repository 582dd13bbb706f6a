"""From the members of a group that rebalances to what each of them is given.

What the assignors inside a consumer and the steward outside have in common: both hold the members'
subscriptions in their hands and have to answer within a moment, whatever goes wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from equilag.adapters.snapshot.load import FORMAT, load_snapshot
from equilag.group import Group, Index
from equilag.metrics import is_valid
from equilag.phases import first_phase
from equilag.plan import Plan, by_name
from equilag.policy import Policy

Partitions = Mapping[str, Sequence[int]]
"""Topic to partition numbers."""
Assignment = dict[str, dict[str, list[int]]]
"""Member to topic to partition numbers; every member is there."""

_VERIFIED_S: Final = 1e-5
"""Seconds that it takes to verify a plan, for each partition."""
FALLBACK: Final = "constrained-sticky"
"""Hands groups of several subscriptions over to `sticky`."""


@dataclass(frozen=True, slots=True)
class JoinedMember:
    """One member of a group that rebalances, as it introduced itself."""

    id: str
    topics: tuple[str, ...]
    claims: Partitions = field(default_factory=dict)
    """What it holds at this moment: nobody else may be given that before it has let go of it."""
    generation: int = -1
    """When its claims were made; -1 where it does not say."""
    instance_id: str | None = None
    rack: str | None = None
    hints: Partitions = field(default_factory=dict)
    """What it held before it gave up everything for an eager rebalance; only for who claims
    nothing, and only for stickiness."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How to plan. `time_limit` is in seconds, and includes that the plan is verified."""

    policy: Policy | str = "lag-aware"
    time_limit: float = 1.0
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Decision:
    """A plan to hand out; `doubt` says why it is a heuristic's, None where it is the solver's."""

    plan: Plan
    doubt: str | None = None


def group_of(
    name: str,
    members: Sequence[JoinedMember],
    sizes: Mapping[str, int],
    lags: Mapping[str, Sequence[int | None]] | None = None,
) -> Group:
    """The group as the planner takes it. `sizes` are the partitions of each topic, `lags` the
    records behind of each partition, None where nobody knows.

    A topic without an entry in `sizes` does not exist (yet). Lags of topics whose length is not
    the topic's size are of another time, and count as not known. Raises InputError.
    """
    known = {
        topic: lag
        for topic, lag in (lags or {}).items()
        if topic in sizes and len(lag) == sizes[topic]
    }
    unknown = {
        topic: [number for number, value in enumerate(lag) if value is None]
        for topic, lag in known.items()
    }
    snapshot: dict[str, Any] = {
        "format": FORMAT,
        "group": name,
        "topics": dict(sizes),
        "members": [_entry(member) for member in members],
        "lags": {topic: [value or 0 for value in lag] for topic, lag in known.items()},
    }
    if unknown := {topic: numbers for topic, numbers in unknown.items() if numbers}:
        snapshot["unknown_lags"] = unknown
    return load_snapshot(snapshot)


def _entry(member: JoinedMember) -> dict[str, Any]:
    entry: dict[str, Any] = {"id": member.id, "subscription": list(member.topics)}
    owned = member.claims or member.hints
    if owned:
        entry["owned"] = {topic: list(numbers) for topic, numbers in owned.items()}
    if member.generation >= 0:
        entry["generation"] = member.generation
    if member.instance_id:
        entry["instance_id"] = member.instance_id
    if member.rack:
        entry["rack"] = member.rack
    return entry


def decide(group: Group, settings: Settings, doubt: str | None = None) -> Decision:
    """The solver's plan if it holds, otherwise a heuristic's; with `doubt` that at once.

    The certificate is verified before the plan is trusted. Raises InputError only where no
    heuristic can answer either.
    """
    from equilag.planner.assign import assign

    if doubt is None:
        plan, doubt = _solved(group, settings)
        if plan is not None and doubt is None:
            return Decision(plan)
    return Decision(assign(group, FALLBACK), doubt)


def _solved(group: Group, settings: Settings) -> tuple[Plan | None, str | None]:
    """The solver's plan, or why there is none to trust."""
    from equilag.certificate.verify import verify
    from equilag.planner.solve import solve

    # Verifying counts as planning, but no more than half of the time goes there.
    limit = max(settings.time_limit - _VERIFIED_S * group.n_partitions, settings.time_limit / 2)
    try:
        plan = solve(group, settings.policy, time_limit=limit, seed=settings.seed)
        findings = verify(group, plan)
    except Exception as error:  # noqa: BLE001  a group must get its assignment, whatever fails
        return None, f"planning failed: {type(error).__name__}: {error}"
    if findings:
        return None, f"the plan does not hold: {findings[0]}"
    if plan.status == "fallback":
        return None, f"no time for a plan within {settings.time_limit:g} s"
    return plan, None


def handed_out(group: Group, assigned: Index, cooperative: bool) -> Assignment:
    """What the members are given in this rebalance on the way to `assigned` [P].

    In a cooperative group a partition that somebody else still claims is withheld; everybody else
    has let go of everything. Raises ValueError for what is no valid assignment of the group.
    """
    if not is_valid(group, assigned):
        raise ValueError("not every partition is with exactly one of its subscribers")
    return by_name(group, first_phase(group, assigned) if cooperative else assigned)


def withheld(group: Group, given: Assignment) -> int:
    """Partitions that wait for their old consumer to let go of them."""
    handed = sum(len(numbers) for topics in given.values() for numbers in topics.values())
    return int(np.count_nonzero(group.assignable)) - handed
