"""What a plan of an extended group says: instances, racks, units, pins, capacities."""

from __future__ import annotations

from typing import Any

import pytest
from support.reports import sections, words_of

import equilag
from equilag.domain.plan.plan import Plan
from equilag.report.report_blocks import Table
from equilag.report.reports.plan import PlanReport


def solved(
    members: list[dict[str, Any]], settings: dict[str, Any] | None = None, **fields: Any
) -> Plan:
    """A plan of 12 partitions of each of two topics; the first member owns all unless it says."""
    ids = {"subscription": ["a", "b"]}
    listed = [{"id": f"m{n}", **ids, **member} for n, member in enumerate(members)]
    everything = {topic: list(range(12)) for topic in ("a", "b")}
    listed[0].setdefault("owned", everything)
    group = equilag.load_snapshot({
        "format": "equilag/snapshot/1", "group": "g", "topics": {"a": 12, "b": 12},
        "members": listed, "lags": {"a": list(range(0, 120, 10))}, **fields,
    })  # fmt: skip
    others = {"policy": "fair-yet-sticky", **(settings or {})}
    return equilag.solve(group, effort=0.05, time_limit=60, **others)


def rows(plan: Plan) -> dict[str, str]:
    """What a plan says of itself, by label."""
    return {row.label: row.words for row in PlanReport(plan).proof.rows}


def test_loads_of_instances_are_per_unit_of_capacity() -> None:
    members = [{"instance": "pod", "capacity": 30}, {"instance": "pod", "capacity": 30}, {}]
    report = PlanReport(solved([*members, {"capacity": 60}]))
    (instances,) = sections(report)["Instances"]
    assert isinstance(instances, Table)
    assert [column.heading for column in instances.columns][3:] == ["load now", "load planned"]
    loads = {row[0]: row[3] for row in instances.rows}
    assert loads == {"pod": 11.0, "m2": 0, "m3": 0}  # 660 records, capacity 60
    assert "1 member has no capacity; 30 is taken, the median" in words_of(report)


@pytest.mark.parametrize(("settings", "proved"), [({}, False), ({"rack_aware": True}, True)])
def test_reads_across_racks(settings: dict[str, Any], proved: bool) -> None:
    racks = {topic: [["x"]] * 6 + [["y"]] * 6 for topic in ("a", "b")}
    plan = solved([{"rack": "x"}, {"rack": "y"}], settings, racks=racks)
    said = rows(plan)
    count = plan.extended.cross_rack.count
    words = f"{count} partition{'s' * (count != 1)}; was 12"
    end = "; no fewer are possible" if proved else ""
    assert said["across racks"] == words + end
    assert ("fewest reads across racks" in said["policy"]) == proved
    assert ("for even counts and the fewest reads across racks" in said["moves"]) == proved


def test_free_counts_are_not_called_even() -> None:
    said = rows(solved([{}, {}], {"balance": "none"}))
    assert said["policy"] == "fair-yet-sticky, balance none"
    assert said["counts"] == "0 to 24 partitions per member, spread 24"
    assert said["moves"] == "0; no fewer are possible"
    assert not any("balance of counts" in words for words in said.values())


def test_moves_are_laid_to_what_forces_them() -> None:
    free, allowed = {"balance": "none"}, {"a": {"3": ["m1"], "4": ["m0"]}}
    members = [{"rack": "x"}, {"rack": "y", "max_partitions": 20}]
    racks = {topic: [["x"]] * 6 + [["y"]] * 6 for topic in ("a", "b")}
    said = rows(solved(members, {**free, "rack_aware": True}, racks=racks))
    assert said["across racks"].endswith("; was 12; no fewer are possible")
    words = "12; no fewer are possible for the fewest reads across racks"
    assert said["moves"] == words
    said = rows(solved([{"max_partitions": 20}, {}], free))
    assert said["moves"] == "4; no fewer are possible for room"
    said = rows(solved([{}, {}], free, allowed=allowed))
    assert said["moves"] == "1; no fewer are possible for restrictions"
    stay = {"policy": "sticky-yet-fair"}
    said = rows(solved([{}, {}], stay, allowed=allowed))
    end = "1, from owners that may not keep theirs; no other may move"
    assert said["moves"] == end
    owners = [{"owned": {topic: list(range(12))}} for topic in ("a", "b")]
    said = rows(solved(owners, {"policy": "lag-aware", "tolerance": 0}, allowed=allowed))
    assert said["moves"].endswith("; at least 2 for even counts and restrictions")


def test_a_limit_on_reads_may_take_moves_of_its_own() -> None:
    owners = [{"rack": rack, "owned": {topic: list(range(12))}} for rack, topic in ("xa", "yb")]
    racks = {"a": [["y"]] * 12, "b": [["x"]] * 12}
    said = rows(solved(owners, {"max_cross_rack": 0}, racks=racks))
    end = "24; none is needed for even counts; the limit on reads may need more"
    assert said["moves"] == end


def test_settings_about_unknown_racks_claim_nothing() -> None:
    said = rows(solved([{}, {}], {"rack_aware": True}))
    assert said["policy"] == "fair-yet-sticky"
    assert "across racks" not in said
