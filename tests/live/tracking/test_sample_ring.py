"""Observations as columns, and the rates, speeds and errors that are learnt from them."""

from __future__ import annotations

import numpy as np
import pytest
from support.tracked_loads import observation, rates_now

from equilag.adapters.measuring.topic_columns import ObservedOffsets
from equilag.domain.columns import NOBODY
from equilag.live.tracking.load_tracker import LoadTracker
from equilag.live.tracking.sample_ring import SampleRing

NAN = float("nan")


def seen(at: float, **log_ends: list[int | None]) -> ObservedOffsets:
    return ObservedOffsets(at, {}, log_ends, {})


def grown(tracker: LoadTracker, begin: int, end: int, **rates: list[int]) -> None:
    """Observe topics with these rates per partition every 5 s."""
    for at in range(begin, end + 1, 5):
        tracker.add(seen(float(at), **{t: [at * rate for rate in row] for t, row in rates.items()}))


def test_holders_are_numbered_over_all_observations() -> None:
    ring = SampleRing(120.0)
    for at, held in enumerate(
        [{"a": {"t": [0]}, "b": {"t": [1]}}, {"b": {"t": [0], "gone": [7]}, "c": {"t": [1, 9]}}]
    ):
        ring.add(ObservedOffsets(float(at), {}, {"t": [5, None]}, {"t": [1]}, held))
    samples, keys = ring.samples(60.0)
    assert keys == ["a", "b", "c"]
    assert samples.n_members == 3
    assert samples.holder.tolist() == [[0, 1], [1, 2]]
    assert samples.log_end.tolist() == [[5, -1]] * 2
    assert samples.committed.tolist() == [[-1, -1]] * 2  # of another size


def test_partitions_that_nobody_holds() -> None:
    ring = SampleRing(120.0)
    ring.add(observation(0.0, [1, 2, -7], [1, 1, 1], np.array([NOBODY, 0, NOBODY], np.int32)))
    samples, keys = ring.samples(60.0)
    assert samples.holder.tolist() == [[NOBODY, 0, NOBODY]]
    assert samples.log_end.tolist() == [[1, 2, -1]]
    assert keys == ["m0"]


def test_old_observations_go_but_eight_within_ten_minutes_stay() -> None:
    ring = SampleRing(120.0)
    for at in range(0, 301, 5):
        ring.add(seen(float(at), t=[at]))
    assert ring.times().tolist() == [*range(180, 301, 5)]
    for at in range(360, 781, 60):
        ring.add(seen(float(at), t=[at]))
    assert ring.times().tolist() == [*range(360, 781, 60)]
    ring.add(seen(1300.0, t=[0]))
    assert ring.times().tolist() == [720, 780, 1300]
    ring.add(seen(5000.0, t=[0]))
    assert ring.times().tolist() == [5000]


def test_a_new_topic_leaves_the_others_as_they_are() -> None:
    tracker = LoadTracker()
    grown(tracker, 0, 50, b=[10, 20])
    grown(tracker, 55, 60, a=[5], b=[10, 20])
    assert tracker.rates({"a": 1, "b": 2})[0] == {"a": [None], "b": [10, 20]}
    grown(tracker, 65, 65, b=[10, 20], a=[5])
    assert tracker.rates({"a": 1, "b": 2})[0] == {"a": [5], "b": [10, 20]}


def test_a_topic_that_grows_keeps_its_rates() -> None:
    tracker = LoadTracker()
    grown(tracker, 0, 50, a=[5], t=[10, 20])
    grown(tracker, 55, 55, a=[5], t=[10, 20, 30])
    assert tracker.rates({"t": 3, "a": 1})[0] == {"t": [10, 20, None], "a": [5]}


def test_a_topic_that_shrank_or_began_anew_has_no_rate() -> None:
    tracker = LoadTracker()
    grown(tracker, 0, 50, s=[10, 20], t=[10, 20])
    tracker.add(seen(55.0, s=[1100], t=[7, 1100]))
    assert tracker.rates({"s": 1, "t": 2})[0] == {"s": [None], "t": [None, 20]}
    tracker.add(seen(65.0, s=[1100], t=[57, 1300]))
    assert tracker.rates({"s": 1, "t": 2})[0] == {"s": [0], "t": [5, 20]}


def test_a_deleted_topic_goes_once_its_observations_are_old() -> None:
    tracker = LoadTracker()
    grown(tracker, 0, 50, s=[10], t=[20])
    grown(tracker, 55, 100, t=[20])
    assert tracker.rates({"s": 1})[0] == {"s": [10]}  # it may be back in a moment
    grown(tracker, 105, 200, t=[20])
    assert tracker.rates({"s": 1})[0] == {"s": [None]}
    assert tracker.to_dict(200.0, 0.0)["rates"].keys() == {"t"}


