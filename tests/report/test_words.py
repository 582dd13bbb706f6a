"""What reports say of cases that the reports in golden/ do not have: a file of sentences for each
subject in said/, a line per case and sentence.

After a wanted change the files are written again with WRITE_GOLDEN=1; each line is then to be read
beside the case that it is of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest
from support.groups import group_of
from support.orders_service import even_assignment, orders_group, rated_group, slow_group
from support.orders_service import slow_snapshot as slow
from support.reports import agrees, sentences

import equilag
from equilag import Group, Member
from equilag.certificate.verify import VerificationReport
from equilag.domain.building.group_input import InputDoubt
from equilag.domain.plan.claim import Claim
from equilag.domain.plan.plan import Plan
from equilag.domain.plan.verdict import SuspectFacts
from equilag.domain.policy.policy import Policy
from equilag.planner.assign import assign
from equilag.planner.compare import Comparison, ComparisonRow, compare
from equilag.planner.explain import explanation_of
from equilag.planner.explaining.bound_causes import BoundCause
from equilag.planner.explaining.unevenness import unevenness_facts
from equilag.planner.facts.group import group_facts
from equilag.planner.facts.suspects import suspicion
from equilag.planner.simulate import simulate
from equilag.planner.sizes.sizing import LeastSize
from equilag.planner.solving.run_settings import budget_of
from equilag.planner.worth.judged_plan import JudgedPlan
from equilag.report.reports.comparison import ComparisonReport
from equilag.report.reports.explanation import ExplanationReport
from equilag.report.reports.plan import PlanReport
from equilag.report.reports.simulation import SimulationReport
from equilag.report.reports.size import SizeReport
from equilag.report.reports.verification import CheckReport
from equilag.report.words.bounds import LoadWords, cause_words, looser_words, state_words
from equilag.report.words.group import group_title
from equilag.report.words.size import load_note
from equilag.report.words.unevenness import unevenness_heading, unevenness_words

FOLDER: Final = Path(__file__).with_name("said")
Said = Iterator[tuple[str, Iterable[str]]]
RECORDS: Final = LoadWords("records", 100.0, "records")
ONE: Final = {"partitions": (("t", 7),), "n_partitions": 1}
SEVERAL: Final[dict[str, Any]] = {
    "partitions": tuple(("t", n) for n in range(6)), "n_partitions": 6, "topics": ("t", "u"),
    "weight": 900, "members": ("a", "b"),
}  # fmt: skip
CAUSES: Final[tuple[tuple[Any, Any, Any, dict[str, Any]], ...]] = (
    ("partition", "heaviest", "subscriptions", {"alone": 150.0, **ONE}),
    ("partition", "heaviest", "counts", {"alone": 120.0, **ONE}),
    ("partition", "heaviest", "room", {"alone": 12.0, **ONE}),
    ("partition", "lightest", "subscriptions", ONE),
    ("partitions", "heaviest", "subscriptions", SEVERAL),
    ("partitions", "lightest", "subscriptions", SEVERAL),
    ("members", "heaviest", "subscriptions", SEVERAL),
    ("members", "lightest", "restrictions", SEVERAL),
    ("members", "lightest", "subscriptions", {**SEVERAL, "members": ("a",)}),
    ("members", "heaviest", "owners", {"members": ("a",)}),
    ("pairs", "heaviest", "subscriptions", {}),
    ("moves", "spread", "subscriptions", {"max_moves": 1}),
    ("moves", "spread", "subscriptions", {}),
    ("sums", "spread", "counts", {}),
)


def causes() -> Said:
    """What bounds a plan."""
    for kind, side, scope, more in CAUSES:
        for evidence in ("checked", "solver")[: 1 + (side == "spread")]:
            cause = BoundCause(kind, side, 150.0, scope, evidence, "claim", **more)
            yield f"{kind} {side} {scope} {evidence}", [cause_words(cause, RECORDS)]
    yield "tolerance", [looser_words("tolerance", {"tolerance": 0.0})]
    yield "fewest moves", [looser_words("fewest-moves", {"policy": "lag-aware"})]


def by_hand(group: Group, *members: int) -> Plan:
    return Plan(group, Policy(), "feasible", "by hand", np.array(members, np.int32))


def explanations() -> Said:
    """How far plans are from what is proved, and what the difference is for."""
    apart = group_of([6], [[0]] * 3, owners=[0, 0, 1, 1, 2, 2], lags=[60, 50, 55, 40, 50, 45])
    few = group_of([5], [[0]] * 2, owners=[0, 0, 0, 1, 1], lags=[1, 0, 0, 2, 0])
    equal = group_of([3], [[0]] * 2, owners=[0, 0, 1], lags=[5, 5, 5])
    own = by_hand(apart, *apart.owner.tolist())
    found = {
        "no lag": equilag.explain(group_of([2], [[0]] * 2, owners=[0, 1]), effort=0.01),
        "few records": equilag.explain(few, effort=0.01),
        "nobody reads": equilag.explain(group_of([2], [[]]), effort=0.01),
        "by an assignor": explanation_of(
            equal, equilag.assign(equal, "round-robin"), budget_of(equal, 1.0)
        ),
        "move cost": equilag.explain(apart, effort=0.2, move_cost=30, tolerance=0.0),
        "no time": equilag.explain(apart, equilag.solve(apart, time_limit=0), effort=0.05),
        "nothing proved": explanation_of(apart, own, budget_of(apart, 1)),
        "tolerance": equilag.explain(apart, effort=0.05, tolerance=60.0),
    }
    yield from ((name, ExplanationReport(one).why) for name, one in found.items())
    small = group_of([4], [[0]] * 2, [0, 0, 1, 1], [5, 4, 3, 2])
    plan = equilag.solve(small, effort=0.05, time_limit=20.0)
    bound, words = plan.loads.spread_lower_bound, LoadWords("records", 7.0, "records")
    yield "proved", state_words(plan, True, words)
    claim = Claim("spread_at_least", bound + 1, "search", {}, "solver")
    yield "by the solver", state_words(replace(plan, claims=(claim,)), True, words)


def owned_by(owners: Any, lags: list[int], *, members: int = 3) -> Group:
    return group_of([len(lags)], [[0]] * members, owners=owners, lags=lags)


def unevenness() -> Said:
    """Why groups are uneven now."""
    heavy = [900 if n in (2, 4) else 100 for n in range(15)]
    slow_ones = owned_by(np.repeat(np.arange(4), 3), [1000] * 12, members=4)
    speeds = zip(slow_ones.members, (2.0, 10.0, 10.0, 5.0), strict=True)
    made = tuple(replace(member, capacity=speed) for member, speed in speeds)
    weightless = Group.build(
        name="g", topics={"t": 2}, members=["a"], subscriptions={"a": ["t"]},
        owned={"a": {"t": [0, 1]}}, weights={"t": [0, 0]},
    )  # fmt: skip
    groups = {
        "two heavy partitions": owned_by(np.repeat([0, 1, 2], 5), heavy),
        **{
            f"{readers} may read": group_of(
                [4, 4], [[0]] * readers + [[1]] * (4 - readers),
                owners=[0, 0, 0, readers - 1, *[readers, 3] * 2], lags=[1000] * 4 + [100] * 4,
            )
            for readers in (1, 2)
        },
        "stuck": owned_by(np.repeat(np.arange(6), 6), [20_000] * 6 + [5] * 30, members=6),
        "slow": replace(slow_ones, members=made),
        "without": owned_by([0, 0, 1, 1, 1, -1], [100] * 6),
        "nobody owns": group_of([6], [[0]] * 3),
        "nobody reads": group_of([2], [[]]),
        "even": owned_by([0, 0, 1, 1], [100, 101, 99, 100], members=2),
        "alone": owned_by([0, -1], [5, 900], members=1),
        "even counts": owned_by([0, 0, 1, 1, 2], [0] * 5),
        "uneven counts": owned_by([0, 0, 0, 0, 2], [0] * 5),
        "weightless": weightless,
    }  # fmt: skip
    for name, group in groups.items():
        more = {"weight": "given"} if group is weightless else {}
        now = unevenness_facts(JudgedPlan(equilag.solve(group, time_limit=0, **more)))
        yield name, (unevenness_heading(now), *unevenness_words(now))
    one = SuspectFacts("m03", 6, 6, 30_000, 54, 54, 59, 59)
    some = SuspectFacts("m00", 10, 9, 30_000, 50, 49, 59, 40_000)
    yield "suspects", map(suspicion, (one, some))


def sizes() -> Said:
    """How many members it takes, and what that rests on."""
    even, rates = [10.0] * 12, [float(n + 1) for n in range(40)]
    twelve, weighed = (
        rated_group(even, [25.0, 25.0], [100] * 12),
        rated_group([10.0, 10.0], [20.0], [300, 0], weights={"orders": [3, 4]}),
    )
    no_speed = replace(weighed, members=(Member("m0"),))
    lagging = rated_group([0.0] * 4, [10.0, 5.0], [600, 300, 300, 300])
    threads = Group.build(
        name="g", topics={"a": 6, "b": 6}, members=["m1", "m2", "m3", "m4", "idle"],
        subscriptions={"m1": ["a"], "m2": ["a"], "m3": ["b"], "m4": ["b"], "idle": []},
        rates={"a": [1.0, *[None] * 5], "b": [1.0] * 6}, allowed={"a": {"0": ["m1"]}},
    )  # fmt: skip
    asked: dict[str, tuple[Group, dict[str, Any]]] = {
        "too few": (twelve, {"catch_up": 120}),
        "hot": (rated_group([70.0, *even], [50.0] * 4), {"catch_up": 60}),
        "many hot": (rated_group([70.0] * 5, [50.0]), {}),
        "no capacities": (rated_group([10.0, 20.0, 12.5], [None, None]), {}),
        "lag as time": (replace(lagging, rates=None), {"members": (2, 2)}),
        "work": (weighed, {"weight": "work", "horizon": 60.0}),
        "given": (weighed, {"weight": "given"}),
        "given, no capacity": (no_speed, {"weight": "given"}),
        "work, no capacity": (no_speed, {"weight": "work", "horizon": 60.0}),
        "threads": (threads, {"threads": 2}),
        "limits": (twelve, {"max_partitions": 3}),
        "forty": (rated_group(rates, [100.0] * 4), {"tolerance": 0}),
        "unknown rate": (rated_group([9.0, None], [5.0]), {}),
        "from 7": (rated_group([10.0, 20.0, 30.0, 40.0], [100.0, 100.0]), {"members": (7, 9)}),
        "nothing": (rated_group([0.0, 0.0], [25.0]), {}),
    }
    found = {name: equilag.size(group, **more) for name, (group, more) in asked.items()}
    open_, interval = equilag.size(twelve), equilag.size(rated_group(even, [None, None]))
    half = tuple(replace(row, load_at_least=row.load / 2) for row in interval.rows)
    unsure = tuple(replace(row, keeps_up=None) for row in open_.rows)
    found |= {
        "5 or 6": replace(open_, least_keeping_up=LeastSize(5, 6)),
        "5 or more": replace(open_, least_keeping_up=LeastSize(5, None)),
        "open": replace(open_, rows=unsure, interrupted=True),
        "interval": replace(interval, rows=half),
        "no rows": replace(open_, rows=()),
    }
    for name, one in found.items():
        yield name, (*sentences(SizeReport(one)), load_note(one))


ACROSS: Final = {topic: [["x"]] * 6 + [["y"]] * 6 for topic in "ab"}
OWNS: Final = {topic: [*range(12)] for topic in "ab"}


def extended(
    members: list[dict[str, Any]], settings: dict[str, Any] | None = None, **fields: Any
) -> PlanReport:
    """A plan of 12 partitions of each of two topics; the first member owns all unless it says."""
    both = {"subscription": ["a", "b"]}
    listed = [{"id": f"m{n}", **both, **member} for n, member in enumerate(members)]
    listed[0].setdefault("owned", OWNS)
    group = equilag.load_snapshot({
        "format": "equilag/snapshot/1", "group": "g", "topics": {"a": 12, "b": 12},
        "members": listed, "lags": {"a": [*range(0, 120, 10)]}, **fields,
    })  # fmt: skip
    others = {"policy": "fair-yet-sticky", **(settings or {})}
    return PlanReport(equilag.solve(group, effort=0.05, time_limit=60, **others))


def extended_plans() -> Said:
    """Instances, racks, restrictions, room and capacities."""
    free, aware = {"balance": "none"}, {"rack_aware": True}
    allowed, racked = {"a": {"3": ["m1"], "4": ["m0"]}}, [{"rack": "x"}, {"rack": "y"}]
    pods = [{"instance": "pod", "capacity": 30}, {"instance": "pod", "capacity": 30}]
    halves = [{"owned": {topic: [*range(12)]}} for topic in "ab"]
    apart = [{**one, "rack": rack} for one, rack in zip(halves, "xy", strict=True)]
    swapped = {"a": [["y"]] * 12, "b": [["x"]] * 12}
    lag_aware = {"policy": "lag-aware", "tolerance": 0}
    found = {
        "instances": extended([*pods, {}, {"capacity": 60}]),
        "racks": extended(racked, racks=ACROSS),
        "rack-aware": extended(racked, aware, racks=ACROSS),
        "free counts": extended([{}, {}], free),
        "free, room and racks": extended(
            [{"rack": "x"}, {"rack": "y", "max_partitions": 20}], {**free, **aware}, racks=ACROSS
        ),
        "room": extended([{"max_partitions": 20}, {}], free),
        "allowed": extended([{}, {}], free, allowed=allowed),
        "stay": extended([{}, {}], {"policy": "sticky-yet-fair"}, allowed=allowed),
        "at least": extended(halves, lag_aware, allowed=allowed),
        "limit on reads": extended(apart, {"max_cross_rack": 0}, racks=swapped),
        "unknown racks": extended([{}, {}], aware),
    }
    labels = ("policy", "counts", "across racks", "proved bound", "moves")
    for name, report in found.items():
        rows = {row.label: row.words for row in report.proof.rows}
        if name == "at least":  # how many moves there are besides is up to the search
            rows["moves"] = rows["moves"].partition("; ")[2]
        yield name, [f"{label}: {rows[label]}" for label in labels if label in rows]
    notes = [*sentences(found["instances"])]
    yield "capacities", [line for line in notes if "capacity" in line]


def throughput() -> Said:
    """Who falls behind and what helps, what was taken for unknown, and what loads are."""
    ten, slow_one, late = (10, 10), (10, 10, 1), [0, 0, 5_100, 0]
    even, none = {"tolerance": 0}, (None, None)
    asked: dict[str, tuple[Any, Any, str, dict[str, Any]]] = {
        "hot": ([25, 1, 1, 1, 1, 1], (10, 20, 20), "001122", {}),
        "many hot": ([25] * 7, (1, 2), "", {}),
        "relieved": ([8, 8, 2, 2], ten, "0011", {}),
        "even counts": ([6, 6, 6], slow_one, "012", {"balance": "total"}),
        "lag too": ([9, 9, 1, 1], ten, "0011", {"lags": late, **even}),
        "keeps up": ([9, 9, 1, 1], ten, "0110", {"lags": late, **even}),
        "no moves": ([8, 8, 2, 2], ten, "0011", {"max_moves": 0}),
        "unknown": ([None, 2, 4], none, "001", {"lags": [None, 5, 5]}),
        "no rates": ([None, None], (1, 2), "01", {"weight": "work"}),
        "horizon": ([1, 2], (5, 5), "01", {"horizon": 60}),
        "by rate": ([1, 2], (5, 5), "01", {"weight": "rate"}),
        "by rate alone": ([1, 2], none, "01", {"weight": "rate"}),
        "two speeds": ([1, 2], (5, 10), "01", {}),
    }
    rows = ("Members", "weight: ", "throughput: ", "not checkable: ")
    for name, (rates, capacities, owner, more) in asked.items():
        lags = more.pop("lags", None)
        ids = [f"m{n}" for n in range(len(capacities))]
        places = {who: [p for p, m in enumerate(owner) if m == who[1]] for who in ids}
        group = Group.build(
            name="g", topics={"t": len(rates)}, rates={"t": rates},
            members=[Member(who, capacity=c) for who, c in zip(ids, capacities, strict=True)],
            subscriptions={who: ["t"] for who in ids},
            owned={who: {"t": own} for who, own in places.items()},
            **({} if lags is None else {"lags": {"t": lags}}),
        )  # fmt: skip
        report = PlanReport(equilag.solve(group, effort=0.05, time_limit=60, **more))
        verdict = report.verdict.headline, *report.verdict.details
        told = sentences(report)
        yield name, (*verdict, *(line for line in told if line.startswith(rows)))


def doubts() -> Said:
    """What was accepted although it may be a mistake."""
    gone = (("a-1", "c", "no such topic"), ("b-2", "c", "x")) * 2
    all_kinds = (
        InputDoubt("claimed_twice", 1, (("orders-3", "c-1", "c-2"),)),
        InputDoubt("dropped_claim", 9, gone),
        InputDoubt("lags_and_offsets", 2, (("orders",), ("pay\nments",))),
        InputDoubt("missing_topic", 1, (("c-1", "audti"),)),
    )
    group = orders_group()
    yield "all", group_title(group_facts(Plan.of_owners(replace(group, doubts=all_kinds)))).notes
    unnamed = replace(group, doubts=(), dropped_claims=2)
    yield "without names", group_title(group_facts(Plan.of_owners(unnamed))).notes


BOUND: Final = (Claim("spread_at_least", 40, "difference"),)
BY_SOLVER: Final = (Claim("spread_at_least", 1040, "cp-sat", {}, "solver"),)
COUNTS: Final = (Claim("counts", 4, "residual"),)


def plan_of(fields: dict[str, Any] | None = None, **changes: Any) -> Plan:
    """A plan with the assignment of range and everything else as a test wants it."""
    usual = {"claims": (), "policy": Policy(tolerance=0.0), "algorithm": "sweeps"}
    return replace(assign(orders_group(**(fields or {})), "range"), **{**usual, **changes})


def plans() -> Said:
    """How good plans are proved to be, by status, claims and policy."""
    made: dict[str, dict[str, Any]] = {
        "optimal": {"status": "optimal", "claims": BOUND},
        "feasible": {"status": "feasible", "claims": BOUND},
        "fallback": {"status": "fallback", "claims": BOUND},
        "no bound": {"status": "feasible"},
        "assignor": {"policy": None, "algorithm": "range", "claims": BOUND},
        "solver": {"status": "optimal", "claims": BY_SOLVER},
        "feasible, solver": {"status": "feasible", "claims": BY_SOLVER},
        "sticky": {"claims": BOUND, "policy": Policy("fair-yet-sticky")},
        "limit": {"claims": BOUND, "policy": Policy(max_moves=4)},
        "counts": {"claims": COUNTS, "policy": Policy()},
        "counts by topic": {"claims": COUNTS, "policy": Policy("kip-169")},
        "counts of both": {"claims": COUNTS, "policy": Policy(balance="both")},
        "counts, no move": {"claims": COUNTS, "policy": Policy("sticky-yet-fair")},
        "counts not proved": {"policy": Policy("kip-169")},
    }
    labels = ("Plan ", "counts: ", "proved bound: ", "solver bound: ", "gap: ", "not checkable: ")
    for name, changes in made.items():
        told = sentences(PlanReport(plan_of(**changes)))
        yield name, [line for line in told if line.startswith(labels)]
    alone = [{"id": "a", "subscription": ["orders", "payments"]}]
    small: dict[str, dict[str, Any]] = {
        "no members": {"members": []},
        "nothing": {"members": [], "topics": {}, "lags": {}},
        "idle": {"topics": {}, "lags": {}},
        "unassigned": {"members": [], "topics": {"orders": 5}, "lags": {}},
        "no lag": {"lags": {}},
        "new": {"members": alone},
    }
    yield from ((name, sentences(PlanReport(plan_of(one)))) for name, one in small.items())
    stays = plan_of()
    yield "stays", sentences(PlanReport(replace(stays, assigned=stays.group.owner)))


def comparisons() -> Said:
    """What comparisons rest on."""
    for owned in ([0], [0, 1, 2, 3, 4]):
        member = {"id": "a", "subscription": ["orders"], "owned": {"orders": owned}}
        group = orders_group(topics={"orders": 5}, lags={}, members=[member])
        row = ComparisonRow("current", 1, 2, 3000, 0, 0, 0.0, 1.5)
        found = Comparison((row,), 0, assign(group, "range"))
        yield f"{len(owned)} owned", sentences(ComparisonReport(found))
    row = ComparisonRow("equilag", 1, 2, 3000, 90, 180, 0.0, 1.5)
    for name in ("lag-aware", "fair-yet-sticky"):
        plan = plan_of(policy=Policy(name, tolerance=0.0))
        yield f"{name}, 0", sentences(ComparisonReport(Comparison((row,), 90, plan)))
    nobody = compare(orders_group(members=[]), effort=0.1)
    yield "nobody reads", sentences(ComparisonReport(nobody))


STAYS: Final = {"a": {"t": [0, 1]}, "b": {"t": [2, 3]}, "slow": {"t": [4, 5]}}


def simulations() -> Said:
    """What becomes of the lag."""
    members, unknown = slow()["members"], slow()["members"]
    members[1]["owned"] = {"t": [2]}
    del unknown[0]["capacity"]
    stays = {**even_assignment(), "assignment": STAYS}
    changes: dict[str, dict[str, Any]] = {
        "overloaded": {"rates": {"t": [30, 20, 20, 30, 50, 150]}},
        "hot": {"rates": {"t": [0, 0, 0, 0, 0, 150]}},
        "as it is": {},
        "no reader": {"members": members},
        "just": {"rates": {"t": [30, 20, 20, 30, 40, 20]}},
        "nothing": {"lags": {"t": [0] * 6}, "rates": {"t": [0] * 6}},
        "unknown": {"members": unknown, "rates": {"t": [30, 20, None, 30, 50, 30]}},
        "no rates": {"rates": {}},
    }
    for name, fields in changes.items():
        yield name, sentences(SimulationReport(simulate(slow_group(**fields), stays)))
    few = slow_group(lags={"t": [20] * 6}, rates={})
    yield "costs more", sentences(SimulationReport(simulate(few, even_assignment())))
    busy = slow_group(rates={"t": [55] * 6})
    for more in (0, 3):
        found = simulate(busy, effort=0.1, time_limit=60, add_members=more)
        headline = SimulationReport(found).headlines[0]
        yield f"made, {more} more", (headline.words, *headline.lines)


def verifications() -> Said:
    """What was proved again, and findings in a line each, however long."""
    wrong = ["assignment.a\nb: wrong", "x\x1b[2J", "assignment." + "x" * 100]
    yield "findings", sentences(_checked(findings=wrong, proved=["y"]))
    for proved, unproved in ((5, 0), (1, 0), (3, 2), (0, 0)):
        found = _checked(unproved=["x"] * unproved, proved=["y"] * proved)
        yield f"{proved} and {unproved}", [[*sentences(found)][-1]]


def _checked(**found: list[str]) -> CheckReport:
    return CheckReport(orders_group(), "p.json", VerificationReport(**found), None)


SUBJECTS: Final[dict[str, Callable[[], Said]]] = {
    one.__name__: one
    for one in (
        causes, comparisons, doubts, explanations, extended_plans, plans, simulations, sizes,
        throughput, unevenness, verifications,
    )
}  # fmt: skip


@pytest.mark.parametrize("subject", SUBJECTS)
def test_what_is_said(subject: str) -> None:
    found = [(name, line) for name, lines in SUBJECTS[subject]() for line in lines]
    text = "".join(f"{name} | {line}\n" for name, line in found)
    agrees(FOLDER / f"{subject}.txt", text)
    assert not any(word in f" {line} " for _, line in found for word in (" nan ", " None "))
