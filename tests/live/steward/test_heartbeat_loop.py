"""What the heartbeats tell the leader loop."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest
from support.steward_fakes import Parts, reading

from equilag.adapters.kafka.group_reader import Reading
from equilag.live.steward.group_membership import GroupMembership, HeartbeatResult
from equilag.live.steward.heartbeat_loop import HeartbeatLoop
from equilag.live.steward.leader_loop import LeaderLoop
from equilag.live.steward.shared_state import Command

FINE, SILENT = HeartbeatResult.FINE, HeartbeatResult.SILENT
REBALANCE, LOST, FENCED = HeartbeatResult.REBALANCE, HeartbeatResult.LOST, HeartbeatResult.FENCED
NOBODY, SOMEBODY = reading({}, {}), reading({"t": [1]}, {"a": {"t": [0]}})


@pytest.mark.parametrize(
    ("group", "answers", "commands"),
    [
        (None, [FINE, FINE], []),
        (None, [REBALANCE], [Command.REBALANCE]),
        (None, [LOST, FENCED], [Command.LOST, Command.FENCED]),
        # Alone it joins again once a silent coordinator answers, which may have restarted, and know
        # only the protocol that was in use.
        (NOBODY, [FINE, SILENT, SILENT, FINE, FINE], [Command.REBALANCE]),
        (SOMEBODY, [SILENT, FINE, FINE], []),
    ],
)
def test_answers_become_commands(
    group: Reading | None, answers: list[HeartbeatResult], commands: list[Command]
) -> None:
    parts, left = Parts(), list(answers)
    if group is not None:
        parts.observe(group)
    membership = SimpleNamespace(heartbeat=lambda: left.pop(0), is_member=True)
    leader = SimpleNamespace(generation=5, joining=False)
    loop = HeartbeatLoop(parts.shared, cast(GroupMembership, membership), cast(LeaderLoop, leader))
    for _ in answers:
        loop.send()
    assert [(one.command, one.generation) for one in parts.commands] == [(c, 5) for c in commands]
    assert parts.state.counters["heartbeats", answers[0].value] >= 1
    answered = {FINE, REBALANCE} & {*answers}
    assert (parts.state.facts.last_heartbeat_age_s is not None) == bool(answered)
