"""`--sample` at a real broker: what it measures against what was produced and consumed."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, Final

import pytest
from support.kafka_broker import Broker
from support.live_members import RdMember
from support.live_topics import admin_of, fill, make_topic
from support.live_traffic import Traffic, uneven
from support.waiting import until

from benchmarks.live.assignment_log import Log
from equilag.adapters.snapshot.read_input import load_snapshot

pytestmark = [pytest.mark.broker, pytest.mark.long]

GROUP: Final = "sampled"
TOPIC: Final = "sampled-orders"
SPEEDS: Final = {"a": 200.0, "b": 600.0, "c": None}
SECONDS: Final = 8
"""Of which the members' last commits, once a second, miss one at most."""


def test_rates_and_capacities(run: Callable[..., Any], broker: Broker) -> None:
    """Of a group at work: `a` and `b` have a backlog, `c` can do more than it gets."""
    with ExitStack() as stack:
        make_topic(admin_of(broker.bootstrap), TOPIC, 6)
        log, members = Log(), []
        for name, speed in SPEEDS.items():
            how = {"auto_commit_interval_ms": 1000, "queued_min_messages": 1000}
            one = RdMember(log, name, broker.bootstrap, GROUP, [TOPIC], speed, **how)
            stack.callback(one.stop)
            members.append(one)
        until(lambda: sorted(map(len, log.held().values())) == [2, 2, 2])
        # Now, since the member without a limit may have held everything until here.
        fill(broker.bootstrap, TOPIC, [4000, 4000, 12_000, 12_000, 10, 10])
        traffic = Traffic(broker.bootstrap, TOPIC, 6, uneven(300.0, 100.0, 1000.0, seed=4))
        stack.enter_context(traffic)
        until(lambda: len(traffic.acked()) == 6)

        def counted() -> list[int]:
            """Records of each partition, and records that each member has read."""
            acked = traffic.acked()
            produced = [acked[TOPIC, number] for number in range(6)]
            return produced + [one.read.records for one in members]

        before, began = counted(), time.monotonic()
        options = ("--bootstrap-server", broker.bootstrap, "--group", GROUP)
        done = run("snapshot", *options, "--sample", f"{SECONDS}s")
        took = time.monotonic() - began
        per_s = [(late - early) / took for early, late in zip(before, counted(), strict=True)]
    document = json.loads(done.out)
    # A producer that sends every 0.2 s may be one time ahead.
    assert document["rates"][TOPIC] == pytest.approx(per_s[:6], rel=0.05, abs=0.5)
    capacity = {one["client_id"]: one.get("capacity") for one in document["members"]}
    assert capacity["a"] == pytest.approx(per_s[6], rel=0.1)
    assert capacity["b"] == pytest.approx(per_s[7], rel=0.1)
    assert capacity["c"] is None
    assert " 6 rates, " in done.err
    assert "2 capacities, " in done.err
    assert "equilag: 1 member did not always have a backlog: its speed is unknown\n" in done.err
    assert load_snapshot(document).rates is not None
