"""Plans of extended groups with an untrue figure, claim or setting, or a broken rule."""

from __future__ import annotations

import copy
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any, Final

import numpy as np
import pytest
from support.altered_plans import Json, accepted, alterations, document
from support.groups import Snapshot
from support.orders_service import rated_group

import equilag
from equilag.certificate.verify import check_plan
from equilag.domain.group.group import Group
from equilag.domain.group.loads import written
from equilag.domain.plan.metrics import fair_load
from equilag.domain.plan.plan import Plan
from equilag.domain.plan.plan_figures import EXTENDED_FIGURES
from equilag.domain.policy.shape import shape_group
from equilag.domain.reduction.reduce import reduce_group
from equilag.planner.solving.run_settings import policy_from

EXTENDED: Final[Snapshot] = {
    "format": "equilag/snapshot/1",
    "group": "real",
    "topics": {"orders": 4, "payments": 4, "audit": 3},
    "members": [
        {"id": "a", "subscription": ["orders", "payments", "audit"], "rack": "r1", "capacity": 2,
         "instance": "p", "owned": {"orders": [0, 1], "payments": [0, 2]}},
        {"id": "b", "subscription": ["orders", "payments", "audit"], "rack": "r1", "capacity": 2,
         "instance": "p", "max_partitions": 3},
        {"id": "c", "subscription": ["orders", "payments", "audit"], "rack": "r2", "capacity": 1,
         "owned": {"orders": [2], "payments": [1], "audit": [0, 1]}},
    ],
    "lags": {"orders": [9, 4, 3, 0], "payments": [5, 5, 1, 2], "audit": [7, 1, 1]},
    "racks": {"orders": [["r1"], ["r2"], ["r2"], ["r1"]], "audit": [["r1"], ["r2"], ["r3"]]},
    "rates": {"orders": [0.5, 2, 0.25, None], "audit": [1, 0, 3]},
    "co_partitioned": [["orders", "payments"]],
    "allowed": {"audit": {"1": ["c"]}},
}  # fmt: skip


def by_hand(units: str = "abcb", audit: str = "acb", **settings: Any) -> Plan:
    """A plan without claims: the member of each unit and of each partition of audit."""
    group = equilag.load_snapshot(EXTENDED)
    policy = policy_from("lag-aware", **{"weight": "lag", **settings})
    reduction = reduce_group(shape_group(group, policy), policy)
    members = [audit, units, units]  # as the topics ascend
    assigned = np.array(["abc".index(m) for topic in members for m in topic], dtype=np.int32)
    return Plan(group, policy, "fallback", "by hand", assigned, reduction=reduction)


def findings(plan: Plan | dict[str, Any]) -> list[str]:
    return equilag.verify(equilag.load_snapshot(EXTENDED), plan)


def test_every_altered_figure_is_a_finding() -> None:
    plan = by_hand(weight="work")
    original = document(plan)
    assert findings(original) == []
    assert set(EXTENDED_FIGURES) < original.keys()
    seen = dict.fromkeys(EXTENDED_FIGURES, 0)
    for word, path, altered in alterations(original):
        figure = path[0] if path else word.removeprefix("without ")
        if figure in seen:
            seen[figure] += 1
            assert not accepted(plan.group, altered), (word, path)
    assert min(seen.values()) > 5


def test_a_unit_that_is_torn_apart_is_a_finding() -> None:
    plan = by_hand()
    torn = plan.assigned.copy()
    torn[plan.group.topic_start[1] + 2] = 0
    (first, *_) = findings(replace(plan, assigned=torn))
    assert first == (
        "assignment: co-partitioned topics are split: partition 2 of orders, payments is with"
        ' "a", "c"'
    )


def test_a_member_that_may_not_take_a_partition_is_a_finding() -> None:
    assert findings(by_hand(audit="aab"))[0] == 'assignment.a.audit: only "c" may take partition 1'


def test_a_member_with_too_much_is_a_finding() -> None:
    assert findings(by_hand("bbbb"))[0] == "assignment.b: 5 units, more than its room of 3"


def test_too_many_reads_across_racks_are_a_finding() -> None:
    reads = by_hand().to_dict()["cross_rack"]["count"]
    assert reads > 0
    assert findings(by_hand(max_cross_rack=reads)) == []
    limit = f"more than the {reads - 1} that the policy allows"
    assert f"cross_rack.count: {reads}, {limit}" in findings(by_hand(max_cross_rack=reads - 1))


