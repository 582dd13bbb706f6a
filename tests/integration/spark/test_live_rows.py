"""What the rows of a cluster's topic come to, made up: groups that vanish, that cannot be read, and
readers that failed. `test_live_fleet` has those of a real broker."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from uuid import UUID

import pytest
import support.kafka_records as write

from equilag.adapters.kafka.client_config import kafka_config
from equilag.adapters.kafka.group_state import GroupState, read_state
from equilag.adapters.kafka.offsets_topic import PartitionRecords, check_not_empty
from equilag.adapters.kafka.reading import NamedTopics
from equilag.domain.errors import InputError
from equilag.pipeline.sources import offsets_source
from equilag.pipeline.sources.live_cluster import (
    facts_of,
    history_of,
    topics_of,
    unreadable_of,
    wanted_of,
)
from equilag.pipeline.sources.offsets_source import (
    SCHEMA,
    OffsetsReader,
    batches,
    rows_of_partition,
    rows_of_state,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = [pytest.mark.spark]

Row = dict[str, Any]


class Tables(NamedTuple):
    """The tables of a history, computed once."""

    offsets: list[Any]
    members: list[Any]
    unreadable: list[Any]


NOW: Final = 1_700_000_000_000
CONFIG: Final = kafka_config("kafka:9092")
TOPICS: Final = {
    name: dict.fromkeys(range(size), 1)
    for name, size in (("orders", 3), ("users", 2), ("empty", 0), ("odd", 1))
}
ENDS: Final = {
    ("orders", 0): (2, 9), ("orders", 1): (0, 8), ("users", 0): (0, 7), ("users", 1): (0, 6),
}  # fmt: skip
UNKNOWN: Final = {("orders", 2): "no leader", ("odd", 0): "not allowed"}


def commit(group: str, topic: str, partition: int, committed: int) -> Row:
    return {
        "kind": "commit", "group": group, "topic": topic, "partition": partition,
        "amount": committed,
    }  # fmt: skip


def member(group: str, name: str, topics: list[str], owned: dict[str, list[int]]) -> Row:
    return {
        "kind": "member", "group": group, "member": name, "subscription": topics, "owned": owned,
    }  # fmt: skip


def found(group: str, partition: int = 0) -> Row:
    return {"kind": "group", "group": group, "partition": partition}


def said(kind: str, amount: int, text: str | None = None) -> Row:
    return {"kind": kind, "amount": amount, "text": text}


def table(spark: SparkSession, rows: Iterable[Row]) -> DataFrame:
    names = spark.createDataFrame([], SCHEMA).columns
    return spark.createDataFrame([tuple(map(row.get, names)) for row in rows], SCHEMA)


def read(spark: SparkSession, rows: list[Row], refused: dict[str, str] | None = None) -> Tables:
    frame = table(spark, rows)
    wanted = wanted_of(spark, frame, TOPICS, ENDS, UNKNOWN)
    unreadable = unreadable_of(spark, frame, wanted, refused or {})
    made = history_of(spark, frame, wanted, unreadable, NOW, {})
    assert made.unreadable is not None
    return Tables(*(table.collect() for table in (made.offsets, made.members, made.unreadable)))


ROWS: Final = [
    member("both", "a", ["users"], {"users": [0], "orders": [1]}),
    member("both", "b", ["users", "none such", "empty"], {}),
    commit("both", "users", 0, 5),
    commit("both", "users", 9, 5),
    commit("both", "empty", 0, 5),
    commit("commits", "orders", 0, 4),
    commit("", "users", 1, 6),
    commit("orphan", "deleted", 0, 3),
    member("subscribed", "c", ["none such"], {}),
    member("no leader", "d", ["orders"], {"orders": [0, 1, 2]}),
    commit("not allowed", "odd", 0, 1),
    commit("not allowed", "users", 0, 1),
    member("refused", "e", ["users", "secret"], {}),
    commit("twice", "users", 0, 1),
    commit("twice", "users", 0, 2),
    {"kind": "unreadable", "group": "share", "text": "share group metadata (key 11)"},
    {"kind": "unreadable", "group": "share", "text": "share group member metadata (key 10)"},
    commit("share", "users", 0, 1),
    found("nothing"),
    found("twice", 3),
    *map(found, ("both", "commits", "", "orphan", "subscribed", "no leader", "not allowed")),
    *map(found, ("refused", "twice", "share")),
]  # fmt: skip


@pytest.fixture(scope="module")
def history(spark: SparkSession) -> Tables:
    return read(spark, ROWS, {"secret": "denied", "users2": "denied"})


def test_partitions_are_those_committed_owned_or_subscribed_to(history: Tables) -> None:
    shown = {
        (row["group"], row["topic"], row["partition"]): (
            row["log_start"], row["log_end"], row["committed"],
        )
        for row in history.offsets
    }  # fmt: skip
    assert shown == {
        ("both", "users", 0): (0, 7, 5),
        ("both", "users", 1): (0, 6, None),
        ("both", "orders", 1): (0, 8, None),
        ("commits", "orders", 0): (2, 9, 4),
        ("", "users", 1): (0, 6, 6),
    }
    assert {(row["ts_ms"], row["log_bytes"]) for row in history.offsets} == {(NOW, None)}


def test_every_group_is_somewhere_exactly_once(history: Tables) -> None:
    members = [(row["group"], row["member"]) for row in history.members]
    assert sorted(members, key=str) == sorted(
        [
            ("both", "a"), ("both", "b"), ("subscribed", "c"),
            *((name, None) for name in ("commits", "", "orphan", "nothing")),
        ],
        key=str,
    )  # fmt: skip
    lost = [row["group"] for row in history.unreadable]
    groups = {row["group"] for row in ROWS if row["kind"] == "group"}
    assert sorted({name for name, _ in members} | set(lost)) == sorted(groups)
    assert len(lost) == len(set(lost)) == len(groups) - len({name for name, _ in members})


def test_unreadable_groups_have_a_reason(history: Tables) -> None:
    assert sorted((row["group"], row["reason"]) for row in history.unreadable) == [
        ("no leader", "log end unknown for orders-2: no leader"),
        ("not allowed", "log end unknown for odd-0: not allowed"),
        ("refused", "topic secret: denied"),
        ("share", "share group member metadata (key 10)"),
        ("twice", "its records are spread over 2 partitions of __consumer_offsets"),
    ]


def test_topics_and_their_commits(spark: SparkSession) -> None:
    assert topics_of(spark, table(spark, ROWS)) == {
        "users": 7, "orders": 1, "empty": 1, "deleted": 1, "odd": 1, "none such": 0, "secret": 0,
    }  # fmt: skip


@pytest.mark.long
def test_nothing_at_all(spark: SparkSession) -> None:
    assert read(spark, []) == ([], [], [])
    assert facts_of(table(spark, []), CONFIG)["groups"] == 0


def test_facts(spark: SparkSession) -> None:
    rows = [
        *ROWS, said("read", 9), said("read", 3), said("log", 20), said("held back", 2),
        said("unknown", 2, "odd"), said("unknown", 1, "other"), said("unknown", 1, "odd"),
    ]  # fmt: skip
    assert facts_of(table(spark, rows), CONFIG) == {
        "read": 12, "in_log": 20, "held_back": 2, "groups": 12,
        "unknown": {"odd": 3, "other": 1},
    }  # fmt: skip


def test_a_topic_with_records_of_which_none_were_read(spark: SparkSession) -> None:
    facts = facts_of(table(spark, [said("read", 0), said("log", 5), said("log", 2)]), CONFIG)
    with pytest.raises(InputError) as caught:
        check_not_empty(CONFIG, facts["in_log"], facts["read"])
    assert str(caught.value) == (
        "kafka:9092: __consumer_offsets: 0 records were read, though its partitions hold 7 offsets"
    )


def test_one_partition_that_could_not_be_read_fails_all(spark: SparkSession) -> None:
    problem = "__consumer_offsets[3]: read only up to offset 5 of 9 in the time given"
    rows = [*ROWS, said("read", 9), {"kind": "failed", "text": f"kafka:9092: {problem}"}]
    with pytest.raises(InputError) as caught:
        facts_of(table(spark, rows), CONFIG)
    assert str(caught.value) == f"kafka:9092: {problem}"


# The data source itself, without Spark.

ORDERS: Final = UUID(int=1)
NEW: Final = UUID(int=2)


def records(*survivors: tuple[bytes, bytes]) -> PartitionRecords:
    return PartitionRecords(7, 10, 30, 4, 12, dict(survivors))


def of_id(topic: str, topic_id: UUID, offset: int) -> tuple[bytes, bytes]:
    return write.commit_key("g", topic, 0), write.commit(offset, 4, tags={0: topic_id.bytes})


def test_names_are_asked_for_again_only_where_one_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[object] = []
    known = NamedTopics(ids={ORDERS: "orders", NEW: "new"})

    @contextmanager
    def connected(config: object, _: float) -> Iterator[Any]:
        asked.append(config)
        yield SimpleNamespace(topics=lambda: known)

    log = records(of_id("orders", ORDERS, 5))
    monkeypatch.setattr(offsets_source, "read_partition", lambda *_: log)
    monkeypatch.setattr(offsets_source, "connected", connected)
    assert list(rows_of_partition(CONFIG, 7, {ORDERS: "orders"})) == [
        commit("g", "orders", 0, 5),
        found("g", 7),
        {"kind": "log", "amount": 20},
        {"kind": "read", "amount": 12},
        {"kind": "held back", "amount": 4},
    ]
    assert asked == []
    log = records(of_id("orders", ORDERS, 5), of_id("new", NEW, 6))
    assert list(rows_of_partition(CONFIG, 7, {ORDERS: "orders"}))[:3] == [
        commit("g", "orders", 0, 5),
        commit("g", "new", 0, 6),
        found("g", 7),
    ]
    assert asked == [CONFIG]


def test_a_group_of_which_only_commits_for_topics_that_are_gone_are_left() -> None:
    state = read_state([of_id("orders", UUID(int=9), 5)], {ORDERS: "orders"})
    rows = list(rows_of_state(state, 3, {}))
    assert rows == [
        found("g", 3),
        said("unknown", 1, "offset commit for a topic id that does not exist (any more)"),
    ]


def test_groups_of_every_kind_are_listed_once() -> None:
    state = GroupState([], [], {"left"}, {"odd": "why"}, {}, {"left", "alone"})
    kinds = [(row["kind"], row.get("group")) for row in rows_of_state(state, 0, {})]
    assert kinds == [
        ("group", "alone"), ("group", "left"), ("group", "odd"), ("unreadable", "odd"),
    ]  # fmt: skip


def test_a_reader_that_fails_says_so_in_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise InputError("no leader", "__consumer_offsets[1]", "kafka:9092")

    monkeypatch.setattr(offsets_source, "read_partition", fail)
    reader = OffsetsReader(CONFIG, [0, 1], {})
    assert [part.value for part in reader.partitions()] == [0, 1]
    (batch,) = reader.read(reader.partitions()[1])
    (row,) = batch.to_pylist()
    assert {name: value for name, value in row.items() if value is not None} == {
        "kind": "failed", "text": "kafka:9092: __consumer_offsets[1]: no leader",
    }  # fmt: skip


def test_a_reader_without_a_partition_reads_nothing() -> None:
    assert list(OffsetsReader(CONFIG, [], {}).read(SimpleNamespace(value=None))) == []  # type: ignore[arg-type]


def test_rows_come_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(offsets_source, "_BATCH_ROWS", 10)
    made = list(batches(commit("g", "t", 0, number) for number in range(25)))
    assert [batch.num_rows for batch in made] == [10, 10, 5]
    assert [row["amount"] for batch in made for row in batch.to_pylist()] == list(range(25))
    assert list(batches([])) == []
