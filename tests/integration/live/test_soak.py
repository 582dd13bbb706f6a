"""Thirty members and three hundred partitions for five minutes, with the steward and without."""

from __future__ import annotations

import os
import time
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest
from support.kafka_broker import Broker
from support.live_figures import keep
from support.live_members import RdMember
from support.live_notes import OffsetsRead
from support.live_topics import admin_of, make_topic
from support.live_traffic import Traffic, uneven
from support.waiting import until, within

from benchmarks.live.assignment_log import Log
from benchmarks.live.steward_run import StewardRun
from equilag.adapters.kafka.client_config import kafka_config
from equilag.adapters.kafka.group_reader import GroupReader

pytestmark = [pytest.mark.live, pytest.mark.broker]

MEMBERS = 30
PARTITIONS = 300
SECONDS = float(os.environ.get("EQUILAG_SOAK_S", "300"))
RATE = 1200.0
"""Records a second for the whole topic; members together can process a fifth more."""
SPEED = RATE / MEMBERS * 1.2
CHANGES_S = 75.0
END_S = 60.0
"""After the traffic all must be read within this time."""
STEWARD = (
    "--every", "5s", "--cooldown", "20s", "--confirm", "2", "--gain", "50",
    "--time-limit", "2", "--tolerance", "10",
)  # fmt: skip


class Side:
    """One group of the two that read the same records."""

    def __init__(self, broker: Broker, group: str, topic: str, strategy: str) -> None:
        self.group, self.topic, self.log, self.read = group, topic, Log(), OffsetsRead()
        self.spreads: list[int] = []
        self.heaviest: list[int] = []
        self.members = [
            RdMember(
                self.log,
                f"{group}-{number}",
                broker.bootstrap,
                group,
                [topic],
                SPEED,
                self.read,
                partition_assignment_strategy=strategy,
                heartbeat_interval_ms=1000,
                session_timeout_ms=10_000,
                fetch_wait_max_ms=500,
                queued_min_messages=500,
            )
            for number in range(MEMBERS)
        ]

    def stop(self) -> None:
        for member in self.members:
            member.stop(wait=False)
        for member in self.members:
            member.stop()

    def complete(self) -> bool:
        return self.log.shared({(self.topic, number) for number in range(PARTITIONS)}, MEMBERS)

    def sample(self, reader: GroupReader) -> None:
        """Lag of the heaviest member and the spread; nothing while the group rebalances."""
        held = self.log.held()
        if not self.complete():
            return
        offsets = reader.lags(self.group, [self.topic])
        ends, commits = offsets.log_end[self.topic], offsets.committed[self.topic]
        lag = [max(0, (end or 0) - (at or 0)) for end, at in zip(ends, commits, strict=True)]
        loads = [sum(lag[number] for _, number in theirs) for theirs in held.values()]
        self.spreads.append(max(loads) - min(loads))
        self.heaviest.append(max(loads))

    def figures(self) -> dict[str, object]:
        gaps = [end - begin for each in self.log.gaps().values() for begin, end in each]
        return {
            "lag_spread_mean": round(float(np.mean(self.spreads))),
            "lag_spread_median": round(float(np.median(self.spreads))),
            "lag_spread_p95": round(float(np.percentile(self.spreads, 95))),
            "heaviest_member_median": round(float(np.median(self.heaviest))),
            "heaviest_member_max": max(self.heaviest),
            "samples": len(self.spreads),
            "rebalances": self.log.rebalances(),
            "two_owners": len(self.log.twice()),
            "longest_without_owner_s": round(max(gaps, default=0.0), 2),
        }


@pytest.mark.parametrize("strategy", ["cooperative-sticky", "range"])
def test_with_and_without(broker: Broker, tmp_path: Path, strategy: str) -> None:
    topic = f"soak-{strategy}"
    make_topic(admin_of(broker.bootstrap), topic, PARTITIONS)
    with ExitStack() as stack:
        reader = GroupReader(kafka_config(broker.bootstrap))
        stack.callback(reader.close)
        steward = StewardRun(tmp_path, broker.bootstrap, f"with-{strategy}", *STEWARD)
        stack.callback(steward.end)
        steward.has("leader")
        sides = [
            Side(broker, f"{kind}-{strategy}", topic, strategy) for kind in ("with", "without")
        ]
        for side in sides:
            stack.callback(side.stop)
        until(lambda: all(side.complete() for side in sides), 120)
        rates = uneven(RATE, 0.7 * SPEED, CHANGES_S, 7)
        with Traffic(broker.bootstrap, topic, PARTITIONS, rates) as flow:
            end = time.monotonic() + SECONDS
            while time.monotonic() < end:
                for side in sides:
                    side.sample(reader)
                time.sleep(2.0)  # samples of a given time
        counters = steward.status()["counters"]
        with_, without = (side.figures() for side in sides)
        for side, figures in zip(sides, (with_, without), strict=True):
            within(lambda side=side: not side.read.unread(flow.acked()), END_S)  # type: ignore[misc]
            figures["records_not_read"] = side.read.unread(flow.acked())
        keep(
            f"soak-{strategy}",
            {
                "seconds": SECONDS,
                "records": sum(flow.acked().values()),
                "with": with_,
                "without": without,
                "counters": counters,
            },
        )
    assert with_["lag_spread_median"] < without["lag_spread_median"]
    if strategy == "cooperative-sticky":
        assert with_["two_owners"] == 0
    assert with_["records_not_read"] == 0
