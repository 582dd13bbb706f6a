"""Offsets and commits from the answers of brokers, and why none answers. No broker."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import pytest
from support.plain_fakes import GROUP_FORBIDDEN, LOADING, TOPIC_FORBIDDEN, FakeClient, fake_reader

from equilag.adapters.kafka.described import (
    Described,
    DescribedMember,
    MissingRight,
    NoAnswer,
    ReadFailure,
    TemporarilyUnreadable,
)
from equilag.adapters.kafka.plain import plain_connection
from equilag.adapters.kafka.plain.plain_connection import errors
from equilag.adapters.kafka.reading import NO_COMMIT
from equilag.domain.errors import InputError


def test_each_leader_is_asked_for_its_partitions(monkeypatch: pytest.MonkeyPatch) -> None:
    commits = {("t", 0): 7, ("t", 1): 4, ("t", 2): -1, ("other", 0): 3}
    client = FakeClient({"t": [1, -1, 2], "none": []}, commits)
    offsets = fake_reader(monkeypatch, client).lags("g", ["t", "gone", "none", "t"], timeout=2)
    assert offsets.sizes == {"t": 3, "none": 0}
    assert offsets.log_start == {"t": [2, None, 2], "none": []}
    assert offsets.log_end == {"t": [7, None, 7], "none": []}
    assert offsets.committed == {"t": [7, 4, None], "none": []}
    assert offsets.unknown == {"t": [1]}
    assert offsets.racks == {"t": [("r1",), ("r1",), ("r1",)]}
    assert offsets.remarks == [
        "lag unknown (no leader): t-1", f"{NO_COMMIT}: t-2", "there is no topic 'gone'",
    ]  # fmt: skip
    assert client.requested == [(1, "t", 0), (2, "t", 2)]


@pytest.mark.parametrize(
    ("client", "text"),
    [
        (FakeClient({"t": [1, 2]}, {}, silent=[2]), "lag unknown (KafkaTimeoutError: too late)"),
        (FakeClient({"t": [1, 2]}, {}, moved=4), "lag unknown (NOT_LEADER_FOR_PARTITION"),
    ],
)
def test_leaders_that_do_not_answer(
    monkeypatch: pytest.MonkeyPatch, client: FakeClient, text: str
) -> None:
    offsets = fake_reader(monkeypatch, client).lags("g", ["t"])
    assert 1 in offsets.unknown["t"]
    assert any(remark.startswith(text) for remark in offsets.remarks), offsets.remarks


@pytest.mark.parametrize(
    ("client", "error", "text"),
    [
        (FakeClient({"t": TOPIC_FORBIDDEN}, {}), MissingRight, "Describe on Topic 't'"),
        (FakeClient({"t": [1]}, GROUP_FORBIDDEN), MissingRight, "Describe on Group 'g'"),
        (FakeClient({"t": [1]}, LOADING), TemporarilyUnreadable, "its commits cannot be read: "),
        (
            FakeClient({"t": [1]}, {}, ReadFailure("no coordinator")),
            TemporarilyUnreadable,
            "no coordinator",
        ),
        (
            FakeClient({"t": [1]}, {}, silent=[1]),
            TemporarilyUnreadable,
            "its commits cannot be read: ",
        ),
        (FakeClient({"t": [1]}, {}, silent=[None]), NoAnswer, "too late"),
    ],
)
def test_unavailable_offsets(
    monkeypatch: pytest.MonkeyPatch, client: FakeClient, error: type, text: str
) -> None:
    with pytest.raises(error, match=text) as caught:
        fake_reader(monkeypatch, client).lags("g", ["t"])
    assert isinstance(caught.value, InputError) == (error is MissingRight)


def test_one_commit_that_cannot_be_read_does_not_hide_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    client = FakeClient({"t": [1, 2]}, {("t", 0): 5, ("t", 1): -88})
    reader = fake_reader(monkeypatch, client)
    client.describing(Described("classic", "Stable", "range", 1, [DescribedMember("m", ("t",))]))
    for offsets in (reader.lags("g", ["t"]), reader.read("g").offsets):
        assert offsets.committed == {"t": [5, None]}
        assert offsets.unknown == {"t": [1]}
        assert [one for one in offsets.remarks if "UNSTABLE_OFFSET_COMMIT" in one]


@pytest.mark.parametrize("late", [errors.KafkaTimeoutError(), errors.RequestTimedOutError()])
def test_an_attempt_that_the_time_limit_ends_does_not_hide_why_others_failed(
    monkeypatch: pytest.MonkeyPatch, late: Exception
) -> None:
    """kafka-python ends the last attempt with either error."""
    failed: list[Callable[[BaseException], None]] = []
    connection = SimpleNamespace(init_future=SimpleNamespace(add_errback=failed.append))
    manager = object.__new__(plain_connection._Manager)
    of_kafka = plain_connection.KafkaConnectionManager
    monkeypatch.setattr(of_kafka, "get_connection", lambda *_: connection)
    manager.config = {"sasl_mechanism": "PLAIN"}
    manager.cluster = SimpleNamespace(broker_metadata=lambda _: None)
    for error in (late, errors.KafkaConnectionError("socket disconnected"), late):
        manager.get_connection("bootstrap-0")
        failed.pop()(error)
    assert manager.complaint == "it closes the connection: authentication failed?"
