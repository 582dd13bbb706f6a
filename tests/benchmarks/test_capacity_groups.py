"""Groups with capacities or racks: how they are drawn, planned and assigned.

`test_assignor_report.py` has their targets.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from support.assignor_cases import FakePeer, answering

from benchmarks.assignors import capacity_groups, rack_groups
from benchmarks.assignors.capacity_groups import CapacityShape


@answering
def one_gets_all(case: dict[str, Any]) -> dict[str, Any]:
    first, *others = (member["id"] for member in case["members"])
    everything = {topic: list(range(size)) for topic, size in case["topics"].items()}
    return {first: everything, **{name: {} for name in others}}


def test_groups_have_capacities_and_racks() -> None:
    case = CapacityShape(30, 300, 1).with_racks()
    assert case.capacities is not None
    assert set(case.capacities) == {1, 2, 3, 4}
    assert case.racks is not None
    assert {len(holding) for holding in case.racks.of_partition} == {1, 2}
    assert tuple(member.capacity for member in case.group().members) == case.capacities
    assert CapacityShape(30, 300, 1).with_lags().capacities == case.capacities


def test_every_group_is_planned_and_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capacity_groups, "LIMIT", 0.2)
    found = capacity_groups.measure((1,), sizes=((4, 12),), largest=(20, 200))
    assert [row["fields"] for row in found] == ["capacities, 3 racks", "none", "capacities"]
    assert all(not row["findings"] for row in found)
    assert [row["status"] for row in found[:2]] == ["optimal"] * 2
    assert found[0]["cross_rack"] > 0
    assert found[2]["gap_percent"] >= 0
    assert {len(row) for row in capacity_groups.rows(found)} == {len(capacity_groups.HEAD)}


def test_groups_have_the_racks_of_their_shapes() -> None:
    for shape in rack_groups.FULL:
        racks = shape.draw().racks
        assert racks is not None
        assert set(racks.of_member) == set(rack_groups.RACKS)
        assert {len(set(holding)) for holding in racks.of_partition} == {shape.replicas}
    assert len({shape.name for shape in rack_groups.FULL}) == len(rack_groups.FULL)
    skewed = next(s for s in rack_groups.SHORT if s.members == rack_groups.SKEWED).draw().racks
    assert skewed is not None
    assert Counter(skewed.of_member) == {"rack-a": 60, "rack-b": 30, "rack-c": 10}


def test_peers_and_plans_are_measured_alike() -> None:
    peers = [FakePeer("one gets all", writes=one_gets_all), FakePeer("away", "not here")]
    found = rack_groups.measure(rack_groups.SHORT[:1], peers)
    by_name = {row["assignor"]: row for row in found}
    assert by_name["equilag assign range"]["cross_rack"] < by_name["equilag"]["cross_rack"]
    assert all(by_name[name]["counts_optimal"] for name in ("equilag", rack_groups.OWN))
    words = dict(zip([row["assignor"] for row in found], rack_groups.rows(found), strict=True))
    assert {len(row) for row in words.values()} == {len(rack_groups.HEAD)}
    assert words[rack_groups.OWN][2:4] == ("0, proved", "10 to 10")
    assert (words["one gets all"][3], words["one gets all"][5]) == ("0 to 300 !", "2 ms")
    assert words["away"][2] == "not here"
