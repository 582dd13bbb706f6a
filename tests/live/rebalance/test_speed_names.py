"""The names that speeds are remembered by."""

from __future__ import annotations

from equilag.live.rebalance.joined_members import JoinedMember, speed_names, speeds_of

UUID = "-25689002-60c4-4600-8d95-0f445{}efc6"


def member(client: str, number: int, host: str | None = None) -> JoinedMember:
    return JoinedMember(client + UUID.format(number), ("t",), client_id=client, host=host)


def test_a_member_that_restarts_keeps_its_name() -> None:
    static = JoinedMember("x-1", ("t",), instance_id="static")
    before, after = member("slow", 100), JoinedMember("slow" + UUID.format(200), ("t",))
    assert speed_names([static, before]) == {"static": "static", before.id: "slow"}
    assert speed_names([static, after])[after.id] == "slow"
    assert speeds_of([static, after], {"slow": 5.0, "gone": 7.0}) == {after.id: 5.0}


def test_members_that_share_a_client_id_go_by_host_as_well() -> None:
    one, two, three = member("c", 100, "h1"), member("c", 200, "h2"), member("c", 300, "h2")
    assert speed_names([one, two]) == {one.id: "c@h1", two.id: "c@h2"}
    assert speed_names([one, two, three]) == {one.id: "c@h1", two.id: two.id, three.id: three.id}
    nameless = JoinedMember("m", ("t",))
    assert speed_names([nameless, one]) == {"m": "m", one.id: "c"}
