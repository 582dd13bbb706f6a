"""Groups with racks: how they are drawn, assigned and reported."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest
from support.assignor_cases import results_of

from benchmarks.assignors import rack_groups
from benchmarks.assignors.peers import CallBudget
from benchmarks.assignors.report import markdown
from benchmarks.assignors.targets import judged


@dataclass
class OneGetsAll:
    """A peer that gives all partitions to the first member, or that is not there."""

    name: str
    why: str | None = None

    def missing(self) -> str | None:
        return self.why

    def run(self, case_file: Path, out: Path, budget: CallBudget) -> None:
        case = json.loads(case_file.read_text("utf-8"))
        everything = {topic: list(range(size)) for topic, size in case["topics"].items()}
        held = {member["id"]: {} for member in case["members"]}
        held[case["members"][0]["id"]] = everything
        answer = {"assign_ms": [1.5], "names_ms": [1.0], "warm_up": 1, "assignment": held}
        out.write_text(json.dumps(answer), "utf-8")


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
    peers = [OneGetsAll("one gets all"), OneGetsAll("away", "not here")]
    found = rack_groups.measure(rack_groups.SHORT[:1], peers)
    by_name = {row["assignor"]: row for row in found}
    assert by_name["equilag assign range"]["cross_rack"] < by_name["equilag"]["cross_rack"]
    assert all(by_name[name]["counts_optimal"] for name in ("equilag", rack_groups.OWN))
    words = dict(zip([row["assignor"] for row in found], rack_groups.rows(found), strict=True))
    assert {len(row) for row in words.values()} == {len(rack_groups.HEAD)}
    assert words[rack_groups.OWN][2:4] == ("0, proved", "10 to 10")
    assert words["one gets all"][3] == "0 to 300 !"
    assert words["one gets all"][5] == "1.5 ms"
    assert words["away"][2] == "not here"


@pytest.mark.parametrize(
    ("wrong", "met"),
    [({}, True), ({"cross_rack": 5}, False), ({"counts_optimal": False}, False),
     ({"fewest_cross_rack": None}, False)],
)  # fmt: skip
def test_the_fewest_reads_are_held_against_their_target(
    wrong: dict[str, object], met: bool
) -> None:
    row = {
        "group": "a", "assignor": rack_groups.OWN, "assign_ms": 1.0, "valid": True, "moves": 3,
        "cross_rack": 4, "fewest_cross_rack": 4, "counts_optimal": True, "smallest_count": 1,
        "largest_count": 2,
    }  # fmt: skip
    results = results_of([], racks=[row, {**row, "group": "b", **wrong}])
    target = next(t for t in judged(results) if t.name == "racks: fewest reads")
    assert target.met == met
    assert f"| a | {rack_groups.OWN} | 4, proved | 1 to 2 | 3 | 1 ms |" in markdown(results)
    assert next(t for t in judged(results_of([])) if t.name == target.name).met is None
