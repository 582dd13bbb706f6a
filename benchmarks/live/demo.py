"""A live group to look at: python -m benchmarks.live.demo, or `make demo`.

A broker of its own, a producer, six consumers of which one is slow, and a steward with its page.
Prints the page's address and what happens, until Ctrl-C.
"""

from __future__ import annotations

import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Event
from typing import Any, Final

import numpy as np

from benchmarks.kafka_broker import NoBroker, missing, start_broker
from benchmarks.live.load_scenarios import BY_WORK, LoadScenario, lognormal_rates, scenario_of
from benchmarks.live.load_side import LiveSide
from benchmarks.live.scheduled_traffic import ScheduledTraffic
from benchmarks.live.topics import admin_of, make_topic
from equilag.domain.columns import Floats, Ints
from equilag.domain.figures import cell, shorten

EVERY_S: Final = 5.0
"""Seconds between two lines: as often as the steward observes."""
TOPIC: Final = "orders"
WIDEST: Final = 100
"""Columns of a line."""


@contextmanager
def demo_group(scenario: LoadScenario, folder: Path, stop: Event) -> Iterator[LiveSide]:
    """Everything that runs, and the end of all of it: the steward before the members, the broker
    last. Raises NoBroker, and RuntimeError if something does not start."""
    with ExitStack() as stack:
        said("starting a broker …")
        broker = start_broker(folder / "broker")
        stack.callback(broker.stop)
        make_topic(admin_of(broker.bootstrap), TOPIC, scenario.partitions)
        said("starting a steward, six consumers and a producer …")
        side = LiveSide(BY_WORK, scenario, broker.bootstrap, TOPIC, folder)
        stack.callback(side.stop)
        while not side.complete() and not stop.wait(0.1):
            pass
        stack.enter_context(ScheduledTraffic(broker.bootstrap, TOPIC, due(lognormal_rates())))
        yield side
        said("\nending: consumers, steward, producer, broker …")
    said("all ended")


def due(rates: Floats) -> Any:
    """[P] the records until a second, at these rates [P] per second."""

    def found(second: float) -> Ints:
        return np.floor(rates * second).astype(np.int64)

    return found


def said(words: str) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


def introduction(scenario: LoadScenario, group: str, port: int) -> str:
    slow, fast = scenario.speeds[0], scenario.speeds[-1]
    produced, read = lognormal_rates().sum(), sum(scenario.speeds)
    return f"""
  page      http://127.0.0.1:{port}/
  group     {group}: {len(scenario.speeds)} consumers, {scenario.partitions} partitions
  load      {produced:,.0f} records/s are produced; all consumers together read {read:,.0f}
  trouble   member-0 reads {slow:g} records/s, each of the others {fast:g}

  The steward sees what member-0 does not read, measures how fast it is, and gives its partitions to
  others once that is worth a rebalance: within three minutes. Ctrl-C ends everything.
"""


def line_of(status: Mapping[str, Any], seconds: float) -> str:
    """What a moment looks like: the lag, the slow member's part of it, what the steward says."""
    clock = f"{int(seconds) // 60}:{int(seconds) % 60:02}"
    if not status:
        return f"{clock:>6}  the steward does not answer"
    lag = {one["name"]: one["lag"] for one in status["by_member"]}
    total, own = (cell(one, "number") for one in (status["lag_total"], lag.get("member-0")))
    words = status["headline"].partition(";")[0]
    return shorten(f"{clock:>6}  lag {total:>6}, member-0 {own:>6}   {words}", WIDEST)


def rebalances_of(status: Mapping[str, Any], seen: set[str]) -> Iterator[str]:
    """What the steward says of the rebalances that it started since."""
    for event in reversed(status.get("events", ())):
        if event["event"] == "rebalance" and event["at"] not in seen:
            seen.add(event["at"])
            why, *_, what = event["text"].partition("; moves: ")[0].split("; ")[1:]
            yield shorten(f"{'':>6}  rebalance: {what}; {why.partition(' (')[0]}", WIDEST)


def main() -> int:
    if reason := missing():
        said(f"no demo: {reason}")
        return 2
    stop = Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    scenario = scenario_of("slow-member", None)
    with tempfile.TemporaryDirectory(prefix="equilag-demo-") as name:
        try:
            with demo_group(scenario, Path(name), stop) as side:
                assert side.steward is not None
                said(introduction(scenario, f"{TOPIC}-{side.side.name}", side.steward.port))
                began, seen = time.monotonic(), set[str]()
                while not stop.wait(EVERY_S):
                    status = side.steward.status()
                    for line in rebalances_of(status, seen):
                        said(line)
                    said(line_of(status, time.monotonic() - began))
        except NoBroker as error:
            said(f"no demo: {error}")
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
