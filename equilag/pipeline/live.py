"""A live cluster as a history of one sample: commits and memberships from `__consumer_offsets`,
the ends of the logs from the admin client."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from equilag.adapters.kafka.client_config import Config, kafka_config, servers
from equilag.errors import InputError
from equilag.pipeline.history import History

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def read_cluster(
    spark: SparkSession, bootstrap: str, client: Mapping[str, str] | None = None
) -> History:
    """Every group of the cluster as it stands. No group is joined, nothing is committed.

    Raises InputError if the cluster cannot be reached or not be read to its end, and where nothing
    was read although there are records; MissingExtra.
    """
    from equilag.adapters.kafka.log_ends import read_log_ends, read_topics
    from equilag.adapters.kafka.offsets_topic import check_not_empty, partitions
    from equilag.pipeline.offsets_source import OffsetsTopic

    config = kafka_config(bootstrap, client)
    numbers = partitions(config)
    if not numbers:
        raise InputError("has no consumer groups: there is no __consumer_offsets", source=bootstrap)
    spark.dataSource.register(OffsetsTopic)
    rows = (
        spark.read.format(OffsetsTopic.name())
        .option("config", json.dumps(config))
        .option("numbers", json.dumps(numbers))
        .load()
        .persist()
    )
    facts = _facts(rows, config)
    check_not_empty(config, facts["in_log"], facts["read"])
    topics = read_topics(config)
    wanted = _wanted(spark, rows, topics.partitions)
    now = int(time.time() * 1000)
    asked = wanted.select("topic", "partition").distinct().collect()
    ends = read_log_ends(config, [(row["topic"], row["partition"]) for row in asked])
    logs = spark.createDataFrame(
        [(topic, n, ends.start[topic, n], ends.end[topic, n]) for topic, n in ends.end],
        "topic string, partition int, log_start bigint, log_end bigint",
    )
    lost = spark.createDataFrame(
        [(topic, n, why) for (topic, n), why in ends.unknown.items()],
        "topic string, partition int, why string",
    )
    unreadable = _unreadable(spark, rows, wanted, lost).persist()
    offsets = spark.sql(
        f"""
        SELECT cast({now} AS bigint) AS ts_ms, w.`group`, w.topic,
          cast(w.partition AS bigint) AS partition, l.log_start, l.log_end, w.committed,
          cast(NULL AS bigint) AS log_bytes
        FROM {{wanted}} w JOIN {{logs}} l ON w.topic = l.topic AND w.partition = l.partition
        LEFT ANTI JOIN {{unreadable}} u ON w.`group` = u.`group`
        """,
        wanted=wanted,
        logs=logs,
        unreadable=unreadable,
    )
    members = spark.sql(
        f"""
        SELECT cast({now} AS bigint) AS ts_ms, g.`group`, m.member, m.subscription, m.owned, m.rack,
          cast(NULL AS double) AS capacity, m.instance_id, m.generation
        FROM (SELECT DISTINCT `group` FROM {{rows}} WHERE kind IN ('group', 'member', 'commit')) g
        LEFT JOIN (SELECT * FROM {{rows}} WHERE kind = 'member') m ON g.`group` = m.`group`
        LEFT ANTI JOIN {{unreadable}} u ON g.`group` = u.`group`
        """,
        rows=rows,
        unreadable=unreadable,
    )
    notes = {
        "records_read": facts["read"],
        "held_back_by_transactions": facts["held_back"],
        "not_understood": facts["unknown"],
        "commits_of_deleted_topics": _orphans(rows, topics.partitions),
        "topics_refused": topics.refused,
    }
    return History(
        offsets,
        members,
        unreadable,
        notes,
    )


def _facts(rows: DataFrame, config: Config) -> dict[str, Any]:
    """What the readers say of their reading. Raises InputError for the first that failed."""
    found: dict[str, Any] = {"read": 0, "in_log": 0, "held_back": 0, "unknown": {}}
    names = {"read": "read", "log": "in_log", "held back": "held_back"}
    said = (
        rows.where("kind IN ('read', 'log', 'held back', 'unknown', 'failed')")
        .groupBy("kind", "text")
        .sum("amount")
        .collect()
    )
    for kind, text, amount in said:
        if kind == "failed":
            raise InputError(text.removeprefix(f"{servers(config)}: "), source=servers(config))
        if kind == "unknown":
            found["unknown"][text] = amount
        else:
            found[names[kind]] = amount
    return found


def _wanted(spark: SparkSession, rows: DataFrame, sizes: Mapping[str, int]) -> DataFrame:
    """Group, topic, partition, committed: every partition of each topic that a group has committed
    offsets of or subscribes to."""
    topics = spark.createDataFrame(list(sizes.items()), "topic string, partitions int")
    return spark.sql(
        """
        WITH touched AS (
          SELECT `group`, topic FROM {rows} WHERE kind = 'commit'
          UNION
          SELECT `group`, explode(subscription) FROM {rows} WHERE kind = 'member'
        ), every AS (
          SELECT t.`group`, t.topic, explode(sequence(0, s.partitions - 1)) AS partition
          FROM touched t JOIN {topics} s ON t.topic = s.topic WHERE s.partitions > 0
        )
        SELECT e.*, c.amount AS committed
        FROM every e LEFT JOIN (SELECT * FROM {rows} WHERE kind = 'commit') c
          ON e.`group` = c.`group` AND e.topic = c.topic AND e.partition = c.partition
        """,
        rows=rows,
        topics=topics,
    )


def _unreadable(
    spark: SparkSession, rows: DataFrame, wanted: DataFrame, lost: DataFrame
) -> DataFrame:
    """Group and reason: groups not understood, or with a partition that nobody can say more of."""
    return spark.sql(
        """
        SELECT `group`, min(reason) AS reason FROM (
          SELECT `group`, text AS reason FROM {rows} WHERE kind = 'unreadable'
          UNION ALL
          SELECT w.`group`, concat('no log end of ', w.topic, '-', w.partition, ': ', l.why)
          FROM {wanted} w JOIN {lost} l ON w.topic = l.topic AND w.partition = l.partition
        ) GROUP BY `group`
        """,
        rows=rows,
        wanted=wanted,
        lost=lost,
    )


def _orphans(rows: DataFrame, sizes: Mapping[str, int]) -> int:
    """Commits of topics that the cluster does not show (any more)."""
    topics = rows.where("kind = 'commit'").groupBy("topic").count().collect()
    return sum(n for topic, n in topics if topic not in sizes)
