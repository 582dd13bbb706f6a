"""Runs a load scenario on a broker of its own: all groups side by side, on the same records."""

from __future__ import annotations

import os
import platform
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import confluent_kafka
import numpy as np

from benchmarks.broker_plugin import ASSIGNORS, plugged_jars
from benchmarks.kafka_broker import start_broker
from benchmarks.live.hand_plan import hand_plan
from benchmarks.live.load_figures import Seen, figures_of, process_rates, settled_after
from benchmarks.live.load_scenarios import BY_WORK, LoadScenario, full_seconds
from benchmarks.live.load_schedule import Phase, due_at, schedule_of, unread_ages
from benchmarks.live.load_side import LiveSide
from benchmarks.live.scheduled_traffic import ScheduledTraffic
from benchmarks.live.topics import admin_of, make_topic
from benchmarks.machine import machine
from equilag.domain.columns import Floats, Ints

SAMPLE_S: Final = 0.5
"""Seconds between two samples of lag."""
WITHIN: Final = 0.02
"""How near the mean the rates of all processes are to be, as a share."""
_COMPLETE_S: Final = 120
_STABLE_S: Final = 4.0
"""More than a heartbeat: a rebalance that was under way would have been noticed by all."""
_EXCHANGE_S: Final = 1.0
"""Until members that are assigned by hand have exchanged their partitions: ten polls."""


@dataclass(frozen=True, slots=True)
class Samples:
    """[S] times, in seconds since the traffic began, and [sides, S] total lags."""

    at: Floats
    lags: Floats


@dataclass(frozen=True, slots=True)
class Course:
    """What happened to all groups alike; the traffic began at `began` (seconds since 1970)."""

    scenario: LoadScenario
    phases: list[Phase]
    schedule: Ints
    began: float


@dataclass(frozen=True, slots=True)
class Ending:
    """One group at the end of a scenario."""

    lag: Floats
    """[S] of the samples."""
    read: Ints
    """[P]"""
    busiest: tuple[float, float]
    """Share of its time that the busiest member needs, at the start and at the end."""
    cpu_s: float
    """CPU time of the steward since the traffic began."""
    counters: dict[str, Any]
    """Of the steward."""


def measured_scenario(scenario: LoadScenario, logs: Path) -> dict[str, Any]:
    """Run it and return its figures. The logs of the stewards are written to the folder `logs`.

    Raises NoBroker without Java or Maven, RuntimeError if a group does not assign its partitions.
    """
    began_load = machine()
    with tempfile.TemporaryDirectory(prefix="live-load-") as name, ExitStack() as stack:
        folder = Path(name)
        settings, lib = dict[str, str](), None
        if scenario.heartbeat_ms:
            lib = plugged_jars(folder / "lib")
            heartbeat = {"group.consumer.heartbeat.interval.ms": str(scenario.heartbeat_ms)}
            settings = {**ASSIGNORS, **heartbeat}
        broker = start_broker(folder / "broker", settings, lib)
        stack.callback(broker.stop)
        topic = scenario.name
        make_topic(admin_of(broker.bootstrap), topic, scenario.partitions)
        sides = []
        for side in scenario.sides:
            sides.append(LiveSide(side, scenario, broker.bootstrap, topic, folder / side.name))
            stack.callback(sides[-1].stop)
        _await_complete(sides)
        figures = _with_traffic(scenario, sides, broker.bootstrap, topic)
        for one in sides:
            one.stop()
            if one.steward is not None:
                log = logs / f"load-{scenario.name}-{one.side.name}.log"
                log.write_text(one.steward.text, "utf-8")
        return {
            "name": scenario.name,
            "words": scenario.words,
            "when": datetime.now(UTC).isoformat(timespec="seconds"),
            "machine": {**began_load, "load_at_end": os.getloadavg()[0]},
            "versions": versions(),
            "seconds": scenario.seconds,
            "full": scenario.seconds >= full_seconds(scenario.name),
            "measured_from": scenario.measured_from,
            "speeds": list(scenario.speeds),
            **figures,
        }


def versions() -> dict[str, str]:
    """Of what takes part in a run."""
    return {
        "python": platform.python_version(),
        "equilag": version("equilag"),
        "confluent-kafka": version("confluent-kafka"),
        "librdkafka": str(confluent_kafka.libversion()[0]),
        "kafka-python": version("kafka-python"),
    }


def _await_complete(sides: Sequence[LiveSide]) -> None:
    """Return once every group has been complete for a while. Raises RuntimeError."""
    since = began = time.monotonic()
    while time.monotonic() - since < _STABLE_S:
        if late := [side.side.name for side in sides if not side.complete()]:
            since = time.monotonic()
            if since - began > _COMPLETE_S:
                raise RuntimeError(f"partitions without an owner in {', '.join(late)}")
        time.sleep(0.1)


