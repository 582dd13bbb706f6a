"""Capacities of members out of a history: what each read while it had a backlog all along.

The definition is that of `adapters.measuring`, with the samples of a group's rounds. A history says
who holds a partition only at the rounds of memberships: a member holds what it had in two rounds
one after the other also in between, and what it had in the newest one ever since. Where its
partitions change, a new *spell* begins: proofs of a backlog and windows end there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from equilag.adapters.measuring.offset_samples import CLOSE_S
from equilag.adapters.measuring.speeds import MIN_WINDOW_S, RECENT, SHORTEST_S, WINDOW_S
from equilag.pipeline.sources.signals import USABLE, Span

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_ORDER: Final = "PARTITION BY place, `group`, topic, partition, member, since ORDER BY ts_ms"
MEASURED: Final = ("measured", "measured_error", "reads")
"""What `with_capacities` adds to members."""

_CLAIMED: Final = "PARTITION BY place, `group`, topic, partition ORDER BY since, until, member"
_BY_MEMBER: Final = "PARTITION BY `group`, member, since ORDER BY ts_ms"


def holders_of(spark: SparkSession, members: DataFrame, span: Span) -> DataFrame:
    """Return who held which partition: `since` and `until` are times of rounds of memberships.

    Only members of the newest round count, and of partitions that one member claims. `until` is
    the time of the run for what is held in the newest round.
    """
    return spark.sql(
        f"""
        WITH claims AS ({_CLAIMS}
        ), runs AS ({_RUNS}
        ), held AS (
          SELECT `group`, member, since, until, xxhash64(`group`, topic, partition) AS place,
            topic, partition
          FROM (SELECT `group`, member, since, until, explode(owned) AS (topic, numbers) FROM runs)
          LATERAL VIEW explode(array_distinct(numbers)) AS partition
          WHERE partition >= 0
        )
        SELECT * EXCEPT (before, after) FROM (
          SELECT *, lead(since) OVER ({_CLAIMED}) AS after,
            max(until) OVER ({_CLAIMED} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
          FROM held
        ) WHERE coalesce(before < since, true) AND coalesce(until < after, true)
        """,
        args={"at": span.at, "window": span.window},
        members=members,
    )


_CLAIMS: Final = """
          SELECT *, dense_rank() OVER (PARTITION BY `group` ORDER BY ts_ms) AS nth
          FROM (
            SELECT *, max(ts_ms) OVER (PARTITION BY `group`) AS newest,
              coalesce(max(CASE WHEN ts_ms <= :at - :window THEN ts_ms END) OVER (
                PARTITION BY `group`), 0) AS begin
            FROM (
            SELECT `group`, member, ts_ms, max_by(owned, struct(coalesce(generation, -1),
              coalesce(size(flatten(map_values(owned))), 0))) AS owned
            FROM {members}
            WHERE `group` IS NOT NULL AND ts_ms BETWEEN 0 AND :at
            GROUP BY `group`, member, ts_ms))
          WHERE ts_ms >= begin"""
"""A row per member and round of memberships, from the last round before the window on."""

_RUNS: Final = """
          SELECT `group`, member, any_value(owned) AS owned, min(ts_ms) AS since,
            CASE WHEN max(ts_ms) = any_value(newest) THEN :at ELSE max(ts_ms) END AS until
          FROM (
            SELECT *, nth - row_number() OVER (
                PARTITION BY `group`, member, same ORDER BY ts_ms) AS run,
              max(ts_ms) OVER (PARTITION BY `group`, member) = newest AS stays
            FROM (SELECT *, to_json(sort_array(map_entries(owned))) AS same FROM claims)
          ) WHERE member IS NOT NULL AND owned IS NOT NULL AND stays
          GROUP BY `group`, member, same, run"""
"""Rounds one after the other in which a member had the same partitions."""


def capacities_of(
    spark: SparkSession,
    offsets: DataFrame,
    times: DataFrame,
    holders: DataFrame,
    signals: DataFrame,
    span: Span,
) -> DataFrame:
    """Return a row per member of the newest round that holds a partition.

    `capacity` and its `error` are in records per second, and null where the capacity is unknown;
    it rests on a number of `windows` of so many `seconds` in all. `reads` are the records per
    second that were read of what the member holds now.

    `times` is what `times_of` returns; `backlog` in `signals` tells the partitions that may have
    had a backlog. Members without one have no capacity, so their samples are not looked at.
    """
    return spark.sql(
        f"""
        WITH rounds AS ({_ROUNDS}
        ), held AS (
          SELECT h.`group`, h.member, bool_or(s.backlog) AS backlog,
            sum(CASE WHEN h.until = :at THEN s.consume_per_s END) AS reads
          FROM {{holders}} h JOIN {{signals}} s
            ON h.`group` = s.`group` AND h.topic = s.topic AND h.partition = s.partition
          GROUP BY h.`group`, h.member
        ), rows AS ({_ROWS}
        ), steps AS ({_STEPS}
        ), proofs AS ({_PROOFS}
        ), by_member AS ({_MEMBER_STEPS}
        ), commits AS ({_COMMITS}
        ), windows AS ({_WINDOWS}
        ), ranked AS ({_RANKED}
        ), known AS (
          SELECT `group`, member, median(speed) AS capacity, count(*) AS windows,
            sum(seconds) AS seconds,
            greatest(stddev_pop(speed), sqrt(avg(error * error))) / sqrt(count(*)) AS error
          FROM ranked
          WHERE CASE WHEN seconds >= {MIN_WINDOW_S} THEN nth <= {RECENT}
            ELSE longs = 0 AND nth = 1 AND seconds >= {SHORTEST_S} END
          GROUP BY `group`, member
        )
        SELECT h.`group`, h.member, k.capacity, k.error, k.windows, k.seconds, h.reads
        FROM held h LEFT JOIN known k ON h.`group` = k.`group` AND h.member = k.member
        """,
        args={"at": span.at, "window": span.window},
        offsets=offsets,
        times=times,
        holders=holders,
        signals=signals,
    )


_ROUNDS: Final = """
          SELECT `group`, ts_ms, lag(ts_ms) OVER times AS prev_ms, lead(ts_ms) OVER times AS next_ms
          FROM (SELECT *, max(samples) OVER (PARTITION BY `group`) AS fullest
                FROM {times} WHERE ts_ms <= :at AND samples > 0)
          WHERE 2 * samples >= fullest AND ts_ms >= :at - :window
          WINDOW times AS (PARTITION BY `group` ORDER BY ts_ms)"""
"""The rounds of each group within the window."""

_ROWS: Final = f"""
          SELECT * FROM (
            SELECT /*+ SHUFFLE_HASH(h) */ h.*, r.ts_ms, r.prev_ms, r.next_ms, o.log_start,
              o.log_end, nullif(o.committed, -1) AS committed,
              lead(o.ts_ms) OVER (PARTITION BY h.place, h.`group`, h.topic, h.partition, h.member,
                h.since ORDER BY o.ts_ms, o.log_end, o.committed, o.log_start) AS following_ms
            FROM (SELECT *, cast(partition AS int) AS number,
                    xxhash64(`group`, topic, cast(partition AS int)) AS place
                  FROM {{offsets}} WHERE ts_ms BETWEEN :at - :window AND :at AND {USABLE}) o
            JOIN (SELECT h.* FROM {{holders}} h LEFT SEMI JOIN held w
                  ON h.`group` = w.`group` AND h.member = w.member AND w.backlog) h
              ON o.place = h.place AND o.`group` = h.`group` AND o.topic = h.topic
              AND o.number = h.partition AND o.ts_ms BETWEEN h.since AND h.until
            JOIN rounds r ON o.`group` = r.`group` AND o.ts_ms = r.ts_ms
          ) WHERE following_ms IS NULL OR following_ms > ts_ms"""
"""The samples of partitions while one member held them; of several of one time the last."""

_STEPS: Final = f"""
          SELECT *,
            coalesce(before_ms = prev_ms AND committed >= before AND log_end >= end_before
              AND before >= log_start, false) AS good,
            committed <> known_before AS changed
          FROM (
            SELECT *, lag(ts_ms) OVER ({_ORDER}) AS before_ms,
              lag(committed) OVER ({_ORDER}) AS before,
              lag(log_end) OVER ({_ORDER}) AS end_before,
              lag(committed) IGNORE NULLS OVER ({_ORDER}) AS known_before
            FROM rows)"""
"""The step to each sample from the one before: `good` says that it contradicts nothing."""

_PROOFS: Final = f"""
          SELECT *, behind AND coalesce(lead(behind) OVER ({_ORDER}), false)
              AND lead(ts_ms) OVER ({_ORDER}) = next_ms AS stays
          FROM (
            SELECT *, coalesce(later > committed AND CASE
                WHEN ts_ms - prev_ms > {1000 * CLOSE_S:.0f} OR prev_ms IS NULL THEN log_end
                WHEN before_ms = prev_ms THEN end_before END > later, false) AS behind
            FROM (
              SELECT *, lead(CASE WHEN changed THEN committed END) IGNORE NULLS OVER ({_ORDER})
                AS later
              FROM steps))"""
"""Samples with a proved backlog, here and in the next round."""

_MEMBER_STEPS: Final = f"""
          SELECT *,
            sum(growth) OVER ({_BY_MEMBER}) AS done,
            sum(CASE WHEN valid THEN 0 ELSE 1 END) OVER ({_BY_MEMBER}) AS faults,
            coalesce(sum(CASE WHEN stays THEN 0 ELSE 1 END) OVER (
              {_BY_MEMBER} ROWS BETWEEN UNBOUNDED PRECEDING AND 2 PRECEDING), 0) AS unproved
          FROM (
            SELECT `group`, member, since, ts_ms, prev_ms, stays,
              known > 0 AND known = good AND coalesce(known = lag(known) OVER ({_BY_MEMBER})
                AND prev_ms = lag(ts_ms) OVER ({_BY_MEMBER}), false) AS valid,
              CASE WHEN known = good AND coalesce(known = lag(known) OVER ({_BY_MEMBER})
                AND prev_ms = lag(ts_ms) OVER ({_BY_MEMBER}), false) THEN grown ELSE 0 END AS growth
            FROM (
              SELECT `group`, member, since, ts_ms, any_value(prev_ms) AS prev_ms,
                count(committed) AS known, count_if(good) AS good,
                sum(CASE WHEN good THEN committed - before ELSE 0 END) AS grown,
                coalesce(bool_or(stays), false) AS stays
              FROM proofs GROUP BY `group`, member, since, ts_ms))"""
"""The steps of each member over all its partitions, with running sums. `unproved` counts the
samples without a proof up to the last but one."""

_COMMITS: Final = f"""
          SELECT *, floor((ts_ms - min(ts_ms) OVER chains) / {1000 * WINDOW_S}D) AS slot,
            lead(ts_ms) OVER (
              PARTITION BY `group`, member, since, chain ORDER BY ts_ms) IS NULL AS is_last
          FROM (
            SELECT *, sum(CASE WHEN counts THEN 0 ELSE 1 END) OVER ({_BY_MEMBER}) AS chain
            FROM (
              SELECT *, coalesce(faults = lag(faults) OVER ({_BY_MEMBER})
                AND unproved = lag(unproved) OVER ({_BY_MEMBER}), false) AS counts
              FROM by_member WHERE valid AND growth > 0))
          WINDOW chains AS (PARTITION BY `group`, member, since, chain)"""
"""Samples in which commits of a member grew, in chains of intervals that count."""

_WINDOWS: Final = """
          SELECT `group`, member, end_ms, seconds, speed, speed * sqrt(
              (pow(begin_gap, 2) + pow(end_gap, 2)) / 12e6 / pow(seconds, 2) + 1 / records) AS error
          FROM (
            SELECT `group`, member, ts_ms AS end_ms, (ts_ms - begin_ms) / 1000D AS seconds,
              cast(done - done_before AS double) AS records,
              (done - done_before) / ((ts_ms - begin_ms) / 1000D) AS speed,
              ts_ms - prev_ms AS end_gap, gap_before AS begin_gap
            FROM (
              SELECT *, lag(ts_ms) OVER marked AS begin_ms, lag(done) OVER marked AS done_before,
                lag(ts_ms - prev_ms) OVER marked AS gap_before
              FROM (
                SELECT *, lag(slot) OVER (
                  PARTITION BY `group`, member, since, chain ORDER BY ts_ms) AS slot_before
                FROM commits)
              WHERE is_last OR coalesce(slot > slot_before, true)
              WINDOW marked AS (PARTITION BY `group`, member, since, chain ORDER BY ts_ms)
            ) WHERE begin_ms IS NOT NULL)"""
"""Between the first commits of two slots, and up to the last commit of a chain."""

_RANKED: Final = f"""
          SELECT *,
            count_if(seconds >= {MIN_WINDOW_S}) OVER (PARTITION BY `group`, member) AS longs,
            row_number() OVER (PARTITION BY `group`, member ORDER BY seconds >= {MIN_WINDOW_S} DESC,
              CASE WHEN seconds < {MIN_WINDOW_S} THEN seconds END DESC, end_ms DESC) AS nth
          FROM windows"""
"""The windows that count come first: the newest of the long ones, else the longest."""


def with_capacities(spark: SparkSession, members: DataFrame, capacities: DataFrame) -> DataFrame:
    """Return the table `members` with the columns `MEASURED`, null where nothing is known."""
    return spark.sql(
        """
        SELECT m.*, c.capacity AS measured, c.error AS measured_error, c.reads
        FROM {members} m LEFT JOIN {capacities} c ON m.`group` = c.`group` AND m.member = c.member
        """,
        members=members,
        capacities=capacities,
    )
