"""Policies: their own balance, and there and back as JSON."""

from __future__ import annotations

import json

import pytest

from equilag.domain.policy.policy import Policy
from equilag.domain.policy.policy_settings import BALANCES, POLICIES


@pytest.mark.parametrize("name", POLICIES)
def test_a_policys_own_balance(name: str) -> None:
    assert Policy(name).balance == ("per-topic" if name == "kip-169" else "total")
    for balance in BALANCES:
        assert Policy(name, balance).balance == balance


def test_a_policy_there_and_back() -> None:
    policy = Policy("kip-169", "both", 7, 2, 9, False)
    assert Policy(**policy.to_dict()) == policy
    assert json.loads(json.dumps(policy.to_dict())) == policy.to_dict()


def test_which_policies_put_moves_first() -> None:
    first = {name for name in POLICIES if Policy(name).moves_first}
    assert first == {"fair-yet-sticky", "sticky-yet-fair"}
