"""The group that joined members make."""

from __future__ import annotations

from equilag.lag import QUALITY
from equilag.live.rebalance.joined_members import JoinedMember, group_of


def test_the_group() -> None:
    members = [
        JoinedMember("a", ("t", "gone"), {"t": [0]}, 7, "static", "rack"),
        JoinedMember("b", ("t",), hints={"t": [1]}),
    ]
    group = group_of("g", members, {"t": 3, "u": 1}, {"t": [5, None, 0], "u": [1, 2]})
    assert group.topics == ("t", "u")
    assert group.owner.tolist() == [0, 1, -1, -1]
    assert group.lag.tolist() == [5, 0, 0, 0]
    marks = [QUALITY[mark] for mark in group.quality.tolist()]
    assert marks == ["given", "unknown", "given", "unknown"]
    assert (group.members[0].instance_id, group.members[0].rack) == ("static", "rack")
    assert group.members[0].generation == 7
