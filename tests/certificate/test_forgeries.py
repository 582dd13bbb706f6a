"""No plan with an untrue statement is accepted, whatever was altered in it.

Two kinds of forgery: alterations of a plan's JSON, one at a time and every place in turn; and plans
that are consistent from end to end but not what they claim to be. What is accepted nevertheless has
to be true, as brute force tells.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Final

import numpy as np
import pytest
from support.altered_plans import Json, accepted, alterations, document
from support.groups import ODD, group_of, small_groups
from support.oracles import Assignments, Truth

import equilag
from equilag.domain.group.group import Group
from equilag.domain.plan.plan import Plan
from equilag.domain.policy.policy import Policy
from equilag.domain.policy.policy_settings import POLICIES
from equilag.domain.reduction.reduce import reduce_group

MIXED: Final = group_of(
    [3, 2, 2],
    [[0, 1], [0, 1, 2], [1], []],
    owners=[0, 0, 0, 1, 1, -1, 1],
    lags=[90, 7, 5, 30, 30, 3, 1],
)
WEIGHED: Final = replace(MIXED, move_weights=np.array([2, 5, 0, 9, 3, 4, 1]))
PRICE: Final = 7
"""What a unit of weight counts there beside a move: 6 partitions have an owner."""
ONE: Final = group_of([6], [[0]] * 3, [0, 0, 0, 1, 1, -1], [13, 8, 5, 3, 2, 1])
UNREAD: Final = group_of([3, 2, 1], [[0], [0], [0, 2]], [0, 0, 1, -1, -1, -1], [9, 4, 7, 5, 5, 2])

FREE: Final = (
    ("timing",),  # how long it took proves nothing
    ("algorithm",),  # which method found it neither
    ("policy", "seed"),
    ("policy", "run"),
    ("notes",),
)
"""Fields that `verify` cannot prove: they must be there and have the right type. The reasons of
moves are free too, and may be missing: they explain a plan, and claim nothing."""
OF_MOVES: Final = ("moves", "partitions")
EARLIER: Final = (
    ((), "without evidence"), (OF_MOVES, "without reason"), (OF_MOVES, "without lag"),
)  # fmt: skip
"""What plans of 0.1.0 do not have; moves have a lag each, or none of them has."""


def test_reasons_of_moves_claim_nothing_and_a_lag_must_be_true() -> None:
    group = group_of([4], [[0]] * 2, [0] * 4, [5, 4, 3, 2])
    original = document(equilag.solve(group))
    rows = original["moves"]["partitions"]
    assert len(rows) == 2
    for row in rows:
        row["reason"] = {"kind": "nonsense"}
    assert accepted(group, original)
    del rows[0]["lag"]
    assert equilag.verify(group, original) == ["moves.partitions[0].lag: missing"]
    rows[0]["lag"] = 77
    assert not accepted(group, original)


def is_true(group: Group, altered: Json) -> bool:
    """True if brute force confirms the plan's policy, status and claims."""
    table = altered["policy"]
    if table["balance"] == "none":
        everything = Assignments.all(group)
        return claims_are_true(altered, everything, everything, 0)
    settings = {k: v for k, v in table.items() if k not in ("seed", "run")}
    policy = Policy(**settings)
    planned = group.without_owners() if policy.fresh else group
    if group.move_weights is not None:  # then moves are prices
        planned = reduce_group(group, policy).group
    truth = Truth.of(planned, policy)
    assigned = columns(group, altered["assignment"])
    limit, moves = policy.max_moves, int(((group.owner != assigned) & (group.owner != -1)).sum())
    if limit is not None and moves > limit:
        return False
    if altered["status"] == "fallback":
        everything = Assignments.all(group)
        return claims_are_true(altered, everything, everything, 0)
    if assigned not in truth.balanced:
        return False
    if altered["status"] == "optimal" and not truth.is_optimal(assigned):
        return False
    owners = Assignments(group if group.move_weights is None else planned, truth.balanced.rows)
    return claims_are_true(altered, owners, truth.eligible, policy.move_cost)


def claims_are_true(
    altered: Json, balanced: Assignments, eligible: Assignments, move_cost: int
) -> bool:
    active, topics = balanced.active, [unit.topic for unit in balanced.oracle.units]
    squares = Counter(zip(topics, balanced.rows[0].tolist(), strict=True)).values()
    for claim in altered["certificate"]["claims"]:
        extreme = {
            "counts": int(balanced.counts()[:, active].max(initial=0)),
            "fewest_topic_squares": sum(n * n for n in squares),
            "fewest_moves": int((balanced.moves % PRICE).min()),
            "least_move_price": int(balanced.moves.min()),
            "max_load_at_least": int(balanced.highest.min()),
            "min_load_at_most": int(balanced.lowest.max()),
            "spread_at_least": int(eligible.spread.min()),
            "cost_at_least": int((eligible.spread + move_cost * eligible.moves).min()),
            "excess_at_least": balanced.least_excess,
            "moves_at_least": int(
                balanced.moves[balanced.spread <= claim["data"].get("spread", 0)].min(initial=99)
            ),
        }[claim["claim"]]
        value = claim["value"]
        if claim["claim"] in ("counts", "fewest_topic_squares") and value != extreme:
            return False
        if claim["claim"] == "min_load_at_most":
            value, extreme = -value, -extreme
        if value > extreme:
            return False
    return True


