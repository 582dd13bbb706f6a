"""KIP-848 groups that carriers lead, within their limits."""

from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Final

import pytest
from support.kafka_broker import plugged_brokers

from benchmarks.live.carrier_runs import HEARTBEAT_S, big_group, conversions
from benchmarks.live.run import keep

pytestmark = [pytest.mark.live, pytest.mark.broker]

STEADY_S: Final = float(os.environ.get("LIVE_SOAK_S", "300"))
OWNED_S: Final = 2 * HEARTBEAT_S + 1
CPU_PERCENT: Final = 2.0
"""Of a core, by the busiest thread: one keeps the carriers, one observes."""


def test_a_big_group_is_led(tmp_path: Path) -> None:
    with ExitStack() as stack:
        (broker,) = plugged_brokers(stack, tmp_path)
        found = big_group(broker, tmp_path, stack, STEADY_S)
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
