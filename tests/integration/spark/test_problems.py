"""One row per group on Spark: its state and the reason, its topics, holes and members."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest
from support.made_offsets import AT, Row, read_tables

from equilag.domain.group.group import NOBODY, Group, Member
from equilag.pipeline.sources.history import TABLES, ddl
from equilag.pipeline.sources.problems import QUALITY, problems_of, with_racks
from equilag.pipeline.sources.signals import Span, rounds_of, signals_of, times_of
from equilag.pipeline.sources.snapshot_rows import group_input

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark]

MINUTE: Final = 60_000
SPAN: Final = Span(AT, window=30 * MINUTE, horizon=MINUTE)


def sampled(
    group: str, topic: str, partition: int, rounds: int = 5, last: int = AT, every: int = MINUTE
) -> list[Row]:
    """Samples of a partition: 100 records in and 90 out in each interval; 1000 bytes each."""
    return [
        {
            "ts_ms": last - every * back, "group": group, "topic": topic, "partition": partition,
            "log_start": 10, "log_end": 10_010 - 100 * back, "committed": 9_000 - 90 * back,
            "log_bytes": 1_000 * (10_000 - 100 * back),
        }
        for back in reversed(range(rounds))
    ]  # fmt: skip


def member(
    group: str,
    name: str | None,
    owned: dict[str, list[int]] | None = None,
    last: int | None = AT,
    subscription: tuple[str, ...] | None = None,
    **more: Any,
) -> Row:
    """A membership; of the topics that it owns, unless told."""
    reads = list(owned or {}) if subscription is None else list(subscription)
    return {
        "ts_ms": last, "group": group, "member": name, "subscription": reads,
        "owned": list((owned or {}).items()), **more,
    }  # fmt: skip


def one(group: str, **how: int) -> tuple[list[Row], list[Row]]:
    """A group of one partition and one member."""
    return sampled(group, "a", 0, **how), [member(group, "m", {"a": [0]})]


def history() -> tuple[list[Row], list[Row]]:
    """Rows of offsets and of members, a group for each case."""
    cases = [
        one("just fresh", last=AT - 10 * MINUTE),
        one("stale", last=AT - 10 * MINUTE - 1),
        one("slow and fresh", last=AT - 18 * MINUTE, every=6 * MINUTE),
        one("slow and stale", last=AT - 18 * MINUTE - 1, every=6 * MINUTE),
        one("one sample", rounds=1),
        (sampled("to come", "a", 0, rounds=1, last=AT + 1), [member("to come", "m", {"a": [0]})]),
        (
            [{**row, "log_end": -1} for row in sampled("broken", "a", 0, rounds=2)],
            [member("broken", "m", {"a": [0]})],
        ),
        ([], [member("no offsets", "m", {"a": [0]})]),
        (sampled("no members", "a", 0), []),
        (sampled("empty", "a", 0), [member("empty", None)]),
        (
            sampled("left", "a", 0),
            [member("left", "m", {"a": [0]}, last=AT - 1), member("left", None)],
        ),
        (sampled("to join", "a", 0), [member("to join", "m", {"a": [0]}, last=AT + 1)]),
        (sampled("old members", "a", 0), [member("old members", "m", last=AT - 10 * MINUTE)]),
        (
            sampled("stale members", "a", 0),
            [member("stale members", "m", last=AT - 10 * MINUTE - 1)],
        ),
        (
            [row for n in (0, 2, 3) for row in sampled("hole", "a", n)]
            + sampled("hole", "a", 1, rounds=2, last=AT - 3 * MINUTE)
            + [row for n in (1, 4) for row in sampled("hole", "b", n)],
            [member("hole", "m", {"a": [0, 1, 2, 3], "b": [0, 1, 2, 3, 4]})],
        ),
        (
            [row for n in (0, 1, 2, 3) for row in sampled("shrunk", "a", n)]
            + [row for n in (4, 5) for row in sampled("shrunk", "a", n, 2, AT - 2 * MINUTE)]
            + sampled("shrunk", "deleted", 0, 2, AT - 3 * MINUTE),
            [
                member("shrunk", "m", {"a": [0, 2, 4], "deleted": [0]}),
                member("shrunk", "n", {"a": [1, 3, 5]}, subscription=("a", "deleted", "never")),
            ],
        ),
        (
            [row for n in range(4) for row in sampled("copies", "a", n)],
            [
                member("copies", "newer", {"a": [0, 1, 2]}, generation=4),
                member("copies", "newer", {"a": [3]}, generation=5),
                member("copies", "newer", {"a": [0, 1, 2]}),
                member("copies", "more", {"a": [0, 1, 2]}, generation=5),
                member("copies", "more", {"a": [9]}, generation=5),
                member("copies", "more", {"a": [3, 2]}, generation=5),
                member("copies", "same", generation=5, subscription=("a",), rack="r"),
                member("copies", "same", generation=5, subscription=("a",), rack="r"),
                member("copies", "gone", {"a": [0]}, last=AT - MINUTE, generation=9),
            ],
        ),
        (
            sampled("all fields", "a", 0),
            [
                member(
                    "all fields", "m", {"a": [0]}, rack="r1", capacity=2.0, instance_id="i",
                    generation=7, client_id="c", host="/h", max_partitions=3, instance="p",
                ),
                {"ts_ms": AT, "group": "all fields", "member": "bare"},
            ],
        ),
        ([], [member("odd", "m", last=None), member("odd", "n", last=-1)]),
        (
            [{**row, "group": None} for row in sampled("nameless", "a", 0, rounds=3)],
            [{**member("nameless", "m"), "group": None}],
        ),
    ]  # fmt: skip
    return [row for case in cases for row in case[0]], [row for case in cases for row in case[1]]


Problems = dict[str | None, Row]
Found = tuple[Problems, Problems]
RACKS: Final = [
    (None, "a", 0, ["old"]),
    (AT - 1, "a", 0, ["r1", "r2"]),
    (AT + 1, "a", 0, ["new"]),
    (None, "a", 1, []),
    (AT, "a", 1, ["r3"]),
    (None, "a", 3, None),
    (None, "b", 4, ["r1"]),
    (AT, "elsewhere", 0, ["r1"]),
]
"""Rows of the table `racks`."""


@pytest.fixture(scope="module")
def found(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Found:
    """The rows of all groups: weighed by lag; and by bytes and with racks, what is older than 1 ms
    being stale."""
    folder = tmp_path_factory.mktemp("problems")
    offset_rows, member_rows = history()
    tables = {"offsets": offset_rows, "members": member_rows}
    offsets, members = read_tables(spark, folder, tables)
    rounds = rounds_of(spark, times_of(spark, offsets), AT).persist()
    signals = signals_of(spark, offsets, rounds, SPAN).persist()
    racks = spark.createDataFrame(RACKS, ddl(TABLES["racks"]))
    by_lag = problems_of(spark, signals, rounds, members, SPAN)
    racked = with_racks(spark, signals, racks, AT)
    by_bytes = problems_of(spark, racked, rounds, members, SPAN, "bytes", 1)
    results = []
    for table in (by_lag, by_bytes):
        rows = [row.asDict(recursive=True) for row in table.collect()]
        results.append({row["group"]: row for row in rows})
        assert len(results[-1]) == len(rows)
        assert set(QUALITY) <= set(table.columns)
    signals.unpersist()
    rounds.unpersist()
    return results[0], results[1]


@pytest.fixture(scope="module")
def problems(found: Found) -> Problems:
    return found[0]


READY: Final = (
    "just fresh", "slow and fresh", "one sample", "old members", "hole", "shrunk", "copies",
    "all fields",
)  # fmt: skip
STATES: Final[dict[str | None, tuple[str, str | None]]] = {
    **dict.fromkeys(READY, ("ready", None)),
    "stale": ("stale", "last sampled 600 s before the time of the run"),
    "slow and stale": ("stale", "last sampled 1080 s before the time of the run"),
    **dict.fromkeys(("to come", "no offsets", "odd"), ("no_offsets", "no offsets up to this time")),
    "broken": ("no_offsets", "none of its 2 rows of offsets is usable"),
    None: ("no_offsets", "none of its 3 rows of offsets is usable"),
    **dict.fromkeys(("no members", "to join"), ("no_members", "no membership up to this time")),
    **dict.fromkeys(("empty", "left"), ("no_members", "the group was empty")),
    "stale members": (
        "stale_members", "its membership was last recorded 600 s before that of other groups",
    ),
}  # fmt: skip


def test_every_group_has_its_state_and_reason(problems: Problems) -> None:
    found = {group: (row["state"], row["reason"]) for group, row in problems.items()}
    assert found == STATES


def test_a_limit_of_ones_own_for_what_is_stale(found: Found) -> None:
    states = {group: row["state"] for group, row in found[1].items()}
    expected = {group: state for group, (state, _) in STATES.items()}
    expected |= {"just fresh": "stale", "slow and fresh": "stale", "old members": "stale_members"}
    assert states == expected


def test_holes_are_filled_and_what_vanished_is_left_out(problems: Problems) -> None:
    assert shape(problems["hole"]) == {"a": [0, 1, 2, 3], "b": [1, 4]}
    assert figures(problems["hole"]) == {
        "partitions": 9, "partitions_seen": 6, "filled": 3, "vanished": 1,
    }  # fmt: skip
    # Partition 1 of topic a as it was seen last.
    assert problems["hole"]["topics"][0]["log_end"] == [10_010, 10_010, 10_010, 10_010]
    assert shape(problems["shrunk"]) == {"a": [0, 1, 2, 3]}
    assert figures(problems["shrunk"]) == {
        "partitions": 4, "partitions_seen": 7, "filled": 0, "vanished": 3,
    }  # fmt: skip


def shape(row: Row) -> dict[str, list[int]]:
    return {entry["topic"]: entry["partitions"] for entry in row["topics"]}


def figures(row: Row) -> dict[str, int]:
    return {name: row[name] for name in ("partitions", "partitions_seen", "filled", "vanished")}


def test_topics_that_are_not_there_are_counted(problems: Problems) -> None:
    # Deleted or never there, and read by one member or by two.
    assert problems["shrunk"]["unknown_topics"] == 2
    assert problems["hole"]["unknown_topics"] == 0
    assert problems["no offsets"]["unknown_topics"] == 1


def test_of_a_members_copies_the_newest_and_fullest_is_kept(problems: Problems) -> None:
    row = problems["copies"]
    owned = {m["member"]: [(o["key"], o["value"]) for o in m["owned"]] for m in row["members"]}
    assert owned == {"more": [("a", [0, 1, 2])], "newer": [("a", [3])], "same": []}
    assert [m["member"] for m in row["members"]] == ["more", "newer", "same"]
    assert row["duplicate_members"] == 5
    assert row["n_members"] == 3
    assert row["members_ms"] == AT


def test_rows_of_members_that_make_no_sense_are_counted(problems: Problems) -> None:
    assert problems["odd"]["invalid_members"] == 2
    assert problems[None]["invalid_members"] == 1
    assert sum(row["invalid_members"] for row in problems.values()) == 3


def test_topics_hold_the_newest_sample_and_the_weight(found: Found) -> None:
    newest = {"topic": "a", "partitions": [0], "log_start": [10], "log_end": [10_010],
              "rates": [pytest.approx(100 / 60)]}  # fmt: skip
    (by_lag,) = found[0]["just fresh"]["topics"]
    assert by_lag == {**newest, "committed": [9_000], "weights": [1_010]}
    (by_bytes,) = found[1]["just fresh"]["topics"]
    racked = {"racks": [["r1", "r2"]], "weights": [1_010_000]}
    assert by_bytes == {**newest, "committed": [9_000], **racked}


def test_what_is_ready_makes_a_group(found: Found) -> None:
    """Holes, deleted topics and all."""
    for weight, problems in zip(("lag", "bytes"), found, strict=True):
        for name in READY:
            if problems[name]["state"] == "ready":
                Group.build(**group_input(problems[name], weight))
    group = Group.build(**group_input(found[0]["shrunk"]))
    assert group.topics == ("a",)
    assert owners(group) == ["m", "n", "m", "n"]
    assert group.lag.tolist() == [1_010] * 4
    group = Group.build(**group_input(found[0]["hole"]))
    assert group.lag.tolist() == [1_010] * 4 + [0, 1_010, 0, 0, 1_010]
    group = Group.build(**group_input(found[0]["all fields"]))
    assert owners(group) == ["m"]
    bare, full = group.members
    assert bare == Member("bare")
    assert full == Member("m", "i", "r1", 7, 2.0, "c", "/h", 3, "p")


def test_the_newest_racks_of_each_partition(found: Found) -> None:
    plain, racked = found
    group = Group.build(**group_input(racked["hole"]))
    assert group.racks == (("r1", "r2"), ("r3",), *[()] * 6, ("r1",))
    assert Group.build(**group_input(plain["hole"])).racks is None
    for name, row in racked.items():
        weighed = zip(row["topics"], plain[name]["topics"], strict=True)
        for entry, other in weighed:
            kept = {name: value for name, value in entry.items() if name != "racks"}
            assert {**kept, "weights": other["weights"]} == other


def owners(group: Group) -> list[str | None]:
    return [None if who == NOBODY else group.members[who].id for who in group.owner.tolist()]