def _with_traffic(
    scenario: LoadScenario, sides: list[LiveSide], bootstrap: str, topic: str
) -> dict[str, Any]:
    own = next(side for side in sides if side.side.name == BY_WORK.name)
    phases = scenario.phases_of(own.owners())
    schedule = schedule_of(phases, scenario.seconds, scenario.arrivals_seed)
    by_hand = _plans_by_hand(scenario, phases)
    for side in sides:
        side.assign(by_hand[0].tolist())
    time.sleep(_EXCHANGE_S)
    first = [(side.busiest(phases[0].rates), side.cpu_s()) for side in sides]
    with ScheduledTraffic(bootstrap, topic, lambda at: due_at(schedule, at)) as traffic:
        course = Course(scenario, phases, schedule, time.time())
        samples = _sampled(scenario, sides, traffic, list(zip(phases, by_hand, strict=True)))
        endings = [
            Ending(
                lag, side.read(), (busiest, side.busiest(phases[-1].rates)),
                side.cpu_s() - used, side.counters(),
            )
            for side, lag, (busiest, used) in zip(sides, samples.lags, first, strict=True)
        ]  # fmt: skip
    for side in sides:
        side.stop_members()
    late = samples.at - np.arange(len(samples.at)) * SAMPLE_S
    return {
        "began": datetime.fromtimestamp(course.began, UTC).isoformat(timespec="seconds"),
        "late_p99_s": round(float(np.percentile(late, 99)), 2),
        "phases": [phase.start for phase in phases],
        "sides": [
            _row(course, side, samples.at, ending)
            for side, ending in zip(sides, endings, strict=True)
        ],
    }


def _row(course: Course, side: LiveSide, at: Floats, ending: Ending) -> dict[str, Any]:
    scenario = course.scenario
    seen = Seen(
        began=course.began,
        measured_from=scenario.measured_from,
        seconds=scenario.seconds,
        at=at,
        lag=ending.lag,
        ended=np.concatenate([np.array(member.ended) for member in side.members]) - course.began,
        delays=np.concatenate([np.array(member.delays) for member in side.members]),
        unread_ages=unread_ages(course.schedule, ending.read, scenario.seconds),
        log=side.log,
        cpu_s=ending.cpu_s,
    )
    row = {
        "side": side.side.name,
        "words": side.side.words,
        "options": " ".join(side.side.options),
        **figures_of(seen),
        "busiest_percent": [round(100.0 * share) for share in ending.busiest],
        "counters": ending.counters,
    }
    if scenario.threads > 1:
        row["processes"] = _process_figures(course, side)
    return row


def _plans_by_hand(scenario: LoadScenario, phases: Sequence[Phase]) -> list[Ints]:
    """Return the owners [P] in each phase."""
    plans: list[Ints] = []
    for phase in phases:
        plans.append(hand_plan(phase.rates, scenario.speeds, plans[-1] if plans else None))
    return plans


def _sampled(
    scenario: LoadScenario,
    sides: Sequence[LiveSide],
    traffic: ScheduledTraffic,
    by_hand: list[tuple[Phase, Ints]],
) -> Samples:
    """Sample until the end of the scenario; by hand, the groups follow the truth at once."""
    at: list[float] = []
    lags: list[list[int]] = []
    left = by_hand[1:]
    while (now := traffic.seconds()) < scenario.seconds:
        if left and now >= left[0][0].start:
            owners = left.pop(0)[1]
            for side in sides:
                side.assign(owners.tolist())
        produced = traffic.produced
        at.append(now)
        lags.append([int(np.maximum(produced - side.read(), 0).sum()) for side in sides])
        time.sleep(max(0.0, len(at) * SAMPLE_S - traffic.seconds()))
    return Samples(np.array(at), np.array(lags, np.float64).T)


def _process_figures(course: Course, side: LiveSide) -> list[dict[str, Any]]:
    """For each phase: the rates of processes as it began and as it ended, and when they were even
    for good."""
    scenario, phases = course.scenario, course.phases
    process_of = {
        member.name: scenario.process_of(number) for number, member in enumerate(side.members)
    }
    rates = process_rates(side.log.events, phases, process_of, course.began)
    ends = [*(phase.start for phase in phases[1:]), scenario.seconds]
    found = []
    for phase, end in zip(phases, ends, strict=True):
        inside = [one for one in rates if phase.start <= one.at < end]
        settled = settled_after(rates, phase.start, end, WITHIN)
        found.append(
            {
                "from_s": phase.start,
                "first": inside[0].rates.round(1).tolist(),
                "last": inside[-1].rates.round(1).tolist(),
                "within_after_s": None if settled is None else round(settled, 1),
            }
        )
    return found
