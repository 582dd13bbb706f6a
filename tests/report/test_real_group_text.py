"""The page of a plan of a real group: instances, racks, units, pins, capacities."""

from __future__ import annotations

from typing import Any

import pytest

import equilag
from equilag.plan import Plan
from equilag.report.facts.plan import plan_facts
from equilag.report.terminal import Screen
from equilag.report.text.pages import text_for
from equilag.report.text.real_group import MAX_INSTANCES


def solved(
    members: list[dict[str, Any]], settings: dict[str, Any] | None = None, **fields: Any
) -> Plan:
    """A plan of 12 partitions of each of two topics, all of which the first member owns."""
    ids = {"subscription": ["a", "b"]}
    listed = [{"id": f"m{n}", **ids, **member} for n, member in enumerate(members)]
    listed[0]["owned"] = {topic: list(range(12)) for topic in ("a", "b")}
    group = equilag.load_snapshot({
        "format": "equilag/snapshot/1", "group": "g", "topics": {"a": 12, "b": 12},
        "members": listed, "lags": {"a": list(range(0, 120, 10))}, **fields,
    })  # fmt: skip
    return equilag.solve(group, "fair-yet-sticky", effort=0.05, time_limit=60, **settings or {})


def text_of(plan: Plan, **screen: Any) -> str:
    return text_for(plan_facts(plan), Screen(**{"width": 300, **screen}))


def row(text: str, label: str) -> str:
    """What stands beside a label."""
    return next(line for line in text.splitlines() if line.strip().startswith(label)).strip()


def test_a_row_per_instance() -> None:
    members = [{"instance": "pod-a"}, {"instance": "pod-a"}, {"instance": "pod-b"}, {}]
    lines = text_of(solved(members)).splitlines()
    at = lines.index("Instances")
    assert lines[at + 1].split() == [
        "instance", "threads", "partitions", "lag", "before", "lag", "after",
    ]  # fmt: skip
    rows = [line.split() for line in lines[at + 2 : at + 5]]
    assert [one[:5] for one in rows] == [
        ["pod-a", "2", "24", "→", "12"], ["pod-b", "1", "0", "→", "6"], ["m3", "1", "0", "→", "6"],
    ]  # fmt: skip
    assert rows[0][5] == "660"
    assert sum(int(one[6]) for one in rows) == 660


def test_loads_of_instances_are_per_unit_of_capacity() -> None:
    members = [{"instance": "pod", "capacity": 30}, {"instance": "pod", "capacity": 30}, {}]
    text = text_of(solved([*members, {"capacity": 60}]))
    at = text.splitlines().index("Instances")
    assert text.splitlines()[at + 1].split()[3] == "load"
    assert text.splitlines()[at + 2].split()[5] == "11.00"  # 660 records, capacity 60
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
    assert plan.real is not None
    assert plan.real.cross_rack is not None
    count = plan.real.cross_rack.count
    words = f"across racks  {count} partition{'s' * (count != 1)}; was 12"
    end = "; the balance of counts allows no fewer" if proved else ""
    assert row(text, "across racks") == words + end
    assert ("fewest reads across racks" in row(text, "policy")) == proved
    assert ("and the fewest reads across racks allow no fewer" in row(text, "moves")) == proved


def test_units_and_restricted_partitions() -> None:
    text = text_of(
        solved([{}, {}], co_partitioned=[["a", "b"]], allowed={"a": {"3": ["m1"], "4": ["m0"]}})
    )
    assert row(text, "units") == "units         12 units, 6 per member; co-partitioned: a + b"
    words = "restricted    2 partitions, which only some of the subscribers may read"
    assert row(text, "restricted") == words


def test_room_and_rounded_capacities_are_named() -> None:
    text = text_of(solved([{"capacity": 1234.5, "max_partitions": 20}, {}, {"max_partitions": 9}]))
    assert row(text, "room") == "room          2 members take at most 9 to 20 partitions"
    assert "; capacities have 3 significant digits: 1,234.5 is 1,230\n" in text


def test_free_counts_are_not_called_even() -> None:
    text = text_of(solved([{}, {}], {"balance": "none", "rack_aware": True}))
    assert (
        row(text, "policy")
        == "policy        fair-yet-sticky, balance none, fewest reads across racks"
    )
    assert row(text, "counts") == "counts        0 to 24 partitions per member, spread 24"
    assert row(text, "moves") == "moves         0; no plan has fewer"
    assert "balance of counts" not in text


def test_ordinary_groups_have_none_of_it() -> None:
    plan = solved([{}, {}])
    assert plan_facts(plan).real is None
    text = text_of(plan)
    assert not any(word in text for word in ("Instances", "units", "across racks", "restricted"))
