"""Read a live cluster as a history of one sample.

Commits and memberships come from `__consumer_offsets`, log ends from the partitions' leaders.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from equilag.adapters.kafka.client_config import Config, kafka_config, servers
from equilag.domain.errors import InputError
from equilag.pipeline.sources.history import RACKS, History, ddl

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from equilag.adapters.kafka.described import TopicPartition
    from equilag.adapters.kafka.reading import TopicLeaders


Keep: TypeAlias = "Callable[[str, DataFrame], DataFrame]"
"""Stores a table under a name and returns the stored table, so that it is computed once."""


def read_cluster(
    spark: SparkSession, bootstrap: str, client: Mapping[str, str] | None, keep: Keep
) -> History:
    """Read the current state of every group of the cluster. Joins no group and commits nothing.

    `keep` must store what was read and not merely cache it, since a second read of the topic would
    return other records. Raises MissingExtra, and InputError if the cluster cannot be reached,
    cannot be read to its end or has no groups, or if nothing was read although there are records.
    """
    from equilag.adapters.kafka.cluster import connected
    from equilag.adapters.kafka.offsets_topic import REQUEST_S, check_not_empty, partitions
    from equilag.pipeline.sources.offsets_source import load_topic

    config = kafka_config(bootstrap, client)
    with connected(config, REQUEST_S) as cluster:
        numbers = partitions(cluster)
        if not numbers:
            problem = "has no consumer groups: the topic __consumer_offsets does not exist"
            raise InputError(problem, source=bootstrap)
        rows = keep("read", load_topic(spark, config, numbers, cluster.topics().ids))
        facts = facts_of(rows, config)
        check_not_empty(config, facts["in_log"], facts["read"])
        if not facts["groups"]:
            raise InputError("has no consumer groups", source=bootstrap)
        commits = topics_of(spark, rows)
        topics = cluster.topics(commits)  # by name, so that forbidden ones are told from missing
        # Log ends are read after commits; otherwise a commit could lie beyond an outdated end.
        now = int(time.time() * 1000)
        ends = cluster.ends(sorted(topics.leaders()), topics.found)
    refused = dict.fromkeys(sorted(topics.forbidden), "the right Describe is missing")
    wanted = keep("wanted", wanted_of(spark, rows, topics.found, *ends))
    unreadable = keep("unreadable", unreadable_of(spark, rows, wanted, refused))
    notes = {
        "records_read": facts["read"],
        "held_back_by_transactions": facts["held_back"],
        "not_understood": facts["unknown"],
        "commits_of_deleted_topics": sum(commits[name] for name in topics.missing),
        "topics_refused": refused,
    }
    history = history_of(spark, rows, wanted, unreadable, now, notes)
    racks = [
        (None, topic, number, list(names))
        for topic, partitions in topics.racks.items()
        for number, names in partitions.items()
        if names
    ]
    if not racks:
        return history
    return history._replace(racks=spark.createDataFrame(racks, ddl(RACKS)))


def facts_of(rows: DataFrame, config: Config) -> dict[str, Any]:
    """Add up the counts that the readers report. Raises InputError if a reader failed."""
    found: dict[str, Any] = {"read": 0, "in_log": 0, "held_back": 0, "groups": 0, "unknown": {}}
    names = {"read": "read", "log": "in_log", "held back": "held_back", "group": "groups"}
    totals = (
        rows.where("kind NOT IN ('commit', 'member', 'unreadable')")
        .groupBy("kind", "text")
        .agg({"amount": "sum", "*": "count"})
        .select("kind", "text", "sum(amount)", "count(1)")
        .collect()
    )
    for kind, text, amount, count in sorted(totals, key=str):
        if kind == "failed":
            raise InputError(text.removeprefix(f"{servers(config)}: "), source=servers(config))
        if kind == "unknown":
            found["unknown"][text] = amount
        else:
            found[names[kind]] = count if kind == "group" else amount
    return found


def topics_of(spark: SparkSession, rows: DataFrame) -> dict[str, int]:
    """Topic -> number of commits, for all topics that a group commits, owns or subscribes to."""
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
    spark: SparkSession,
    rows: DataFrame,
    topics: TopicLeaders,
    ends: Mapping[TopicPartition, tuple[int, int]],
    unknown: Mapping[TopicPartition, str],
) -> DataFrame:
    """Return group, topic, partition, committed, log_start, log_end and why.

    A row per existing partition that a group has committed, owns or subscribes to. `why` is null,
    or the reason why the log ends are unknown.
    """
    sizes = [(topic, len(partitions)) for topic, partitions in topics.items() if partitions]
    logs = [
        *((topic, number, *bounds, None) for (topic, number), bounds in ends.items()),
        *((topic, number, None, None, why) for (topic, number), why in unknown.items()),
    ]
    kinds = "topic string, partition int, log_start bigint, log_end bigint, why string"
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
        topics=spark.createDataFrame(sizes, "topic string, partitions int"),
        logs=spark.createDataFrame(logs, kinds),
    )


def unreadable_of(
    spark: SparkSession, rows: DataFrame, wanted: DataFrame, refused: Mapping[str, str]
) -> DataFrame:
    """Return group and reason of all groups that could not be decoded or read completely.

    Such a group gets no plan, since a plan must cover all its partitions.
    """
    return spark.sql(
        """
        SELECT `group`, min(reason) AS reason FROM (
          SELECT `group`, text AS reason FROM {rows} WHERE kind = 'unreadable'
          UNION ALL
          SELECT `group`, concat('log end unknown for ', topic, '-', partition, ': ', why)
          FROM {wanted} WHERE why IS NOT NULL
          UNION ALL
          SELECT t.`group`, concat('topic ', t.topic, ': ', r.why) FROM (
            SELECT `group`, topic FROM {rows} WHERE kind = 'commit'
            UNION ALL
            SELECT `group`, explode(array_union(subscription, map_keys(owned)))
            FROM {rows} WHERE kind = 'member') t
          JOIN {refused} r ON t.topic = r.topic
          UNION ALL
          SELECT `group`, concat('its records are spread over ', count(*),
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
    """Return one sample, taken at `now`, of the groups that can be read.

    `members` has rows for the members of a group, or one row without a member if it is empty.
    """
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
          cast(NULL AS double) AS capacity, m.instance_id, m.generation,
          m.client_id, m.host,
          cast(NULL AS bigint) AS max_partitions, cast(NULL AS string) AS instance
        FROM (SELECT DISTINCT `group` FROM {{rows}} WHERE kind = 'group') g
        LEFT JOIN (SELECT * FROM {{rows}} WHERE kind = 'member') m ON g.`group` = m.`group`
        LEFT ANTI JOIN {{unreadable}} u ON g.`group` = u.`group`
        """,
        rows=rows,
        unreadable=unreadable,
    )
    return History(offsets, members, unreadable, notes)
