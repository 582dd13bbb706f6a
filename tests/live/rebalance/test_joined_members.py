"""The group that joined members make."""

from __future__ import annotations

from equilag.domain.group.lag import QUALITY
from equilag.domain.policy.policy import Policy
from equilag.live.rebalance.decision import PlanSettings, decide
from equilag.live.rebalance.joined_members import JoinedMember, client_id_in, group_of
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


UUID = "9f3c6a5e-0b1d-4e2f-8a7b-1c2d3e4f5a6b"


def test_client_ids_come_from_the_ids_that_a_broker_makes() -> None:
    members = [
        JoinedMember(f"my-app-1-{UUID}", ("t",)),
        JoinedMember(f"static-{UUID}", ("t",), instance_id="static"),
        JoinedMember(f"other-{UUID}", ("t",), client_id="known", host="/10.0.0.7"),
        JoinedMember("made-by-a-test", ("t",)),
    ]
    found = {m.id: (m.client_id, m.host) for m in group_of("g", members, {"t": 1}).members}
    assert found == {
        f"my-app-1-{UUID}": ("my-app-1", None),
        f"static-{UUID}": (None, None),
        f"other-{UUID}": ("known", "/10.0.0.7"),
        "made-by-a-test": (None, None),
    }
    assert client_id_in(f"-{UUID}") is None


def test_a_pin_by_client_id_survives_a_restart() -> None:
    members = [JoinedMember(f"app-{n}-{UUID}", ("t",)) for n in range(3)]
    settings = PlanSettings(Policy(pin={("t", 0): "app-2"}), time_limit=5.0)
    measured = Measured({"t": [9, 8, 7, 6, 5, 4]})
    decision = decide(group_of("g", members, {"t": 6}, measured), settings)
    assert decision.fallback_reason is None
    assert 0 in decision.plan.assignment[f"app-2-{UUID}"]["t"]
