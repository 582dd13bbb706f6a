"""What the heartbeats tell the leader loop."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest
from support.steward_fakes import Parts, reading

from equilag.adapters.kafka.group_reader import Reading
from equilag.domain.errors import EquilagError
from equilag.live.steward.group_membership import GroupMembership
from equilag.live.steward.heartbeat_loop import HeartbeatLoop
from equilag.live.steward.leader_loop import LeaderLoop
from equilag.live.steward.membership_errors import (
    AlreadyRebalancing,
    Fenced,
    MembershipLost,
    Refused,
    Unreachable,
)
from equilag.live.steward.shared_state import Command

FINE, SILENT, REBALANCE = None, Unreachable("x"), AlreadyRebalancing("x")
LOST, FENCED = MembershipLost("x"), Fenced("x")
NOBODY, SOMEBODY = reading({}, {}), reading({"t": [1]}, {"a": {"t": [0]}})


@pytest.mark.parametrize(
    ("group", "answers", "commands"),
    [
        (None, [FINE, FINE], []),
        (None, [REBALANCE], [Command.REBALANCE]),
        (None, [LOST, FENCED, Refused("x")], [Command.LOST, Command.FENCED, Command.LOST]),
        # Alone it joins again once a silent coordinator answers, which may have restarted, and know
        # only the protocol that was in use.
        (NOBODY, [FINE, SILENT, SILENT, FINE, FINE], [Command.REBALANCE]),
        (SOMEBODY, [SILENT, FINE, FINE], []),
    ],
)
def test_answers_become_commands(
    group: Reading | None, answers: list[EquilagError | None], commands: list[Command]
) -> None:
    parts, left = Parts(), list(answers)

    def heartbeat() -> None:
        if (error := left.pop(0)) is not None:
            raise error

    if group is not None:
        parts.observe(group)
    membership = SimpleNamespace(heartbeat=heartbeat, is_member=True)
    leader = SimpleNamespace(generation=5, joining=False)
    loop = HeartbeatLoop(parts.shared, cast(GroupMembership, membership), cast(LeaderLoop, leader))
    for _ in answers:
        loop.send()
    assert [(one.command, one.generation) for one in parts.commands] == [(c, 5) for c in commands]
    counted = parts.state.facts.counters
    assert sum(counted.values()) == len(answers)
    assert counted.get("heartbeats:silent", 0) == answers.count(SILENT)
    answered = FINE in answers or REBALANCE in answers
    assert (parts.state.facts.last_heartbeat_age_s is not None) == answered
