"""Sample cases: from the KIPs, from published test suites, from enumeration; as users see them.

Everything is read off the plan's JSON and the case itself: nothing here asks equilag what a valid
assignment, a move or an owner is.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any, Final

import pytest
from support.claimed_groups import load_case
from support.paths import CONFORMANCE

import equilag

Json = dict[str, Any]
Held = dict[str, set[tuple[str, int]]]

PLANNED: Final = ("kip54_sticky", "kip615", "exact_small")
ASSIGNED: Final = ("kip49_fair", "kip169_lag", "range_roundrobin", "range_racks")
LIMIT: Final = 20.0


def cases(*families: str, having: str | None = None) -> list[Any]:
    return [
        pytest.param(case, id=f"{family}-{case['id']}")
        for family in families
        for case in json.loads((CONFORMANCE / f"{family}.json").read_text("utf-8"))["cases"]
        if having is None or having in expected(case)
    ]


def expected(case: Json) -> Json:
    """Where sources differ on old claims, the newest claim on a partition wins."""
    expect: Json = case["expect"]
    rule = expect.get("by_rule", {}).get("kafka4_newest_claim_wins_per_partition", {})
    return {**expect, **rule}


def held(assignment: Json) -> Held:
    return {
        member: {(topic, number) for topic, numbers in topics.items() for number in numbers}
        for member, topics in assignment.items()
    }


def planned(case: Json, policy: str) -> Json:
    """A plan that holds, as JSON, of a valid assignment."""
    group = load_case(case)
    plan = equilag.solve(group, policy, time_limit=LIMIT, tolerance=0)
    assert equilag.verify(group, plan) == []
    assert_valid(case, held(plan.to_dict()["assignment"]))
    return plan.to_dict()


def assert_valid(case: Json, assignment: Held) -> None:
    given = Counter(partition for partitions in assignment.values() for partition in partitions)
    wanted = {
        (topic, number)
        for topic, size in case["topics"].items()
        for number in range(size)
        if any(topic in subscription for subscription in case["members"].values())
    }
    assert set(given) == wanted
    assert all(times == 1 for times in given.values())
    assert set(assignment) == set(case["members"])
    for member, partitions in assignment.items():
        assert {topic for topic, _ in partitions} <= set(case["members"][member])


def owners(case: Json) -> dict[tuple[str, int], str]:
    """Who owns what: the newest claim, if there is one of its age, if its member still reads it."""
    claims: dict[tuple[str, int], list[tuple[int, str]]] = {}
    for member, partitions in case.get("current", {}).items():
        for topic, number in partitions:
            if member in case["members"] and number < case["topics"].get(topic, 0):
                age = case.get("generations", {}).get(member, 0)
                claims.setdefault((topic, number), []).append((age, member))
    found = {}
    for partition, rivals in claims.items():
        newest = [member for age, member in rivals if age == max(rivals)[0]]
        if len(newest) == 1 and partition[0] in case["members"][newest[0]]:
            found[partition] = newest[0]
    return found


def moves(case: Json, assignment: Held) -> int:
    return sum(partition not in assignment[owner] for partition, owner in owners(case).items())


def counts(assignment: Held) -> list[int]:
    return sorted((len(partitions) for partitions in assignment.values()), reverse=True)


def spread(case: Json, assignment: Held) -> int:
    active = [
        member for member, topics in case["members"].items()
        if any(case["topics"].get(topic, 0) for topic in topics)
    ]  # fmt: skip
    loads = [sum(case["lags"][t][n] for t, n in assignment[member]) for member in active]
    return max(loads) - min(loads) if loads else 0


def test_the_families_are_all_there() -> None:
    assert {path.stem for path in CONFORMANCE.glob("*.json")} == {*PLANNED, *ASSIGNED}
    assert len(cases(*PLANNED, *ASSIGNED)) > 80


@pytest.mark.parametrize("case", cases(*PLANNED))
def test_counts_fewest_moves_and_the_first_phase(case: Json) -> None:
    expect = expected(case)
    assert expect.keys() & {"counts_sorted", "min_moves", "first_phase"}
    plan = planned(case, "fair-yet-sticky")
    assignment = held(plan["assignment"])
    if "counts_sorted" in expect:
        assert counts(assignment) == expect["counts_sorted"]
        by_member = {member: len(partitions) for member, partitions in assignment.items()}
        assert plan["counts"]["by_member"] == by_member
    if "min_moves" in expect:
        figures = plan["moves"]["count"], plan["moves"]["lower_bound"]
        assert (moves(case, assignment), *figures) == (expect["min_moves"],) * 3
        assert plan["status"] == "optimal"
    if "first_phase" in expect:
        check_first_phase(case, plan)


def check_first_phase(case: Json, plan: Json) -> None:
    """It withholds what goes to another than one of its live owners."""
    first, last = plan["phases"][0]["assignment"], plan["phases"][-1]["assignment"]
    assert last == plan["assignment"]
    early = {p for partitions in held(first).values() for p in partitions}
    late = {p for partitions in held(last).values() for p in partitions}
    claimed = {
        (topic, number): {m for m, ps in case.get("current", {}).items() if [topic, number] in ps}
        for topic, number in late
    }
    live = set(case["members"])
    final = {p: member for member, partitions in held(last).items() for p in partitions}
    withheld = {p for p in late if claimed[p] & live and final[p] not in claimed[p]}
    assert late - early == withheld
    assert early <= late
    if not expected(case).get("conflicting_claims"):
        assert len(withheld) == expected(case)["first_phase"]["withheld"]


@pytest.mark.parametrize(
    ("policy", "where"), [("lag-aware", []), ("kip-169", ["per_topic"])], ids=["total", "per-topic"]
)
@pytest.mark.parametrize("case", cases("exact_small", having="optimal_lag_spread"))
def test_smallest_lag_spread(case: Json, policy: str, where: list[str]) -> None:
    want = expected(case)
    for key in where:
        want = want[key]
    plan = planned(case, policy)
    assert spread(case, held(plan["assignment"])) == want["optimal_lag_spread"]
    assert plan["lag"]["spread"] == want["optimal_lag_spread"]
    assert plan["lag"]["gap"] == 0
    assert plan["status"] == "optimal"


@pytest.mark.parametrize("case", cases("exact_small", having="pareto_moves_spread"))
def test_front(case: Json) -> None:
    points = [(p.moves, p.spread) for p in equilag.frontier(load_case(case), time_limit=LIMIT)]
    assert points == [tuple(point) for point in case["expect"]["pareto_moves_spread"]]


@pytest.mark.parametrize("case", cases("kip49_fair", "kip169_lag"))
def test_assignors(case: Json, request: pytest.FixtureRequest) -> None:
    usual = "fair" if "kip49_fair" in request.node.name else "lag-aware"
    group, expect = load_case(case), case["expect"]
    plan = equilag.assign(group, case.get("algorithm", usual).replace("_", "-"))
    assert equilag.verify(group, plan) == []
    document = plan.to_dict()
    if "assignment" in expect:
        want = {m: {(t, p) for t, p in ps} for m, ps in expect["assignment"].items()}
        assert held(document["assignment"]) == want
    if "lags" in expect:
        assert document["lag"]["total"] == sum(map(sum, expect["lags"].values()))
    if "total_lag" in expect:
        assert document["lag"]["max"] == max(expect["total_lag"].values(), default=0)
    assert {"assignment", "lags", "total_lag", "valid"} & set(expect)
