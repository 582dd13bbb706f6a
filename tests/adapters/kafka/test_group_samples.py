"""A group sampled over time: what is read when, and who held what. No broker."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.sampled_readers import FakeReader, member, sampling_clock, topic_row

from equilag.adapters.kafka.described import MissingRight, NoAnswer, TemporarilyUnreadable
from equilag.adapters.kafka.group_samples import GroupSamples, sample_group, times_between
from equilag.adapters.kafka.reading import TopicOffsets
from equilag.domain.group.group import NOBODY


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A clock that only sleeping moves, and how long was slept."""
    return sampling_clock(monkeypatch)


def test_every_second_and_less_often_over_a_long_time() -> None:
    assert times_between(30) == list(range(1, 30))
    assert times_between(2.4) == [1]
    assert times_between(1) == times_between(0.2) == []
    assert times_between(600)[:3] == [5, 10, 15]
    assert times_between(7200)[:2] == [10, 20]


def test_members_at_both_ends_and_offsets_in_between(clock: list[float]) -> None:
    reader, shown = FakeReader(), []
    found = sample_group(reader, "g", 4, shown.append)
    assert reader.asked == ["read", "lags", "lags", "lags", "read"]
    assert found.times == [0, 1, 2, 3, 4]
    assert shown == [0, 1, 2, 3]
    samples = found.samples()
    assert samples.log_end[:, 0].tolist() == [100, 200, 300, 400, 500]
    assert samples.committed[:, 2].tolist() == [-1] * 5
    assert samples.holder[0].tolist() == [0, 0, 1]
    assert (samples.n_members, found.changed, found.rebalanced) == (2, set(), False)
    assert sum(clock) == 4


def test_a_sample_that_fails_is_left_out(clock: list[float]) -> None:
    reader = FakeReader(failures={1: NoAnswer("gone"), 3: TemporarilyUnreadable("busy", "")})
    found = sample_group(reader, "g", 4)
    assert found.failed == ["gone", "busy"]
    assert found.times == [0, 2, 4]
    with pytest.raises(MissingRight):
        sample_group(FakeReader(failures={1: MissingRight("no")}), "g", 4)


def test_a_group_that_rebalances_at_the_end_is_read_again(clock: list[float]) -> None:
    busy = TemporarilyUnreadable("it is rebalancing", "PreparingRebalance")
    reader = FakeReader(failures={2: busy, 3: busy})
    assert len(sample_group(reader, "g", 2).times) == 3
    with pytest.raises(TemporarilyUnreadable):
        sample_group(FakeReader(failures=dict.fromkeys(range(2, 9), busy)), "g", 2)


def samples_of(first: FakeReader, last: FakeReader) -> GroupSamples:
    found = GroupSamples(first.read("g"), last.read("g"))
    found.add(found.first.offsets)
    found.add(found.last.offsets)
    return found


def test_only_members_that_hold_the_same_at_both_ends_count() -> None:
    swapped = FakeReader([member("a", 0), member("b", 1, 2)])
    found = samples_of(FakeReader(), swapped)
    assert found.samples().holder.tolist() == [[NOBODY] * 3] * 2
    assert (found.changed, found.rebalanced) == ({"a", "b"}, True)
    joined = FakeReader([member("a", 0, 1), member("new", 2)])
    found = samples_of(FakeReader(), joined)
    assert found.samples().holder[0].tolist() == [0, 0, NOBODY]
    assert (found.changed, found.rebalanced) == ({"new"}, True)
    left = samples_of(FakeReader(), FakeReader([member("b", 2)]))
    assert left.samples().holder[0].tolist() == [NOBODY, NOBODY, 0]
    assert (left.changed, left.rebalanced) == (set(), True)


def test_topics_that_come_go_or_grow() -> None:
    found = samples_of(FakeReader(), FakeReader())
    offsets = found.first.offsets
    grown = topic_row(offsets, {"orders": 4, "new": 1})
    found.add(grown)
    found.add(TopicOffsets())
    samples = found.samples()
    assert samples.log_end.shape == (4, 3)
    assert (samples.log_end[2] >= 0).all()
    assert (samples.log_end[3] == -1).all()
    found.last = replace(found.last, members=[member("a", 0, 1, 3)])
    assert np.unique(found.samples().holder).tolist() == [NOBODY]
