"""A live cluster as a history of one sample: commits and memberships from `__consumer_offsets`,
the ends of the logs from the admin client."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from equilag.adapters.kafka.client_config import Config, kafka_config, servers
from equilag.errors import InputError
from equilag.pipeline.history import History

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from equilag.adapters.kafka.log_ends import LogEnds

Keep: TypeAlias = "Callable[[str, DataFrame], DataFrame]"
"""Computes a table once, and gives it back as it then lies somewhere, under a name."""


def read_cluster(
    spark: SparkSession, bootstrap: str, client: Mapping[str, str] | None, keep: Keep
) -> History:
    """Every group of the cluster as it stands. No group is joined, nothing is committed.

    What is read goes through `keep`, which has to be more than a cache: a topic that is read again
    says something else by then. Raises InputError if the cluster cannot be reached or not be read
    to its end, has no groups, and where nothing was read although there are records; MissingExtra.
    """
    from equilag.adapters.kafka.log_ends import read_log_ends, read_topics
    from equilag.adapters.kafka.offsets_topic import check_not_empty, partitions
    from equilag.pipeline.offsets_source import load_topic

    config = kafka_config(bootstrap, client)
    numbers = partitions(config)
    if not numbers:
        raise InputError("has no consumer groups: there is no __consumer_offsets", source=bootstrap)
    rows = keep("read", load_topic(spark, config, numbers, read_topics(config).names))
    facts = facts_of(rows, config)
    check_not_empty(config, facts["in_log"], facts["read"])
    if not facts["groups"]:
        raise InputError("has no consumer groups", source=bootstrap)
    topics = read_topics(config)  # after the commits, as topics may be new
    commits = topics_of(spark, rows)
    # Ends after commits, so that no commit is ahead only because its end is old.
    now = int(time.time() * 1000)
    ends = read_log_ends(
        config,
        [(name, n) for name in sorted(commits) for n in range(topics.partitions.get(name, 0))],
    )
    wanted = keep("wanted", wanted_of(spark, rows, topics.partitions, ends))
    unreadable = keep("unreadable", unreadable_of(spark, rows, wanted, topics.refused))
    notes = {
        "records_read": facts["read"],
        "held_back_by_transactions": facts["held_back"],
        "not_understood": facts["unknown"],
        "commits_of_deleted_topics": sum(
            n for name, n in commits.items() if name not in topics.partitions
        ),
        "topics_refused": topics.refused,
    }
    return history_of(spark, rows, wanted, unreadable, now, notes)


def facts_of(rows: DataFrame, config: Config) -> dict[str, Any]:
    """What the readers say of their reading. Raises InputError if one of them failed."""
    found: dict[str, Any] = {"read": 0, "in_log": 0, "held_back": 0, "groups": 0, "unknown": {}}
    names = {"read": "read", "log": "in_log", "held back": "held_back", "group": "groups"}
    said = (
        rows.where("kind NOT IN ('commit', 'member', 'unreadable')")
        .groupBy("kind", "text")
        .agg({"amount": "sum", "*": "count"})
        .select("kind", "text", "sum(amount)", "count(1)")
        .collect()
    )
    for kind, text, amount, count in sorted(said, key=str):
        if kind == "failed":
            raise InputError(text.removeprefix(f"{servers(config)}: "), source=servers(config))
        if kind == "unknown":
            found["unknown"][text] = amount
        else:
            found[names[kind]] = count if kind == "group" else amount
    return found


def topics_of(spark: SparkSession, rows: DataFrame) -> dict[str, int]:
    """Every topic that some group is about, with the number of commits for it."""
    found = spark.sql(
        """
        SELECT topic, count(committed) FROM (
          SELECT topic, amount AS committed FROM {rows} WHERE kind = 'commit'
          UNION ALL
          SELECT explode(array_union(subscription, map_keys(owned))), NULL
          FROM {rows} WHERE kind = 'member'
        ) GROUP BY topic
        """,
        rows=rows,
    )
    return {topic: n for topic, n in found.collect()}  # noqa: C416 - rows are no pairs to mypy


def wanted_of(
    spark: SparkSession, rows: DataFrame, sizes: Mapping[str, int], ends: LogEnds
) -> DataFrame:
    """Group, topic, partition, committed, log_start, log_end: what a group has committed or owns,
    and all partitions of what it subscribes to, as far as they exist.

    `why` is null, or the reason for which the ends of the log are not known.
    """
    return spark.sql(
        """
        WITH touched AS (
          SELECT `group`, topic, partition, amount AS committed FROM {rows} WHERE kind = 'commit'
          UNION ALL
          SELECT `group`, topic, explode(partitions), NULL FROM (
            SELECT `group`, explode(owned) AS (topic, partitions)
            FROM {rows} WHERE kind = 'member')
          UNION ALL
          SELECT s.`group`, s.topic, explode(sequence(0, t.partitions - 1)), NULL FROM (
            SELECT DISTINCT `group`, explode(subscription) AS topic
            FROM {rows} WHERE kind = 'member') s
          JOIN {topics} t ON s.topic = t.topic
        ), every AS (
          SELECT `group`, topic, partition, max(committed) AS committed
          FROM touched GROUP BY `group`, topic, partition
        )
        SELECT e.*, l.log_start, l.log_end, l.why
        FROM every e JOIN {logs} l ON e.topic = l.topic AND e.partition = l.partition
        """,
        rows=rows,
        topics=_topics(spark, sizes),
        logs=_logs(spark, ends),
    )


def unreadable_of(
    spark: SparkSession, rows: DataFrame, wanted: DataFrame, refused: Mapping[str, str]
) -> DataFrame:
    """Group and reason: groups that were not understood, or not whole.

    A plan that leaves a partition out, as nobody could tell of it, would be no plan of the group.
    """
    return spark.sql(
        """
        SELECT `group`, min(reason) AS reason FROM (
          SELECT `group`, text AS reason FROM {rows} WHERE kind = 'unreadable'
          UNION ALL
          SELECT `group`, concat('no log end of ', topic, '-', partition, ': ', why)
          FROM {wanted} WHERE why IS NOT NULL
          UNION ALL
          SELECT t.`group`, concat('topic ', t.topic, ': ', r.why) FROM (
            SELECT `group`, topic FROM {rows} WHERE kind = 'commit'
            UNION ALL
            SELECT `group`, explode(array_union(subscription, map_keys(owned)))
            FROM {rows} WHERE kind = 'member') t
          JOIN {refused} r ON t.topic = r.topic
          UNION ALL
          SELECT `group`, concat('its records lie in ', count(*),
            ' partitions of __consumer_offsets') FROM {rows} WHERE kind = 'group'
          GROUP BY `group` HAVING count(*) > 1
        ) GROUP BY `group`
        """,
        rows=rows,
        wanted=wanted,
        refused=spark.createDataFrame(list(refused.items()), "topic string, why string"),
    )


def history_of(
    spark: SparkSession,
    rows: DataFrame,
    wanted: DataFrame,
    unreadable: DataFrame,
    now: int,
    notes: Mapping[str, Any],
) -> History:
    """One sample, taken at `now`, of the groups that can be read: each of them has members, or a
    row that says that it has none."""
    offsets = spark.sql(
        f"""
        SELECT cast({now} AS bigint) AS ts_ms, `group`, topic, cast(partition AS bigint)
          AS partition, log_start, log_end, committed, cast(NULL AS bigint) AS log_bytes
        FROM {{wanted}} w LEFT ANTI JOIN {{unreadable}} u ON w.`group` = u.`group`
        """,
        wanted=wanted,
        unreadable=unreadable,
    )
    members = spark.sql(
        f"""
        SELECT cast({now} AS bigint) AS ts_ms, g.`group`, m.member, m.subscription, m.owned, m.rack,
          cast(NULL AS double) AS capacity, m.instance_id, m.generation
        FROM (SELECT DISTINCT `group` FROM {{rows}} WHERE kind = 'group') g
        LEFT JOIN (SELECT * FROM {{rows}} WHERE kind = 'member') m ON g.`group` = m.`group`
        LEFT ANTI JOIN {{unreadable}} u ON g.`group` = u.`group`
        """,
        rows=rows,
        unreadable=unreadable,
    )
    return History(offsets, members, unreadable, notes)


def _topics(spark: SparkSession, sizes: Mapping[str, int]) -> DataFrame:
    every = [(topic, n) for topic, n in sizes.items() if n > 0]
    return spark.createDataFrame(every, "topic string, partitions int")


def _logs(spark: SparkSession, ends: LogEnds) -> DataFrame:
    known = [(topic, n, ends.start[topic, n], end, None) for (topic, n), end in ends.end.items()]
    lost = [(topic, n, None, None, why) for (topic, n), why in ends.unknown.items()]
    return spark.createDataFrame(
        [*known, *lost],
        "topic string, partition int, log_start bigint, log_end bigint, why string",
    )
