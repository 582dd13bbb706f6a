"""The page of a plan of an extended group: instances, racks, units, pins, capacities."""

from __future__ import annotations

from typing import Any

import pytest
from equilag.report.facts.plans.plan import plan_facts
from equilag.report.text.extended_group import MAX_INSTANCES
from equilag.report.text.tables.pages import text_for

import equilag
from equilag.domain.plan.plan import Plan
from equilag.report.terminal import Screen


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


def text_of(plan: Plan, **screen: Any) -> str:
    return text_for(plan_facts(plan), Screen(**{"width": 300, **screen}))


def row(text: str, label: str) -> str:
    """What stands beside a label."""
    return next(line for line in text.splitlines() if line.strip().startswith(label)).strip()


def test_loads_of_instances_are_per_unit_of_capacity() -> None:
    members = [{"instance": "pod", "capacity": 30}, {"instance": "pod", "capacity": 30}, {}]
    text = text_of(solved([*members, {"capacity": 60}]))
    at = text.splitlines().index("Instances")
    assert text.splitlines()[at + 1].split()[3] == "load"
    assert text.splitlines()[at + 4].split()[5] == "11.00"  # 660 records, capacity 60
    assert "1 member has no capacity; 30 is taken, the median" in text
    assert " 60  " in row(text, "m3")


def test_many_instances_are_cut_to_the_heaviest() -> None:
    members = [{"instance": f"pod-{n // 2:02}"} for n in range(2 * MAX_INSTANCES + 2)]
    text = text_of(solved(members))
    assert f"Instances, the {MAX_INSTANCES} heaviest of {MAX_INSTANCES + 1}\n" in text
    assert sum(line.strip().startswith("pod-") for line in text.splitlines()) == MAX_INSTANCES


@pytest.mark.parametrize(("settings", "proved"), [({}, False), ({"rack_aware": True}, True)])
def test_reads_across_racks(settings: dict[str, Any], proved: bool) -> None:
    racks = {topic: [["x"]] * 6 + [["y"]] * 6 for topic in ("a", "b")}
    plan = solved([{"rack": "x"}, {"rack": "y"}], settings, racks=racks)
    text = text_of(plan)
    assert plan.extended is not None
    assert plan.extended.cross_rack is not None
    count = plan.extended.cross_rack.count
    words = f"across racks  {count} partition{'s' * (count != 1)}; was 12"
    end = "; the balance of counts allows no fewer" if proved else ""
    assert row(text, "across racks") == words + end
    assert ("fewest reads across racks" in row(text, "policy")) == proved
    assert ("and the fewest reads across racks allow no fewer" in row(text, "moves")) == proved


def test_free_counts_are_not_called_even() -> None:
    text = text_of(solved([{}, {}], {"balance": "none"}))
    assert row(text, "policy") == "policy        fair-yet-sticky, balance none"
    assert row(text, "counts") == "counts        0 to 24 partitions per member, spread 24"
    assert row(text, "moves") == "moves         none"
    assert "balance of counts" not in text


def test_moves_are_laid_to_what_forces_them() -> None:
    free, allowed = {"balance": "none"}, {"a": {"3": ["m1"], "4": ["m0"]}}
    members = [{"rack": "x"}, {"rack": "y", "max_partitions": 20}]
    racks = {topic: [["x"]] * 6 + [["y"]] * 6 for topic in ("a", "b")}
    text = text_of(solved(members, {**free, "rack_aware": True}, racks=racks))
    assert row(text, "across racks").endswith("; was 12; room allows no fewer")
    words = "12; the fewest reads across racks allow no fewer"
    assert row(text, "moves") == f"moves         {words}"
    text = text_of(solved([{"max_partitions": 20}, {}], free))
    assert row(text, "moves") == "moves         4; room allows no fewer"
    text = text_of(solved([{}, {}], free, allowed=allowed))
    assert row(text, "moves") == "moves         1; restrictions allow no fewer"
    stay = {"policy": "sticky-yet-fair"}
    text = text_of(solved([{}, {}], stay, allowed=allowed))
    end = "1, from owners that may not keep theirs; no other may move"
    assert row(text, "moves") == f"moves         {end}"
    owners = [{"owned": {topic: list(range(12))}} for topic in ("a", "b")]
    text = text_of(solved(owners, {"policy": "lag-aware", "tolerance": 0}, allowed=allowed))
    assert row(text, "moves").endswith("; even counts and restrictions alone need 2")


def test_a_limit_on_reads_may_take_moves_of_its_own() -> None:
    owners = [{"rack": rack, "owned": {topic: list(range(12))}} for rack, topic in ("xa", "yb")]
    racks = {"a": [["y"]] * 12, "b": [["x"]] * 12}
    text = text_of(solved(owners, {"max_cross_rack": 0}, racks=racks))
    end = "24; even counts alone need none; the limit on reads may need more"
    assert row(text, "moves") == f"moves         {end}"


def test_settings_about_unknown_racks_claim_nothing() -> None:
    text = text_of(solved([{}, {}], {"rack_aware": True}))
    assert row(text, "policy") == "policy        fair-yet-sticky"
    assert "across racks" not in text