def columns(group: Group, assignment: Mapping[str, Mapping[str, list[int]]]) -> np.ndarray:
    assigned = np.full(group.n_partitions, -1, dtype=np.int32)
    for number, member in enumerate(group.members):
        for topic, partitions in assignment[member.id].items():
            first = int(group.topic_start[group.topics.index(topic)])
            assigned[[first + p for p in partitions]] = number
    return assigned


PLANS: Final[dict[str, tuple[Group, Json]]] = {
    **{policy: (MIXED, {"policy": policy}) for policy in POLICIES},
    "both": (MIXED, {"balance": "both"}),
    "moved weight": (WEIGHED, {"policy": "fair-yet-sticky"}),
    "weight of moves": (WEIGHED, {"max_move_weight": 14}),
    "then topics": (MIXED, {"policy": "fair-yet-sticky", "balance": "total-then-topics"}),
    "move cost": (ONE, {"move_cost": 3}),
    "tolerance": (ONE, {"tolerance": 40.0}),
    "max moves": (ONE, {"max_moves": 2}),
    "fresh": (MIXED, {"fresh": True}),
    "without time": (ONE, {"time_limit": 0}),
    "topics nobody reads": (UNREAD, {}),
    "more members than partitions": (ODD["more members than partitions"](), {}),
    "far apart": (ODD["far apart"](), {}),
}
ASSIGNORS: Final = ("assignor sticky", "assignor lag-aware")


@cache
def plan_of(name: str) -> tuple[Group, Plan]:
    if name in ASSIGNORS:
        return MIXED, equilag.assign(MIXED, name.removeprefix("assignor "))
    group, settings = PLANS[name]
    return group, equilag.solve(group, **{"time_limit": 20.0, **settings})


@pytest.mark.parametrize("every", [48, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", [*PLANS, *ASSIGNORS])
def test_every_alteration_is_a_finding_or_true(name: str, every: int) -> None:
    """Of a plan's alterations one of so many."""
    group, plan = plan_of(name)
    assert plan.notes == ()
    original = document(plan)
    assert accepted(group, original)
    assert is_true(group, original)
    wrong = []
    seen = 0
    for word, path, altered in alterations(original, len(name) % every, every):
        seen += 1
        if not accepted(group, altered):
            continue
        if any(path[: len(free)] == free for free in FREE) or path[3:4] == ("reason",):
            continue
        if (path[:2], word) in EARLIER:
            continue
        # The policy and the claims may be altered to something else that is true.
        debatable = path[:1] in (("policy",), ("certificate",))
        if not debatable or not is_true(group, altered):
            wrong.append(f"{'.'.join(map(str, path))} {word}")
    assert not wrong
    assert seen > 200 // every


# Forgeries that are consistent from end to end.


@pytest.mark.parametrize("policy", POLICIES)
def test_a_plan_is_optimal_exactly_if_brute_force_says_so(policy: str) -> None:
    """Every assignment there is, under the certificate of the optimum and with its own figures."""
    answers = set()
    for number, group in enumerate(small_groups(seed=91, n=4, limit=80)):
        settings: Json = {} if number % 2 else {"move_cost": 7}
        plan = equilag.solve(group, policy, time_limit=20.0, **settings)
        truth = Truth.of(group, Policy(policy, **settings))
        assert plan.status == "optimal"
        for row in Assignments.all(group).rows:
            forged = replace(plan, assigned=row)
            best = truth.is_optimal(row)
            assert (not equilag.verify(group, forged)) == best
            answers.add(best)
            # What is less than optimal may be called feasible, if it meets the counts and is
            # one of those that the bounds speak of.
            modest = equilag.verify(group, replace(forged, status="feasible"))
            if row not in truth.balanced or best:
                assert modest
            elif row in truth.eligible:
                assert not modest
    assert answers == {True, False}


def test_a_status_needs_its_claims() -> None:
    group, plan = plan_of("lag-aware")
    for name in ("counts", "spread_at_least"):
        claims = tuple(c for c in plan.claims if c.claim != name)
        forged = replace(plan, claims=claims)
        assert any(finding.startswith("status") for finding in equilag.verify(group, forged))
