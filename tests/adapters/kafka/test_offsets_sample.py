"""What the records of a cluster's topic come to, made up: groups that vanish, that cannot be read,
and readers that failed. `test_live_fleet` has those of a real broker."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

import pytest
import support.kafka_records as write
from support.plain_fakes import TOPIC_FORBIDDEN, FakeClient, fake_reader

from equilag.adapters.kafka import offsets_sample
from equilag.adapters.kafka.client_config import kafka_config
from equilag.adapters.kafka.offsets_sample import TopicSample, sample_offsets_topic
from equilag.adapters.kafka.offsets_topic import TOPIC, PartitionRecords
from equilag.domain.errors import InputError

Record = tuple[bytes, bytes]

CONFIG: Final = kafka_config("a:1")
TOPICS: Final = {
    TOPIC: [1, 1], "empty": [], "odd": [-1], "orders": [1, 1, -1], "secret": TOPIC_FORBIDDEN,
    "users": [1, 1],
}  # fmt: skip
USERS: Final = UUID(int=sorted(TOPICS).index("users"))
"""As the fake cluster numbers its topics."""


def commit(group: str, topic: str, partition: int, committed: int) -> Record:
    return write.commit_key(group, topic, partition), write.commit(committed)


def members(group: str, **subscribed: tuple[list[str], dict[str, list[int]]]) -> Record:
    made = [
        write.classic_member(name, write.subscription(topics), write.assignment(owned))
        for name, (topics, owned) in subscribed.items()
    ]
    return write.key(2, group), write.classic_group(made)


ZERO: Final = [
    members(
        "both", a=(["users"], {"users": [0], "orders": [1]}), b=(["users", "none", "empty"], {})
    ),
    commit("both", "users", 0, 5),
    commit("both", "users", 9, 5),
    commit("both", "empty", 0, 5),
    commit("commits", "orders", 0, 4),
    commit("", "users", 1, 6),
    commit("orphan", "deleted", 0, 3),
    members("subscribed", c=(["none"], {})),
    members("no leader", d=(["orders"], {"orders": [0, 1, 2]})),
    commit("not led", "odd", 0, 1),
    commit("not led", "users", 0, 1),
    members("refused", e=(["users", "secret"], {})),
    commit("twice", "users", 0, 1),
    (write.key(11, "share"), b"x"),
    (write.key(10, "share", "m"), b"x"),
    commit("share", "users", 0, 1),
    members("nothing"),
]  # fmt: skip
ONE: Final = [commit("twice", "users", 1, 2)]


def sampled(
    monkeypatch: pytest.MonkeyPatch, *parts: list[Record] | InputError, read: int = 9
) -> TopicSample:
    """The sample of a cluster whose topic has these records, by partition."""

    def read_partition(_: object, number: int, deadline_s: float) -> PartitionRecords:
        part = parts[number]
        if isinstance(part, InputError):
            raise part
        return PartitionRecords(number, 10, 30, 4, read, dict(part))

    fake_reader(monkeypatch, FakeClient({**TOPICS, TOPIC: [1] * len(parts)}))
    monkeypatch.setattr(offsets_sample, "read_partition", read_partition)
    return sample_offsets_topic(CONFIG)


def rows(table: dict[str, list[Any]], *names: str) -> set[tuple[Any, ...]]:
    return set(zip(*(table[name] for name in names), strict=True))


def test_every_group_is_sampled_or_has_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    found, notes = sampled(monkeypatch, ZERO, ONE)
    names = "group", "topic", "partition", "log_start", "log_end", "committed"
    assert rows(found.offsets, *names) == {
        ("both", "users", 0, 2, 7, 5),
        ("both", "users", 1, 2, 7, None),
        ("both", "orders", 1, 2, 7, None),
        ("commits", "orders", 0, 2, 7, 4),
        ("", "users", 1, 2, 7, 6),
    }
    assert rows(found.members, "group", "member") == {
        ("both", "a"), ("both", "b"), ("subscribed", "c"),
        *((name, None) for name in ("commits", "", "orphan", "nothing")),
    }  # fmt: skip
    assert found.left_out == {
        "no leader": "log end unknown for orders-2: no leader",
        "not led": "log end unknown for odd-0: no leader",
        "refused": "topic secret: the right Describe is missing",
        "share": "share group metadata (key 11)",
        "twice": "its records are spread over 2 partitions of __consumer_offsets",
    }
    assert set(found.racks["topic"]) == {"orders", "users", "odd"}
    assert notes == {
        "records_read": 18,
        "held_back_by_transactions": 8,
        "not_understood": {
            "share group member metadata (key 10)": 1, "share group metadata (key 11)": 1,
        },
        "commits_of_deleted_topics": 1,
        "topics_refused": {"secret": "the right Describe is missing"},
    }  # fmt: skip


def test_names_are_asked_for_again_where_one_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The topic may be newer than the list; else its commits are of a deleted one."""
    key = write.commit_key("g", "users", 0)
    for topic_id, committed in ((USERS, [5]), (UUID(int=99), [])):
        value = write.commit(5, 4, tags={0: topic_id.bytes})
        found, notes = sampled(monkeypatch, [(key, value)])
        assert found.offsets["committed"] == committed
        assert found.members["group"] == ["g"]
        assert len(notes["not_understood"]) == (not committed)


@pytest.mark.parametrize(
    ("parts", "read", "problem"),
    [
        ([], 0, "a:1: has no consumer groups: the topic __consumer_offsets does not exist"),
        ([[]], 3, "a:1: has no consumer groups"),
        (
            [[], []],
            0,
            "a:1: __consumer_offsets: 0 records were read, though its partitions hold 40",
        ),
        ([ZERO, InputError("no leader", f"{TOPIC}[1]", "a:1")], 9, f"a:1: {TOPIC}[1]: no leader"),
    ],
)
def test_clusters_that_cannot_be_read(
    monkeypatch: pytest.MonkeyPatch, parts: list[Any], read: int, problem: str
) -> None:
    with pytest.raises(InputError) as caught:
        sampled(monkeypatch, *parts, read=read)
    assert str(caught.value).startswith(problem)
