"""Client ids and hosts of members, for policies that need them."""

from __future__ import annotations

import pytest

from equilag.domain.policy.policy import Policy
from equilag.live.rebalance.joined_members import JoinedMember
from equilag.live.steward.answer_maker import needs_places

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
