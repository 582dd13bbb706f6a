"""Client ids and hosts of members, for policies that need them."""

from __future__ import annotations

import pytest

from equilag.adapters.kafka.described import ClientPlace
from equilag.domain.policy.policy import Policy
from equilag.live.rebalance.joined_members import JoinedMember
from equilag.live.steward.answer_maker import needs_places, with_places

MEMBERS = [JoinedMember("a-1", ("t",), instance_id="a"), JoinedMember("b-1", ("t",))]


@pytest.mark.parametrize(
    ("policy", "needed"),
    [
        (Policy(), False),
        (Policy(instances="none", rack_aware=True), False),
        (Policy(instances="host"), True),
        (Policy(instances="client-id"), True),
        (Policy(pin={("t", 0): "a", ("t", 1): "b-1"}), False),
        (Policy(pin={("t", 0): "a", ("t", 1): "b"}), True),
    ],
)
def test_which_policies_need_them(policy: Policy, needed: bool) -> None:
    assert needs_places(policy, MEMBERS) is needed


def test_members_with_their_places() -> None:
    members = with_places(MEMBERS, {"b-1": ClientPlace("b", "10.0.0.1")})
    assert [(one.client_id, one.host) for one in members] == [(None, None), ("b", "10.0.0.1")]
