"""120 members on 1,200 partitions that take seconds for each poll, led and beside a twin that reads
the same records with its own assignor."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from benchmarks.kafka_broker import Broker
from benchmarks.live.big_stage import LOOK_S, BigGroup, BigStage
from benchmarks.live.run import OUT, keep
from benchmarks.waiting import within

pytestmark = [pytest.mark.live, pytest.mark.broker]

SOAK_S: Final = float(os.environ.get("LIVE_SOAK_S", "300"))
STEADY_S: Final = 6 * SOAK_S
WINDOW_S: Final = SOAK_S / 4
"""A change is followed for so long, and until every partition has an owner."""
TIMES: Final = 3
"""How often members leave and join."""
AT_ONCE: Final = 5
SLOW: Final = 20
MORE: Final = 1.1
"""What joins and leaves may cost, in parts of what they cost the twin."""
LAG_SHARE: Final = 1 / 3
CPU_PERCENT: Final = 5.0
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
    assert used["cpu_percent"] <= CPU_PERCENT
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
    assert used["cpu_percent"] <= CPU_PERCENT
    assert used["memory_mib"] <= MEMORY_MIB
