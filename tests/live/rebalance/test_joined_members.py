"""The group that joined members make, its lag, what each of them gets, and the names of speeds."""

from __future__ import annotations

import numpy as np
import pytest

from equilag.domain.group.lag import QUALITY
from equilag.live.rebalance.joined_members import (
    JoinedMember,
    assignments_now,
    client_id_in,
    group_of,
    speed_names,
    speeds_of,
)
from equilag.live.rebalance.measured import Lags, Measured, lags_of


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


@pytest.mark.parametrize("wrong", [[0, -1, 1, -1], [0, 1, 1, 0]])
def test_an_invalid_assignment_is_refused(wrong: list[int]) -> None:
    group = group_of("g", [JoinedMember(name, ("t",)) for name in "ab"], {"t": 3, "unread": 1})
    with pytest.raises(ValueError, match="exactly one of its subscribers"):
        assignments_now(group, np.array(wrong), cooperative=False)


def member(client: str, number: int, host: str | None = None) -> JoinedMember:
    return JoinedMember(f"{client}-{number}{UUID[3:]}", ("t",), client_id=client, host=host)


def test_a_member_that_restarts_keeps_its_name() -> None:
    static = JoinedMember("x-1", ("t",), instance_id="static")
    before, after = member("slow", 100), JoinedMember(f"slow-200{UUID[3:]}", ("t",))
    assert speed_names([static, before]) == {"static": "static", before.id: "slow"}
    assert speed_names([static, after])[after.id] == "slow"
    assert speeds_of([static, after], {"slow": 5.0, "gone": 7.0}) == {after.id: 5.0}


def test_members_that_share_a_client_id_go_by_host_as_well() -> None:
    one, two, three = member("c", 100, "h1"), member("c", 200, "h2"), member("c", 300, "h2")
    assert speed_names([one, two]) == {one.id: "c@h1", two.id: "c@h2"}
    assert speed_names([one, two, three]) == {one.id: "c@h1", two.id: two.id, three.id: three.id}
    nameless = JoinedMember("m", ("t",))
    assert speed_names([nameless, one]) == {"m": "m", one.id: "c"}


COMMITTED: Lags = {"t": [40, None, None, -1, 3]}
LOG_START: Lags = {"t": [0, 10, 5, 0, None]}
LOG_END: Lags = {"t": [100, 60, 5, 80, None], "u": [7]}


@pytest.mark.parametrize(
    ("reset", "lags"),
    [
        ("earliest", [60, 50, 0, 80, None]),
        ("latest", [60, 0, 0, 0, None]),
        (None, [60, None, 0, None, None]),
    ],
)
def test_lag_without_a_commit(reset: str | None, lags: list[int | None]) -> None:
    """It is the whole log, none, or unknown; that of an empty log is 0."""
    found = lags_of(COMMITTED, LOG_START, LOG_END, reset)
    assert (found["t"], len(found["u"])) == (lags, 1)