SETTINGS: Final[dict[str, Any]] = {
    "rack_aware": True,
    "capacity": ["a=3", "b=2", "c=1"],
    "max_partitions": 4,
    "pin": ["audit-2=b"],
    "instances": "none",
}

THEN_TOPICS: Final = {"balance": "total-then-topics", "rack_aware": True, "instances": "none"}


def solved(**settings: Any) -> Plan:
    group = equilag.load_snapshot(EXTENDED)
    return equilag.solve(group, "fair-yet-sticky", effort=0.1, time_limit=60, **settings)


@pytest.mark.long
@pytest.mark.parametrize(
    "settings", [{}, {"rack_aware": True}, SETTINGS, {"balance": "none"}, THEN_TOPICS]
)
def test_every_altered_figure_of_a_solved_plan_is_a_finding(settings: dict[str, Any]) -> None:
    plan = solved(**settings)
    original = document(plan)
    assert plan.status == "optimal"
    assert findings(original) == []
    wrong, seen = [], 0
    for word, path, altered in alterations(original):
        if path[:1] in UNPROVED or (not path and word == "without evidence"):
            continue
        if "reason" in path or word.endswith(" reason"):  # which explains, and claims nothing
            continue
        seen += 1
        if accepted(equilag.load_snapshot(EXTENDED), altered):
            wrong.append(f"{'.'.join(map(str, path))} {word}")
    assert not wrong
    assert seen > 300


UNPROVED: Final = (("timing",), ("algorithm",), ("notes",), ("policy",), ("certificate",))
"""Fields that are not proved, and those whose alterations may be true: they have tests below."""


@pytest.fixture(scope="module")
def with_settings() -> Json:
    return document(solved(**SETTINGS, weight="lag"))


@pytest.mark.parametrize(
    ("setting", "value", "finding"),
    [
        ("pin", ["audit-2=c"], "assignment.b.audit: only"),
        ("pin", ["audit-2=nobody"], "policy: pin"),
        ("keep", ["payments"], "may take partition"),
        ("capacity", ["a=1", "b=1", "c=3"], "counts: not as even"),
        ("capacity", ["nobody=1"], "policy: capacity"),
        ("max_partitions", 2, "more than its room of 2"),
        ("co_partition", [["orders", "audit"]], "policy: co_partition"),
        ("rack_aware", 1, "policy.rack_aware"),
        ("max_cross_rack", 0, "more than the 0 that the policy allows"),
        ("instances", "host", "policy: instances"),
        ("horizon", 300.0, "policy.horizon: only the weight work has one"),
        ("fresh", True, "status: optimal, but"),
    ],
)
def test_an_untrue_setting_is_a_finding(
    with_settings: Json, setting: str, value: Any, finding: str
) -> None:
    altered = copy.deepcopy(with_settings)
    altered["policy"][setting] = value
    found = findings(altered)
    assert any(finding in line for line in found), found


def test_a_stronger_claim_is_a_finding(with_settings: Json) -> None:
    original = with_settings
    names = {claim["claim"] for claim in original["certificate"]["claims"]}
    assert {"counts", "fewest_cross_rack", "fewest_moves", "spread_at_least"} <= names
    for number, claim in enumerate(original["certificate"]["claims"]):
        altered = copy.deepcopy(original)
        step = -1 if claim["claim"] == "min_load_at_most" else 1
        value = written(Fraction(claim["value"]) + step)
        altered["certificate"]["claims"][number]["value"] = value
        assert findings(altered), claim


CROSSED: Final[Snapshot] = {
    "format": "equilag/snapshot/1",
    "group": "crossed",
    "topics": {"t": 2},
    "members": [
        {"id": "a", "subscription": ["t"], "rack": "x", "owned": {"t": [0]}},
        {"id": "b", "subscription": ["t"], "rack": "y", "owned": {"t": [1]}},
    ],
    "racks": {"t": [["y"], ["x"]]},
}
"""Nothing moves without `rack_aware`, and everything with it."""


