"""The sampling thread: when it measures and ends, errors; and what a source knows of a group."""

from __future__ import annotations

import logging
import subprocess
import sys
import threading
import time

import pytest

from benchmarks.waiting import stays, until
from equilag.adapters.measuring.topic_columns import ObservedOffsets
from equilag.live.consumers.sampler import LagSampler, LeaderLoad
from equilag.live.rebalance.joined_members import JoinedMember

TOPICS = {"t": 2}


class Probes:
    """Creates probes and remembers them."""

    def __init__(self, fail=()):
        self.fail = list(fail)
        self.measured, self.opened, self.closed = [], 0, 0

    def __call__(self):
        self.opened += 1
        return self

    def measure(self, topics):
        self.measured.append(dict(topics))
        if self.fail and (error := self.fail.pop(0)):
            raise error
        return {topic: [len(self.measured)] * size for topic, size in topics.items()}

    def close(self):
        self.closed += 1


def sampler(probes, every=0.05, found=lambda *sample: None):
    """A sampler, and what ends it."""
    ended = threading.Event()
    made = LagSampler(probes, every, lambda: not ended.is_set(), found, "g")
    return made, ended.set


def test_a_leader_samples_at_intervals() -> None:
    probes, found, began = Probes(), [], time.monotonic()
    one, end = sampler(probes, found=lambda *sample: found.append(sample))
    one.set_topics({}, leading=True)
    assert one._thread is None
    one.set_topics(TOPICS, leading=True)
    until(lambda: len(found) > 2)
    assert [sample[0] for sample in found[:2]] == [{"t": [1, 1]}, {"t": [2, 2]}]
    assert found[0][1] == TOPICS
    assert began <= found[0][2] < found[1][2] < time.monotonic()
    assert probes.opened == 1
    thread = one._thread
    end()
    until(lambda: probes.closed == 1)
    until(lambda: not thread.is_alive())


def test_other_topics_are_measured_at_once() -> None:
    probes = Probes()
    one, end = sampler(probes, every=1000)
    one.set_topics(TOPICS, leading=True)
    until(lambda: probes.measured)
    one.set_topics({"u": 1}, leading=True)
    until(lambda: len(probes.measured) > 1)
    one.set_topics({"u": 1}, leading=True)
    stays(lambda: probes.measured == [TOPICS, {"u": 1}], 0.05)
    end()


def test_a_follower_samples_less_and_closes_its_connection() -> None:
    probes, found = Probes(), []
    one, end = sampler(probes, every=1000, found=lambda sample, *_: found.append(sample))
    one.set_topics(TOPICS, leading=False)
    until(lambda: probes.closed == 1)
    assert 11000 < one._next_at - time.monotonic() <= 12000
    one.set_topics(TOPICS, leading=True)
    assert 0 < one._next_at - time.monotonic() <= 1000
    assert found == [{"t": [1, 1]}]  # rates are learnt from it
    end()


def test_each_type_of_error_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    kinds = [OSError("no"), OSError("not again"), ValueError("odd"), OSError("still"), None]
    probes = Probes([*kinds, OSError("new")])
    one, end = sampler(probes)
    with caplog.at_level(logging.WARNING, "equilag.consumers"):
        one.set_topics(TOPICS, leading=True)
        until(lambda: len(probes.measured) > 6)
    end()
    texts = [record.getMessage() for record in caplog.records]
    assert texts == [
        f"group g: the lag cannot be measured: {what}"
        for what in ("OSError: no", "ValueError: odd", "OSError: new")
    ]
    assert probes.opened == 6


def test_a_probe_that_cannot_be_closed() -> None:
    probes = Probes()
    probes.close = lambda: 1 / 0
    one, end = sampler(probes)
    one.set_topics(TOPICS, leading=False)
    until(lambda: probes.measured)
    end()
    until(lambda: not one._thread.is_alive())


def test_it_does_not_keep_the_interpreter_from_exiting() -> None:
    code = (
        "import threading\n"
        "from equilag.live.consumers.sampler import *\n"
        "from equilag.live.consumers.lag_source import Background\n"
        "started = threading.Event()\n"
        "def measure(topics):\n"
        "    started.set()\n"
        "    threading.Event().wait(60)\n"
        "one = LagSampler(lambda: Background(measure), 1, lambda: True, print, 'g')\n"
        "one.set_topics({'t': 1}, True)\n"
        "assert started.wait(20)\n"
    )
    began = time.monotonic()
    subprocess.run([sys.executable, "-c", code], check=True, timeout=30)
    assert time.monotonic() - began < 20


SIZES = {"t": 2, "u": 1}


@pytest.mark.parametrize(
    "sample",
    [
        {"t": [60, 50]},
        ObservedOffsets(0.0, {"t": [0, 10]}, {"t": [100, 60], "u": [7]}, {"t": [40, None]}),
    ],
)
def test_only_topics_as_they_were_observed_are_known(sample) -> None:
    """Lags of a function, or offsets."""
    load, members = LeaderLoad(None, "earliest", 1e9, "g"), [JoinedMember("m", ("t",))]
    nothing = "no lag has been measured yet"
    assert load.measured(members, {"t": 2}, None)[1] == nothing
    load.add({"t": [1, 2]}, SIZES, 0.0, {})
    load.add(sample, SIZES, 0.0, {})
    found, reason = load.measured(members, {"t": 2}, None)
    assert (found.lags["t"], found.capacities, reason) == ([60, 50], {}, None)
    assert found.age > 0
    for sizes in ({"t": 3}, {"t": 2, "v": 1}):
        assert load.measured(members, sizes, None)[1] == nothing
