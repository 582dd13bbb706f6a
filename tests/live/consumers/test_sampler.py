"""The sampling thread: when it measures and ends, errors; and what a source knows of a group."""

from __future__ import annotations

import gc
import logging
import subprocess
import sys
import threading
import time

import pytest
from support.waiting import stays, until

from equilag.live.consumers.lag_source import ObservedLoad, SampledLags
from equilag.live.consumers.sampler import LagSampler
from equilag.live.tracking.topic_columns import ObservedOffsets

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


def sampler(probes, every=0.05, alive=lambda: True, found=lambda *sample: None):
    return LagSampler(probes, every, alive, found, "g")


def test_a_leader_samples_at_intervals() -> None:
    probes, found, began = Probes(), [], time.monotonic()
    one = sampler(probes, found=lambda *sample: found.append(sample))
    one.set_topics({}, leading=True)
    assert one._thread is None
    one.set_topics(TOPICS, leading=True)
    until(lambda: len(found) > 2)
    assert [sample[0] for sample in found[:2]] == [{"t": [1, 1]}, {"t": [2, 2]}]
    assert found[0][1] == TOPICS
    assert began <= found[0][2] < found[1][2] < time.monotonic()
    assert probes.opened == 1
    thread = one._thread
    one.stop()
    until(lambda: probes.closed == 1)
    until(lambda: not thread.is_alive())


def test_other_topics_are_measured_at_once() -> None:
    probes = Probes()
    one = sampler(probes, every=1000)
    one.set_topics(TOPICS, leading=True)
    until(lambda: probes.measured)
    one.set_topics({"u": 1}, leading=True)
    until(lambda: len(probes.measured) > 1)
    one.set_topics({"u": 1}, leading=True)
    stays(lambda: probes.measured == [TOPICS, {"u": 1}], 0.05)
    one.stop()


def test_a_follower_samples_less_and_closes_its_connection() -> None:
    probes, found = Probes(), []
    one = sampler(probes, every=1000, found=lambda sample, *_: found.append(sample))
    one.set_topics(TOPICS, leading=False)
    until(lambda: probes.closed == 1)
    assert 11000 < one._shared.next_at - time.monotonic() <= 12000
    one.set_topics(TOPICS, leading=True)
    assert 0 < one._shared.next_at - time.monotonic() <= 1000
    assert found == [{"t": [1, 1]}]  # rates are learnt from it
    one.stop()


def test_each_type_of_error_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    kinds = [OSError("no"), OSError("not again"), ValueError("odd"), OSError("still"), None]
    probes = Probes([*kinds, OSError("new")])
    one = sampler(probes)
    with caplog.at_level(logging.WARNING, "equilag.consumers"):
        one.set_topics(TOPICS, leading=True)
        until(lambda: len(probes.measured) > 6)
    one.stop()
    texts = [record.getMessage() for record in caplog.records]
    assert texts == [
        f"group g: the lag cannot be measured: {what}"
        for what in ("OSError: no", "ValueError: odd", "OSError: new")
    ]
    assert probes.opened == 6


def test_it_ends_with_its_consumer() -> None:
    there = threading.Event()
    there.set()
    probes = Probes()
    one = sampler(probes, every=1000, alive=there.is_set)
    one.set_topics(TOPICS, leading=True)
    thread = one._thread
    until(lambda: probes.measured)
    there.clear()
    until(lambda: not thread.is_alive())


def test_it_ends_when_it_is_deleted() -> None:
    one = sampler(Probes(), every=1000)
    one.set_topics(TOPICS, leading=True)
    thread = one._thread
    del one
    gc.collect()
    until(lambda: not thread.is_alive())


def test_a_probe_that_cannot_be_closed() -> None:
    probes = Probes()
    probes.close = lambda: 1 / 0
    one = sampler(probes)
    one.set_topics(TOPICS, leading=False)
    until(lambda: probes.measured)
    one.stop()
    until(lambda: not one._thread.is_alive())


def test_it_does_not_keep_the_interpreter_from_exiting() -> None:
    code = (
        "import threading\n"
        "from equilag.live.consumers.sampler import *\n"
        "started = threading.Event()\n"
        "def measure(topics):\n"
        "    started.set()\n"
        "    threading.Event().wait(60)\n"
        "one = LagSampler(lambda: MeasureProbe(measure), 1, lambda: True, print, 'g')\n"
        "one.set_topics({'t': 1}, True)\n"
        "assert started.wait(20)\n"
    )
    began = time.monotonic()
    subprocess.run([sys.executable, "-c", code], check=True, timeout=30)
    assert time.monotonic() - began < 20


SIZES = {"t": 2, "u": 1}


def test_only_topics_as_they_were_observed_are_known() -> None:
    load = ObservedLoad("earliest")
    assert load.measured({"t": 2}, []) is None
    offsets = ObservedOffsets(0.0, {"t": [0, 10]}, {"t": [100, 60], "u": [7]}, {"t": [40, None]})
    load.add(offsets, SIZES, 0.0, {})
    found = load.measured({"t": 2}, ["m"])
    assert found is not None
    assert (found.lags["t"], found.rates, found.capacities) == ([60, 50], {"t": [None] * 2}, {})
    assert found.age > 0
    assert load.measured({"t": 3}, []) is None
    assert load.measured({"t": 2, "v": 1}, []) is None


def test_the_newest_lags_of_a_function_are_known_with_their_age() -> None:
    load = SampledLags()
    assert load.measured({"t": 2}, []) is None
    load.add({"t": [1, 2]}, SIZES, 0.0, {})
    load.add({"t": [3, 4]}, SIZES, 1.0, {})
    found = load.measured({"t": 2}, [])
    assert found is not None
    assert (found.lags, found.rates) == ({"t": [3, 4]}, {})
    assert found.age > 0
    assert load.measured({"t": 3}, []) is None
    assert load.measured({"v": 1}, []) is None