def test_a_plan_under_the_name_of_one_that_minds_racks_is_a_finding() -> None:
    group = equilag.load_snapshot(CROSSED)
    plain, aware = (document(equilag.solve(group, rack_aware=mind)) for mind in (False, True))
    assert (plain["cross_rack"]["count"], aware["cross_rack"]["count"]) == (2, 0)
    found = equilag.verify(group, {**plain, "policy": aware["policy"]})
    assert "cross_rack: another plan with the same counts reads less across racks" in found
    # One with the fewest reads has to claim it.
    claims = [c for c in aware["certificate"]["claims"] if c["claim"] != "fewest_cross_rack"]
    found = equilag.verify(group, {**aware, "certificate": {"claims": claims}})
    assert found == ["status: optimal without a claim about reads across racks"]


NAMES = ("max_load_at_least", "min_load_at_most", "spread_at_least", "excess_at_least")


def random_plan(rng: np.random.Generator) -> tuple[Group, Plan, dict[str, Fraction]]:
    """The plan of a group of three members, and the truth about its loads by trying all."""
    size, capacity = int(rng.integers(5, 8)), rng.permutation([1, 1 + rng.integers(1, 4), 3])
    lags = rng.integers(0, 60, size)
    lags[0] *= int(rng.integers(1, 8))
    group = rated_group(None, capacity.tolist(), lags.tolist())
    plan = equilag.solve(group, effort=0.3, time_limit=60, tolerance=0)
    assert plan.policy is not None
    planned = reduce_group(plan.group, plan.policy).group
    assert planned.extended.has_capacities
    top = max(capacity.tolist())
    factor = np.array([Fraction(top, one) for one in capacity.tolist()], dtype=object)
    rows = np.array(list(product(range(3), repeat=size)))
    held = rows[:, :, None] == np.arange(3)
    squares = (held.sum(axis=1) ** 2 * factor).sum(axis=1)
    best = held[squares == squares.min()]
    loads = np.where(best, lags[None, :, None], 0).sum(axis=1).astype(object) * factor
    above = np.maximum(0, loads - fair_load(planned)).sum(axis=1)
    truth = {
        "max_load_at_least": loads.max(axis=1).min(),
        "min_load_at_most": loads.min(axis=1).max(),
        "spread_at_least": np.ptp(loads, axis=1).min(),
        "excess_at_least": above.min(),
    }
    return group, plan, truth


def forgeries(claim: dict[str, Any]) -> list[dict[str, Any]]:
    """The claim with other values and other data."""
    value, steps = Fraction(claim["value"]), (-9, -1, 1, 2, 9, Fraction(1, 10**9), Fraction(-1, 7))
    values = [{**claim, "value": written(max(Fraction(0), value + step))} for step in steps]
    data = claim["data"]
    others = [{**data, "members": [name]} for name in ("m0", "m2") if "members" in data]
    others += [{**data, "heaviest": k} for k in (1, 2, 3) if "heaviest" in data]
    return values + [{**claim, "data": other} for other in others]


def is_true(claim: dict[str, Any], truth: Fraction) -> bool:
    value = Fraction(claim["value"])
    return value >= truth if claim["claim"] == "min_load_at_most" else value <= truth


@pytest.mark.parametrize("number", [5, pytest.param(40, marks=pytest.mark.long)])
def test_plans_are_the_most_even_and_no_untrue_claim_is_proved(number: int) -> None:
    rng = np.random.default_rng(4)
    outcomes: Counter[tuple[str, bool]] = Counter()
    for _ in range(number):
        group, plan, truth = random_plan(rng)
        assert (plan.status, plan.evidence) == ("optimal", "checked")
        assert plan.proofs.spread == truth["spread_at_least"]
        document = plan.to_dict()
        claims = document["certificate"]["claims"]
        assert check_plan(group, document).findings == []
        for place, claim in enumerate(claims):
            if claim["claim"] not in NAMES:
                continue
            assert is_true(claim, truth[claim["claim"]])
            for forged in forgeries(claim):
                altered = copy.deepcopy(document)
                altered["certificate"]["claims"][place] = forged
                report = check_plan(group, altered)
                proved = any(f"claims[{place}]" in line for line in report.proved)
                assert not proved or is_true(forged, truth[forged["claim"]])
                outcomes[claim["claim"], proved] += 1
    assert all(outcomes[name, proved] > 1 for name in NAMES for proved in (True, False))
