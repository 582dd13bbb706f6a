"""The commands that show one group of a run."""

from __future__ import annotations

import json
import shlex

import pytest

from equilag.cli.parser import build_parser
from equilag.domain.policy.policy import Policy
from equilag.pipeline.results.export import group_commands, planned_with

SETTINGS = {**Policy().to_dict(), "seed": 3, "effort": 0.02, "run": "repeatable"}


def test_how_a_group_was_planned_is_read_back() -> None:
    found = planned_with(json.dumps(SETTINGS))
    assert found == (Policy(), 3, 0.02, True)
    assert planned_with(json.dumps({**SETTINGS, "run": "cut short"})).repeatable is False
    with pytest.raises(KeyError):
        planned_with("{}")


@pytest.mark.parametrize(
    ("path", "group"),
    [("runs/1", "orders"), ("my run", "a b'c"), ("-r", "x"), ("r", "-x"), ("r", "")],
)
def test_the_commands_are_ones_that_equilag_takes(path: str, group: str) -> None:
    commands = group_commands(path, group, planned_with(json.dumps(SETTINGS)), 60.0)
    program, *words = shlex.split(commands.export)
    args = build_parser().parse_args(words)
    assert (program, args.directory, args.group) == ("equilag", path, group)
    _, *words = shlex.split(commands.plan)
    args = build_parser().parse_args(words)
    assert (args.seed, args.effort, args.time_limit) == (3, 0.02, 60.0)
    assert not args.snapshot.startswith("-")
