"""The load scenarios of benchmarks/live, each against its targets."""

from __future__ import annotations

import os
from typing import Final

import pytest

from benchmarks.kafka_broker import NoBroker
from benchmarks.live.load_scenarios import SCENARIOS, scenario_of
from benchmarks.live.load_targets import judged_load
from benchmarks.live.run import OUT, measure

pytestmark = [pytest.mark.live, pytest.mark.broker]

SECONDS: Final = os.environ.get("LIVE_SOAK_S")
"""Shortens the scenarios; then targets are not asserted."""


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_group_under_load(name: str) -> None:
    scenario = scenario_of(name, None if SECONDS is None else float(SECONDS))
    try:
        results = measure(scenario, OUT)
    except NoBroker as error:
        pytest.skip(str(error))
    assert all(row["two_owners"] == 0 for row in results["sides"])
    assert all(row["records"] > 0 for row in results["sides"])
    if results["full"]:
        assert [str(goal) for goal in judged_load(results) if goal.met is False] == []
