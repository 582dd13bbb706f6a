"""Plans of real groups with an untrue figure, or with a broken rule, are findings."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import numpy as np
from support.altered_plans import accepted, alterations, document
from support.groups import Snapshot

import equilag
from equilag.plan import Plan
from equilag.plan_figures import REAL_FIGURES
from equilag.planner.settings import policy_from
from equilag.reduction import reduce_group
from equilag.shaping import shape_group

REAL: Final[Snapshot] = {
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
    "co_partitioned": [["orders", "payments"]],
    "allowed": {"audit": {"1": ["c"]}},
}  # fmt: skip


def by_hand(units: str = "abcb", audit: str = "acb", **settings: Any) -> Plan:
    """A plan without claims: the member of each unit and of each partition of audit."""
    group = equilag.load_snapshot(REAL)
    policy = policy_from("lag-aware", **settings)
    reduction = reduce_group(shape_group(group, policy.overrides), policy)
    members = [audit, units, units]  # as the topics ascend
    assigned = np.array(["abc".index(m) for topic in members for m in topic], dtype=np.int32)
    return Plan(group, policy, "fallback", "by hand", assigned, reduction=reduction)


def findings(plan: Plan | dict[str, Any]) -> list[str]:
    return equilag.verify(equilag.load_snapshot(REAL), plan)


def test_every_altered_figure_is_a_finding() -> None:
    plan = by_hand()
    original = document(plan)
    assert findings(original) == []
    assert set(REAL_FIGURES) < original.keys()
    seen = dict.fromkeys(REAL_FIGURES, 0)
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
        "assignment: co-partitioned topics are torn apart: partition 2 of orders, payments is with"
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
