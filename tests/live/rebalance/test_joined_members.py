"""The group that joined members make."""

from __future__ import annotations

from equilag.lag import QUALITY
from equilag.live.rebalance.joined_members import JoinedMember, group_of
from equilag.live.rebalance.measured import Measured


def test_the_group() -> None:
    members = [
        JoinedMember("a", ("t", "gone"), {"t": [0]}, 7, "static", "rack", {}, "client", "10.0.0.1"),
        JoinedMember("b", ("t",), hints={"t": [1]}),
    ]
    measured = Measured(
        {"t": [5, None, 0], "u": [1, 2]}, {"t": [["r"], [], ["r", "s"]], "u": [["r"], ["r"]]}
    )
    group = group_of("g", members, {"t": 3, "u": 1}, measured)
    assert group.topics == ("t", "u")
    assert group.owner.tolist() == [0, 1, -1, -1]
    assert group.lag.tolist() == [5, 0, 0, 0]
    marks = [QUALITY[mark] for mark in group.quality.tolist()]
    assert marks == ["given", "unknown", "given", "unknown"]
    assert (group.members[0].instance_id, group.members[0].rack) == ("static", "rack")
    assert group.members[0].generation == 7
    assert (group.members[0].client_id, group.members[0].host) == ("client", "10.0.0.1")
    assert group.racks == (("r",), (), ("r", "s"), ())


def test_without_racks_the_group_has_none() -> None:
    assert group_of("g", [JoinedMember("a", ("t",))], {"t": 1}, Measured(racks={})).racks is None