def test_a_rate_is_held_while_a_partition_has_no_leader() -> None:
    tracker = LoadTracker()
    grown(tracker, 0, 50, t=[10, 20])
    for at in (55, 60):
        tracker.add(seen(float(at), t=[None, at * 20]))
    tracker.add(seen(65.0, t=[650, 1300]))
    assert tracker.rates({"t": 2})[0] == {"t": [10, 20]}
    tracker.add(seen(70.0, t=[680, 1400]))
    tracker.add(seen(75.0, t=[710, 1500]))
    assert tracker.rates({"t": 2})[0] == {"t": [6, 20]}
    for at in range(80, 201, 5):
        tracker.add(seen(float(at), t=[None, at * 20]))
    assert tracker.rates({"t": 2})[0] == {"t": [None, 20]}


def test_observations_a_second_apart_are_thinned() -> None:
    tracker = LoadTracker()
    for tenth in range(0, 400, 2):
        tracker.add(observation(tenth / 10, [tenth]))
    assert rates_now(tracker, 1).tolist() == pytest.approx([10])
    tracker.add(observation(30.0, [0]))  # older than the newest: not used
    assert rates_now(tracker, 1).tolist() == pytest.approx([10])


FOUR = {"t": 4}
HOLDERS = {"a": {"t": [0, 1]}, "b": {"t": [2, 3]}}


def followed_for(seconds: int) -> LoadTracker:
    """Partitions get 10, 20, 30 and 40 records/s, `a` reads 20 and `b` all; commits every 5 s."""
    tracker = LoadTracker()
    for at in range(0, seconds + 1, 5):
        end = 10_000 + at * np.array([10, 20, 30, 40])
        read = {"t": [at * 10, at * 10, int(end[2]), int(end[3])]}
        starts, ends = {"t": [0] * 4}, {"t": end.tolist()}
        tracker.add(ObservedOffsets(float(at), starts, ends, read, HOLDERS))
    return tracker


def test_rates_are_known_from_two_steps_on() -> None:
    assert followed_for(5).rates(FOUR)[0] == {"t": [None] * 4}
    rates, errors = followed_for(10).rates(FOUR)
    assert rates == {"t": [10, 20, 30, 40]}
    assert errors["t"] == pytest.approx([1, 2**0.5, 3**0.5, 2])


def test_a_member_with_a_backlog_has_its_speed_and_others_the_fastest_seen() -> None:
    assert followed_for(5).capacities(["a", "b", "c"], 5.0) == {}
    tracker = followed_for(60)
    assert tracker.capacities([], 60.0) == {}
    found = tracker.capacities(["a", "b", "c"], 60.0)
    assert found["a"] == 20
    assert 60 < found["b"] == found["c"] <= 70
    again = LoadTracker.from_dict(tracker.to_dict(60.0, 1e9), 7.0, 1e9 + 30)
    assert again.capacities("abc", 7.0) == found


Held = dict[str, dict[str, list[int]]]


def look(ring: SampleRing, at: float, ends: list[int], commits: list[int], held: Held) -> None:
    """Add an observation of the topic `t`."""
    ring.add(ObservedOffsets(at, {"t": [0] * len(ends)}, {"t": ends}, {"t": commits}, held))


def test_commits_wait_for_polls_and_stop_with_their_member() -> None:
    ring, held = SampleRing(600.0), {"slow": {"t": [0]}, "dead": {"t": [1]}, "idle": {"t": [2]}}
    for second in range(0, 61, 5):
        commits = [10 * (second // 15 * 15), 10 * min(second, 20), 10 * second]
        look(ring, float(second), [10 * second] * 3, commits, held)
    assert ring.commit_gap() == 10.0  # seen at 5 s and at 15 s
    assert ring.commit_ages() == {"dead": 35.0}
    look(ring, 65.0, [999] * 3, [600, 200, 650], held)
    assert ring.commit_ages() == {"slow": 0.0, "dead": 40.0, "idle": 0.0}


def test_rare_observations_do_not_make_commits_rare() -> None:
    for every, gap in ((30, 5.0), (90, 65.0)):
        ring = SampleRing(600.0)
        for second in range(0, 181, 30):
            commits = [10 * (second // every * every) - 5]
            look(ring, float(second), [10 * second], commits, {"m": {"t": [0]}})
        assert ring.commit_gap() == gap


def test_a_partition_waits_behind_others_of_its_member_without_slow_commits() -> None:
    ring, commits = SampleRing(600.0), [0, 0, 0]
    for turn in range(13):  # every 5 s the member has read from one of its partitions
        commits[turn % 3] += 50
        look(ring, 5.0 * turn, [1000 + 50 * turn] * 3, [*commits], {"m": {"t": [0, 1, 2]}})
    assert (ring.commit_gap(), ring.commit_ages()) == (5.0, {"m": 0.0})


def test_nobody_waits_for_a_commit_before_the_first_one() -> None:
    """A new topic gets its first records after 30 s; members may also begin at its end."""
    ring = SampleRing(600.0)
    for second in range(0, 61, 5):
        ends, commits = [10 * max(0, second - 30), 5000], [max(-1, 10 * (second - 35)), -1]
        look(ring, float(second), ends, commits, {"m": {"t": [0, 1]}})
    assert (ring.commit_gap(), ring.commit_ages()) == (5.0, {"m": 0.0})
