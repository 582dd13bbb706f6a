"""Groups with capacities: how they are drawn, planned and reported."""

from __future__ import annotations

from typing import Any

import pytest
from support.assignor_cases import results_of

from benchmarks.assignors import capacity_groups
from benchmarks.assignors.capacity_groups import CapacityShape
from benchmarks.assignors.targets import judged


def test_groups_have_capacities_and_racks() -> None:
    case = CapacityShape(30, 300, 1).with_racks()
    assert case.capacities is not None
    assert set(case.capacities) == {1, 2, 3, 4}
    assert case.racks is not None
    assert {len(holding) for holding in case.racks.of_partition} == {1, 2}
    group = case.group()
    assert tuple(member.capacity for member in group.members) == case.capacities
    assert CapacityShape(30, 300, 1).with_lags().capacities == case.capacities


def test_every_group_is_planned_and_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capacity_groups, "LIMIT", 0.2)
    found = capacity_groups.measure((1,), sizes=((4, 12),), largest=(20, 200))
    assert [row["fields"] for row in found] == ["capacities, 3 racks", "none", "capacities"]
    assert all(not row["findings"] for row in found)
    assert [row["status"] for row in found[:2]] == ["optimal"] * 2
    assert found[0]["cross_rack"] > 0
    assert 0 <= found[2]["gap_percent"] < 100
    assert {len(row) for row in capacity_groups.rows(found)} == {len(capacity_groups.HEAD)}


ROWS: list[dict[str, Any]] = [
    {"group": "a", "fields": "capacities, 3 racks", "seconds": 0.5, "status": "optimal",
     "findings": [], "cross_rack": 7, "moves": 9},
    {"group": "a", "fields": "none", "seconds": 9.0, "status": "optimal", "findings": [],
     "cross_rack": None, "moves": 1},
    {"group": "b", "fields": "capacities", "seconds": 2.0, "status": "feasible", "findings": [],
     "cross_rack": None, "moves": 3, "gap_percent": 0.04},
]  # fmt: skip


@pytest.mark.parametrize(
    ("row", "wrong", "met"),
    [
        (0, {}, [True, True]),
        (0, {"seconds": 1.1}, [False, True]),
        (0, {"findings": ["no"]}, [False, True]),
        (2, {"gap_percent": 0.06}, [True, False]),
        (2, {"findings": ["no"]}, [True, False]),
    ],
)
def test_groups_are_held_against_their_targets(
    row: int, wrong: dict[str, object], met: list[bool]
) -> None:
    rows = [{**one, **(wrong if number == row else {})} for number, one in enumerate(ROWS)]
    results = results_of([], capacities=rows)
    assert [target.met for target in judged(results) if "capacities" in target.name] == met
