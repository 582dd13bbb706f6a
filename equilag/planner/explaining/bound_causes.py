"""What keeps the loads of a plan apart: the arguments of its certificate, with names and figures.

Each cause repeats a claim's own computation, under as few rules as prove nearly as much, and states
what they prove. So a cause is as true as the claim.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

import numpy as np

from equilag.certificate.bounds.counting import Counting
from equilag.certificate.checks.claim_checks import CHECKS
from equilag.domain.group import loads
from equilag.domain.group.group import Flags, Ints
from equilag.domain.group.member_capacities import Load
from equilag.domain.move_reasons.unit_reasons import NOTED, Partner
from equilag.domain.plan.claim import Claim, Evidence
from equilag.domain.plan.plan import Plan
from equilag.domain.policy.objective import SPREAD
from equilag.planner.explaining.loosened import Rung, Scope, bound_rungs
from equilag.planner.worth.thresholds import NEARLY

CauseKind = Literal["partition", "partitions", "members", "pairs", "moves", "sums"]
"""What a cause is about:

- ``partition``: one partition that is heavier than a fair share, or close to it.
- ``partitions``: several of that kind, which too few members share.
- ``members``: what some members alone have to read, or all that they may read.
- ``pairs``: members hold two partitions at most, and the partitions do not pair more evenly.
- ``moves``: no more evenness with so few moves.
- ``sums``: the weights of the partitions do not add up to more even loads.
"""
Side = Literal["heaviest", "lightest", "spread"]
"""What a cause bounds: the heaviest member is not below it, the lightest not above it, the spread
not smaller."""

MAX_NAMED: Final = 50
"""Partitions of a cause that are named, the heaviest first."""


@dataclass(frozen=True, slots=True)
class BoundCause:
    """One cause. Loads are in the plan's unit: lag, or weight per unit of capacity."""

    kind: CauseKind
    side: Side
    bound: float
    """What is proved: of the heaviest or lightest load, or of the spread."""
    scope: Scope
    """The rules that the proof needs."""
    evidence: Evidence
    claim: str
    """Claim and kind of argument, as in the certificate: ``max_load_at_least (heavy)``."""
    members: tuple[str, ...] = ()
    """Whom it is about; empty for all members that are not idle."""
    partitions: tuple[Partner, ...] = ()
    """What it is about, the heaviest first, at most `MAX_NAMED`; empty for all."""
    n_partitions: int = 0
    """How many there are."""
    topics: tuple[str, ...] = ()
    """Their topics."""
    weight: float = 0.0
    """Their lag, or weight, in all; not per unit of capacity."""
    alone: float | None = None
    """Of ``partition``: the load of the member with the largest capacity of those that may read it,
    if it had nothing else."""
    max_moves: int | None = None
    """The bound holds for plans with no more moves; None for all plans."""


class _Argument(NamedTuple):
    """What proves nearly as much as a claim."""

    kind: str
    """As in a claim: average, heavy, rest, folding, prices."""
    heaviest: int
    rung: Rung
    members: Flags
    value: Load


def bound_causes(plan: Plan) -> tuple[BoundCause, ...]:
    """The causes, those of the heaviest member first; none where loads are nearly even, and for the
    plan of a single assignor. O(rungs × arguments × P)."""
    policy = plan.policy
    if policy is None or plan.planned.group.idle.all() or not plan.compared.mean:
        return ()
    rungs = [*bound_rungs(plan, policy)]
    by_name = {claim.claim: claim for claim in plan.claims if claim.evidence == "checked"}
    found: list[BoundCause] = []
    for name in ("max_load_at_least", "min_load_at_most"):
        claim = by_name.get(name)
        cause = None if claim is None else _of_extreme(plan, rungs, claim)
        if cause is not None and not (found and _same_partitions(found[0], cause)):
            found.append(cause)
    found += _of_spread(plan, by_name, rungs[-1].scope)
    return tuple(found)


def _same_partitions(one: BoundCause, other: BoundCause) -> bool:
    """True if the second only says what the partitions of the first leave to the others."""
    about = one.kind in ("partition", "partitions") and other.kind in ("partition", "partitions")
    return about and set(one.partitions) <= set(other.partitions)


def _of_extreme(plan: Plan, rungs: Sequence[Rung], claim: Claim) -> BoundCause | None:
    """The cause of a bound on the heaviest or the lightest load; None if it hardly differs from the
    mean."""
    high, mean = claim.claim == "max_load_at_least", plan.compared.mean
    if abs(claim.value - mean) < NOTED * mean:
        return None
    found = _simplest(rungs, claim, high, mean)
    return None if found is None else _cause(plan, claim, found, "heaviest" if high else "lightest")


