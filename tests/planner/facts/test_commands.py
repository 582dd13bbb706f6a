"""The command that makes a plan, as a shell reads it."""

from __future__ import annotations

import itertools
import shlex

from equilag.domain.policy.policy import Policy
from equilag.planner.facts.commands import plan_command


def test_settings_are_options() -> None:
    policy = Policy(
        "kip-169", rack_aware=True, weight="work", horizon=90, capacity={"c-*": 2},
        co_partition=[["orders", "payments"]], keep=["big topic"],
    )  # fmt: skip
    words = shlex.split(plan_command("'my group.json'", policy, {"max_moves": 3, "tolerance": 0}))
    assert words[:5] == ["equilag", "plan", "my group.json", "--policy", "kip-169"]
    assert "--rack-aware" in words
    values = {
        "--weight": "work", "--horizon": "90s", "--capacity": "c-*=2", "--keep": "big topic",
        "--co-partition": "orders,payments", "--max-moves": "3", "--tolerance": "0",
    }  # fmt: skip
    assert values.items() <= {*itertools.pairwise(words)}


def test_no_limit_on_moves_where_nobody_owns_anything() -> None:
    command = plan_command("g.json", Policy(fresh=True), {"max_moves": 3, "tolerance": 0})
    assert command == "equilag plan g.json --tolerance 0 --fresh"
