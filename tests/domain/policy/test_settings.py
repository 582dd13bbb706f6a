"""Every setting is declared once, and everything that is made of the declarations has it."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from typing import Any

import jsonschema
import pytest

from equilag import InputError, Policy
from equilag.domain.policy.policy import ALWAYS, SETTINGS
from equilag.domain.policy.policy_settings import BALANCES, POLICIES
from equilag.domain.policy.setting import Setting
from equilag.planner.solving.run_settings import PolicySettings

VALUES: dict[str, Any] = {
    "name": "kip-169", "balance": "none", "move_cost": 7, "tolerance": 0.25, "max_moves": 3,
    "fresh": True, "move_weight": "lag", "max_move_weight": 8, "weight": "rate", "horizon": 90.5,
    "rack_aware": True, "max_cross_rack": 2,
    "capacity": {"c-*": 2.5}, "max_partitions": 4, "instances": "host",
    "co_partition": [["a", "b"]], "pin": {("t", 1): "-c"}, "keep": ["t"], "add_members": 5,
}  # fmt: skip
"""A value of each setting that is not its default."""


def given(name: str) -> Policy:
    return Policy(**{name: VALUES[name]})


def test_the_keywords_of_the_library_are_the_settings() -> None:
    assert PolicySettings.__annotations__.keys() == SETTINGS.keys() - {"name"}
    assert VALUES.keys() == SETTINGS.keys()


@pytest.mark.parametrize("declared", SETTINGS.values(), ids=lambda one: one.name)
def test_a_setting(declared: Setting) -> None:
    policy = given(declared.name)
    own = {declared.name, *(["balance"] if declared.name == "name" else [])}
    assert own >= policy.in_force().keys() == {declared.name}
    assert policy.has(declared.family)
    assert declared.name not in policy.without(declared.family).in_force()
    assert policy.only(declared.family) == policy
    assert declared.option in " ".join(policy.option_words())
    assert declared.help
    assert Policy(**{declared.name: None}) == Policy()
    if declared.shown_with is None:
        assert Policy(**json.loads(json.dumps(policy.to_dict()))) == policy
        jsonschema.validate(policy.to_dict()[declared.name], declared.form.schema())
    for make in (Policy, partial(replace, Policy())):
        with pytest.raises(InputError) as caught:
            make(**{declared.name: object()})
        assert caught.value.place == declared.place


def test_what_stands_in_a_plan() -> None:
    policy = Policy("kip-169", "both", 7, 2, 9, False)
    assert Policy(**json.loads(json.dumps(policy.to_dict()))) == policy
    assert ALWAYS == ("name", "balance", "move_cost", "tolerance", "max_moves", "fresh")
    assert tuple(Policy().to_dict()) == ALWAYS
    assert "horizon" not in given("horizon").to_dict()
    assert Policy(weight="work").to_dict()["horizon"] == 300.0


def test_a_command_refuses_what_it_cannot_take() -> None:
    policy = Policy(max_moves=1, max_partitions=2)
    with pytest.raises(InputError, match="max_moves"):
        policy.check_for("size")
    assert policy.fit_for("size") == Policy(max_partitions=2)
    policy.fit_for("size").check_for("size")


def test_words_name_what_is_not_a_default() -> None:
    assert Policy().words() == ["lag-aware"]
    policy = Policy("kip-169", "none", 1500, 12.5, max_cross_rack=1)
    assert policy.words() == [
        "kip-169", "balance none", "a move must save 1,500", "tolerance 12.5 % of the mean",
        "at most 1 read across racks",
    ]  # fmt: skip


@pytest.mark.parametrize("name", POLICIES)
def test_a_policys_own_balance(name: str) -> None:
    assert Policy(name).balance == ("per-topic" if name == "kip-169" else "total")
    for balance in BALANCES:
        assert Policy(name, balance).balance == balance


def test_which_policies_put_moves_first() -> None:
    first = {name for name in POLICIES if Policy(name).moves_first}
    assert first == {"fair-yet-sticky", "sticky-yet-fair"}
