"""Each kind of claim: accepted at the value that is proved, refuted one beyond it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import numpy as np
import pytest
from support.constraints import balanced_assignment
from support.groups import group_of

import equilag
from equilag.certificate.checks import search_checks
from equilag.certificate.checks.claim_checks import CHECKS, SOLVER_KINDS, UPPER, check_claim
from equilag.certificate.exhaustive.small_problem import MAX_ITEMS
from equilag.certificate.ledger import Ledger, Refuted
from equilag.domain.constraint import constraint_of, unconstrained
from equilag.domain.group.group import Group
from equilag.domain.plan.claim import Claim
from equilag.domain.policy.policy import Policy
from equilag.domain.reduction.reduce import reduce_group
from equilag.solver.moves.fewest_moves import fewest_moves

GROUP: Final = group_of(
    [4, 2], [[0, 1], [0, 1], [1]], owners=[0, 0, 0, 0, 0, 1], lags=[100, 7, 5, 3, 30, 20]
)
WEIGHED: Final = reduce_group(GROUP, Policy(move_weight="lag")).group
OWNED: Final = group_of([6], [[0], [0]], owners=[0, 0, 0, 1, 1, 1], lags=[50, 40, 30, 1, 1, 1])
"""One move in either direction brings a member nowhere near the other."""
EVERYBODY: Final = {"members": "all"}


def ledger_of(group: Group, policy: Policy, max_moves: int | None = None) -> Ledger:
    constraint = constraint_of(group, policy, balanced_assignment(group, policy))
    return Ledger(group, group, policy, constraint, True, max_moves)


def check(ledger: Ledger, claim: str, kind: str, value: int, data: Mapping[str, Any]) -> None:
    check_claim(ledger, (claim, kind), value, data)


class Proved(NamedTuple):
    claim: str
    kind: str
    value: int
    data: Mapping[str, Any] = {}
    balance: str = "total"
    before: Mapping[str, int] = {}
    """What has been proved before, by claim."""
    policy: Mapping[str, Any] = {}
    group: Group = GROUP


def potentials_of(group: Group, balance: str) -> dict[str, Any]:
    policy = Policy(balance=balance)
    constraint = constraint_of(group, policy, balanced_assignment(group, policy))
    potentials = fewest_moves(group, constraint).potentials
    parts = np.split(potentials.partition, group.topic_start[1:-1])
    return {
        "topics": {
            topic: {str(n): y for n, y in enumerate(part.tolist())}
            for topic, part in zip(group.topics, parts, strict=True)
        },
        "members": {m.id: int(z) for m, z in zip(group.members, potentials.member, strict=True)},
    }


CASES: Final = [
    Proved("counts", "residual", 2),
    Proved("counts", "residual", 3, balance="per-topic"),
    Proved("fewest_moves", "potentials", 4, potentials_of(GROUP, "total-then-topics"),
           "total-then-topics"),
    Proved("fewest_moves", "potentials", 4, potentials_of(GROUP, "total")),
    Proved("fewest_moves", "potentials", 3, potentials_of(GROUP, "both"), "both"),
    Proved("fewest_moves", "per-topic", 2, balance="per-topic"),
    Proved("least_move_price", "potentials", 410, potentials_of(WEIGHED, "total"), group=WEIGHED),
    Proved("max_load_at_least", "average", 55, EVERYBODY),
    Proved("max_load_at_least", "average", 58, {"members": ["m00", "m01"]}),
    Proved("max_load_at_least", "heavy", 103, {"members": ["m00", "m01"], "heaviest": 1}),
    Proved("max_load_at_least", "folding", 103, {"members": ["m00", "m01"]}),
    Proved("min_load_at_most", "average", 55, EVERYBODY),
    Proved("min_load_at_most", "average", 50, {"members": ["m02"]}),
    Proved("min_load_at_most", "folding", 27, EVERYBODY),
    Proved("min_load_at_most", "rest", 12, {"members": ["m00", "m01"], "heaviest": 1}),
    Proved("spread_at_least", "difference", 91,
           before={"max_load_at_least": 103, "min_load_at_most": 12}),
    Proved("spread_at_least", "difference", 0,
           before={"max_load_at_least": 5, "min_load_at_most": 12}),
    Proved("spread_at_least", "search", 91, {"max_moves": None}),
    Proved("spread_at_least", "move-search", 91, {"max_moves": None}),
    Proved("spread_at_least", "move-search", 19, {"max_moves": 3}, policy={"max_moves": 2},
           group=OWNED),
    Proved("spread_at_least", "moves", 117, {"max_moves": 0}, policy={"max_moves": 0},
           group=OWNED),
    Proved("moves_at_least", "moves", 2, {"spread": 18}, group=OWNED),
    Proved("moves_at_least", "search", 2, {"spread": 19}, group=OWNED),
    Proved("moves_at_least", "move-search", 2, {"spread": 19}, group=OWNED),
    Proved("cost_at_least", "sum", 131, before={"spread_at_least": 91, "fewest_moves": 4},
           policy={"move_cost": 10}),
    Proved("excess_at_least", "average", 5, {"members": ["m00", "m01"]}),
    Proved("excess_at_least", "average", 5, {"members": ["m02"]}),
    Proved("excess_at_least", "heavy", 48, {"members": "all", "heaviest": 1}),
    Proved("cost_at_least", "search", 131, {"max_moves": None}, policy={"move_cost": 10}),
    Proved("cost_at_least", "move-search", 131, {"max_moves": None}, policy={"move_cost": 10}),
]  # fmt: skip


def by_name(case: Proved) -> str:
    return f"{case.claim}-{case.kind}-{case.value}"


def ledger_for(case: Proved) -> Ledger:
    policy = Policy(balance=case.balance, **case.policy)
    ledger = ledger_of(case.group, policy, policy.max_moves)
    for claim, value in case.before.items():
        ledger.proofs.record(Claim(claim, value, ""))
    return ledger


@pytest.mark.parametrize("case", CASES, ids=by_name)
def test_it_holds_at_the_value_that_is_proved_and_is_refuted_one_beyond(case: Proved) -> None:
    check(ledger_for(case), case.claim, case.kind, case.value, case.data)
    beyond = case.value - 1 if case.claim in UPPER else case.value + 1
    with pytest.raises(Refuted):
        check(ledger_for(case), case.claim, case.kind, beyond, case.data)


def test_every_kind_is_covered() -> None:
    elsewhere = {  # of the files beside this one
        ("fewest_cross_rack", "residual"), ("short_at_least", "rates"),
        ("fewest_topic_squares", "residual"), ("short_at_least", "prices"),
        ("min_load_at_most", "prices"), ("spread_at_least", "prices"),
        ("max_load_at_least", "prices"), ("spread_at_least", "patterns"),
    }  # fmt: skip
    assert {(case.claim, case.kind) for case in CASES} == set(CHECKS) - elsewhere
    assert not SOLVER_KINDS & set(CHECKS)


SETS: Final = (("excess_at_least", "average"), ("excess_at_least", "heavy"),
               ("max_load_at_least", "average"), ("max_load_at_least", "heavy"),
               ("max_load_at_least", "folding"), ("min_load_at_most", "folding"),
               ("min_load_at_most", "average"), ("min_load_at_most", "rest"))  # fmt: skip


@pytest.mark.parametrize("members", [None, [], "some", ["m00", "x"], ["m00", 1], [["m00"]], 3])
@pytest.mark.parametrize(("claim", "kind"), SETS)
def test_unreadable_members_refute(claim: str, kind: str, members: Any) -> None:
    value = 10**6 if claim in UPPER else 0
    with pytest.raises(Refuted, match="members"):
        check(ledger_of(GROUP, Policy()), claim, kind, value, {"members": members, "heaviest": 1})


@pytest.mark.parametrize("heaviest", [None, -1, 1.0, True, "1"])
@pytest.mark.parametrize(("claim", "kind"), [SETS[1], SETS[3]])
def test_unreadable_numbers_refute(claim: str, kind: str, heaviest: Any) -> None:
    value = 10**6 if claim in UPPER else 0
    with pytest.raises(Refuted, match="heaviest"):
        check(ledger_of(GROUP, Policy()), claim, kind, value, {**EVERYBODY, "heaviest": heaviest})


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"topics": {}},
        {"topics": [], "members": {}},
        {"topics": {"t00": 1.0}, "members": {}},
        {"topics": {"t00": True}, "members": {}},
        {"topics": {"t00": 2**32}, "members": {}},
        {"topics": {"t09": 1}, "members": {}},
        {"topics": {}, "members": {"m09": 1}},
        {"topics": {"t00": -1}, "members": {}},
    ],
    ids=str,
)
def test_unreadable_or_wrong_potentials_refute(data: Mapping[str, Any]) -> None:
    with pytest.raises(Refuted):
        check(ledger_of(GROUP, Policy()), "fewest_moves", "potentials", 0, data)


def test_what_claims_need() -> None:
    without = Ledger(GROUP, GROUP, None, unconstrained(GROUP), False, None)
    with pytest.raises(Refuted, match="does not meet"):
        check(without, "counts", "residual", 6, {})
    with pytest.raises(Refuted, match="prove no more than 0"):
        check(without, "fewest_moves", "potentials", 1, {})
    with pytest.raises(Refuted, match="not per topic"):
        check(ledger_of(GROUP, Policy()), "fewest_moves", "per-topic", 0, {})
    many = group_of([7], [[0]] * 3, lags=range(7))  # a member holds more than two partitions
    with pytest.raises(Refuted, match="prove nothing"):
        check(ledger_of(many, Policy()), "max_load_at_least", "folding", 1, EVERYBODY)


# What a search covers, and what it may cost.


@pytest.mark.parametrize("claim", ["spread_at_least", "cost_at_least"])
@pytest.mark.parametrize(
    ("allowed", "covered", "accepted"),
    [(None, None, True), (None, 99, False), (4, 4, True), (4, 5, True), (4, None, True),
     (4, 3, False), (4, -1, False), (4, 4.0, False)],
)  # fmt: skip
def test_a_search_must_cover_what_the_policy_allows(
    claim: str, allowed: int | None, covered: Any, accepted: bool
) -> None:
    ledger = ledger_of(GROUP, Policy(), max_moves=allowed)
    if accepted:
        check(ledger, claim, "search", 91, {"max_moves": covered})
        return
    with pytest.raises(Refuted):
        check(ledger, claim, "search", 91, {"max_moves": covered})


def test_a_search_cannot_check_a_large_group() -> None:
    group = group_of([MAX_ITEMS + 1], [[0], [0]], lags=[1] * (MAX_ITEMS + 1))
    with pytest.raises(Refuted, match="too large"):
        check(ledger_of(group, Policy()), "spread_at_least", "search", 1, {"max_moves": None})
    check(ledger_of(group, Policy()), "spread_at_least", "search", 0, {"max_moves": None})


def test_a_search_beyond_its_budget_refutes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_checks, "SEARCH_WORK", 100)
    with pytest.raises(Refuted, match="more work"):
        check(ledger_of(GROUP, Policy()), "spread_at_least", "search", 91, {"max_moves": None})


def test_that_no_plan_without_moves_is_as_even_is_searched_as_the_planner_does() -> None:
    """With nine members; without the owned partitions that is too many to be searched."""
    lags = [5, 2, 7, 3, 17, 8, 3, 5, 16, 4, 1, 6]
    owners = [None, None, None, 3, 7, 4, 5, 7, None, 8, None, 6]
    members = [{"id": f"c-{i}", "subscription": ["t"], "owned": {"t": []}} for i in range(9)]
    for partition, owner in enumerate(owners):
        if owner is not None:
            members[owner]["owned"]["t"].append(partition)  # type: ignore[index]
    for member, capacity in zip(members, [0.5, 2, 2, 2, 1, 2, 2, 2, 1], strict=True):
        member["capacity"] = capacity
    document = {"format": "equilag/snapshot/1", "group": "g", "topics": {"t": 12}}
    group = equilag.load_snapshot({**document, "members": members, "lags": {"t": lags}})
    plan = equilag.solve(group, effort=0.2, time_limit=60.0)
    searched = [c for c in plan.claims if (c.claim, c.kind) == ("moves_at_least", "search")]
    assert [claim.value for claim in searched] == [1]
    assert equilag.verify(group, plan) == []
