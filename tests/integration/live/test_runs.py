"""Runs of benchmarks/live, each against its targets."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest
from support.kafka_broker import plugged_brokers

from benchmarks.kafka_broker import Broker, NoBroker
from benchmarks.live import run_faults
from benchmarks.live.big_stage import LOOK_S, BigGroup, BigStage
from benchmarks.live.carrier_runs import HEARTBEAT_S, big_group, conversions
from benchmarks.live.load_scenarios import SCENARIOS, scenario_of
from benchmarks.live.load_targets import judged_load
from benchmarks.live.run import OUT, keep, measure
from benchmarks.waiting import within

pytestmark = [pytest.mark.live, pytest.mark.broker]

SECONDS: Final = os.environ.get("LIVE_SOAK_S")
"""Shortens all runs; then targets of the load scenarios are not asserted."""


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


def test_random_faults(tmp_path: Path) -> None:
    """For an hour: mixed clients, under a steward and alone, while members, stewards and the only
    broker fail."""
    try:
        figures = run_faults.measured(tmp_path, 12 * float(SECONDS or 300))
    except NoBroker as error:
        pytest.skip(str(error))
    assert [*run_faults.missed(figures)] == []


OWNED_S: Final = 2 * HEARTBEAT_S + 1
CPU_PERCENT: Final = 2.0
"""Of a core, by the busiest thread: one keeps the carriers, one observes."""


def test_a_big_group_is_led(tmp_path: Path) -> None:
    with ExitStack() as stack:
        (broker,) = plugged_brokers(stack, tmp_path)
        found = big_group(broker, tmp_path, stack, float(SECONDS or 300))
        keep("carriers-big", found)
    assert max(found["threads"].values()) <= CPU_PERCENT
    for figures in found["changes"].values():
        assert figures["seconds"] <= OWNED_S
        assert (figures["given_back"], figures["two_owners"]) == (0, 0)


def test_a_group_converts_and_comes_back(tmp_path: Path) -> None:
    with ExitStack() as stack:
        (broker,) = plugged_brokers(stack, tmp_path)
        for kind, led, alone in conversions(broker, tmp_path, stack):
            # Eager members that are still classic pause once more, for the plan after a join.
            figures = {"led": asdict(led), "alone": asdict(alone)}
            words = f"members change to {kind}"
            keep(f"carriers-conversion-{kind}", {"words": words, "changes": figures})
            assert led.two_owners == 0
            assert led.moves <= alone.moves


STEADY_S: Final = 6 * float(SECONDS or 300)
WINDOW_S: Final = float(SECONDS or 300) / 4
"""A change is followed for so long, and until every partition has an owner."""
TIMES: Final = 3
"""How often members leave and join."""
AT_ONCE: Final = 5
SLOW: Final = 20
MORE: Final = 1.1
"""What joins and leaves may cost, in parts of what they cost the twin."""
LAG_SHARE: Final = 1 / 3
BIG_CPU_PERCENT: Final = 5.0
MEMORY_MIB: Final = 150.0


@pytest.fixture
def logs(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path
    for log in tmp_path.glob("steward-*.log"):
        shutil.copy(log, OUT / f"{tmp_path.name}.log")


def test_members_leave_and_join(broker: Broker, logs: Path) -> None:
    with ExitStack() as stack:
        stage = BigStage(broker, logs, "big-changes", 0, stack)
        steps: dict[str, list[Any]] = {"before": [stage.changed(WINDOW_S)]}
        for _ in range(TIMES):
            for name, act in (("five leave", BigGroup.leave), ("five join", BigGroup.join)):
                for group in stage.groups:
                    for _ in range(AT_ONCE):
                        act(group)
                steps.setdefault(name, []).append(stage.changed(WINDOW_S))
                keep("big-changes", {"steps": steps, "full": WINDOW_S >= 60, **stage.used()})
        used = stage.used()
    for name in ("unowned_partition_s", "twice", "delay_p90_s"):
        led, alone = (
            sum(each[side][name] for step in steps.values() for each in step) for side in (0, 1)
        )
        assert led <= MORE * alone, (name, led, alone)
    assert used["cpu_percent"] <= BIG_CPU_PERCENT
    assert used["memory_mib"] <= MEMORY_MIB


def test_slow_members_in_steady_traffic(broker: Broker, logs: Path) -> None:
    with ExitStack() as stack:
        stage = BigStage(broker, logs, "big-steady", SLOW, stack)
        lags: list[list[int]] = [[], []]

        def look() -> bool:
            for group, theirs in zip(stage.groups, lags, strict=True):
                theirs.append(group.read.unread(stage.flow.acked()))
            return False

        within(look, STEADY_S, LOOK_S)
        figures = [
            {"lag_mean": round(float(np.mean(theirs))), "lag_end": theirs[-1], **costs}
            for theirs, costs in zip(lags, stage.changed(0.0), strict=True)
        ]
        used = stage.used()
        what = {"seconds": STEADY_S, "full": STEADY_S >= 900, "groups": figures, "lags": lags}
        keep("big-steady", {**what, **used})
    led, alone = (one["lag_mean"] for one in figures)
    assert led <= LAG_SHARE * alone
    assert used["cpu_percent"] <= BIG_CPU_PERCENT
    assert used["memory_mib"] <= MEMORY_MIB
