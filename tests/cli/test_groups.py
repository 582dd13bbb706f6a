"""What ``equilag groups`` says beside its list."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace

from equilag.cli.commands.groups import plan_command
from equilag.planner.facts.live_group import LiveGroupFacts

GROUP = LiveGroupFacts("my orders", "Stable", "classic", 3, 48, 99, 9, "c-1", 62.5, 0, [])


def test_the_most_uneven_group_is_the_next_to_plan() -> None:
    args = Namespace(bootstrap_server="b:1", command_config=None)
    even = replace(GROUP, lag_spread=0)
    share = replace(GROUP, group="s", lag_spread=None)
    command = "equilag plan --bootstrap-server b:1 --group 'my orders'"
    assert plan_command([share, GROUP, even], args) == command
    assert plan_command([even, share], args) is None
    login = Namespace(bootstrap_server="b:1", command_config="c.properties")
    assert "--command-config c.properties --group" in (plan_command([GROUP], login) or "")