def _simplest(rungs: Sequence[Rung], claim: Claim, high: bool, mean: float) -> _Argument | None:
    """The argument with the fewest rules, and then the simplest, that proves nearly as much."""
    wanted = NEARLY * abs(claim.value - mean)
    names = {"members": claim.data.get("members", [*claim.data.get("prices", ())])}
    for rung in rungs:
        members = rung.ledger.members_in(names)
        for kind, heaviest in _arguments(claim, high):
            check = CHECKS[claim.claim, kind]
            value = check(rung.ledger, claim.value, {**names, "heaviest": heaviest})
            if value is not None and (value - mean if high else mean - value) >= wanted:
                return _Argument(kind, heaviest, rung, members, value)
    if claim.kind == "prices":  # under all rules, of the members that have a price
        return _Argument("prices", 0, rung, members, claim.value)
    return None


def _arguments(claim: Claim, high: bool) -> Iterator[tuple[str, int]]:
    """Kinds and numbers of heaviest partitions, from the simplest to that of the claim itself."""
    yield "average", 0
    if claim.kind in ("heavy", "rest"):
        heaviest = int(claim.data["heaviest"])
        if heaviest > 1:
            yield claim.kind, 1
        yield claim.kind, heaviest
    elif claim.kind == "folding":
        yield "heavy" if high else "rest", 1
        yield "folding", 0


def _cause(plan: Plan, claim: Claim, argument: _Argument, side: Side) -> BoundCause:
    (scope, ledger), members = argument.rung, argument.members
    counting = ledger.counting
    active = members & counting.active
    part = counting.exclusive(active)
    kind: CauseKind
    if argument.kind in ("average", "prices"):
        kind = "members"
        about = part.mine if side == "heaviest" else part.order[::-1]
    elif argument.kind == "folding":
        kind, about = "pairs", part.mine
    else:
        about = part.mine[: argument.heaviest]
        kind = "partition" if argument.heaviest == 1 else "partitions"
        only = counting.takers(about[:1])
        if (
            side == "heaviest"
            and counting.alone[about].all()
            and len(counting.exclusive(only).mine) > 1
        ):
            kind, active, about = "members", only, counting.exclusive(only).mine
    units: Ints = counting.partition[about]
    everybody = bool((active == counting.active).all())
    members_of = plan.planned.group.members
    total = int(plan.planned.group.lag[units].sum())
    topics = sorted({plan.planned.group.topics[t] for t in counting.group.topic_of[units].tolist()})
    return BoundCause(
        kind,
        side,
        in_unit(plan, argument.value),
        scope,
        "checked",
        f"{claim.claim} ({argument.kind})",
        () if everybody else tuple(members_of[m].id for m in np.flatnonzero(active).tolist()),
        tuple(map(counting.group.partition_name, units[:MAX_NAMED].tolist())),
        len(units),
        tuple(topics),
        total if plan.planned.weights is None else total / plan.planned.weight_scale,
        _alone(plan, counting, int(units[0])) if kind == "partition" else None,
    )


def _alone(plan: Plan, counting: Counting, unit: int) -> float:
    """The least load of a member that has one unit and nothing else."""
    group = counting.group
    members = np.flatnonzero(group.may_hold(np.array([unit]), np.arange(group.n_members)))
    capacities = group.extended.capacities
    fastest = int(capacities.kind_of[members].max())
    return in_unit(plan, capacities.load(int(group.lag[unit]), fastest))


def _of_spread(plan: Plan, by_name: dict[str, Claim], scope: Scope) -> Iterator[BoundCause]:
    """What bounds the spread beyond the heaviest and the lightest load."""
    mean = plan.compared.mean
    spreads = [claim for claim in plan.claims if claim.claim == SPREAD]
    if not spreads:
        return
    claim = max(spreads, key=lambda claim: claim.value)
    extremes = [by_name.get(name) for name in ("max_load_at_least", "min_load_at_most")]
    apart = extremes[0].value - extremes[1].value if extremes[0] and extremes[1] else 0
    if claim.kind == "difference" or claim.value - max(0, apart) < NOTED * mean:
        return
    limited = claim.kind == "moves" or claim.data.get("max_moves") is not None
    weighed = plan.planned.group.extended.move_unit is not None
    yield BoundCause(  # about the whole group, under all rules
        "moves" if limited else "sums",
        "spread",
        in_unit(plan, claim.value),
        scope,
        claim.evidence,
        f"{claim.claim} ({claim.kind})",
        max_moves=None if weighed else claim.data.get("max_moves"),
    )


def in_unit(plan: Plan, value: Load | float) -> float:
    """A load as it is compared, in the plan's unit."""
    return loads.in_unit(value, plan.planned.group.extended.load_divisor)
