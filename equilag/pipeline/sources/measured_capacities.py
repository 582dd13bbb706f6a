"""Capacities of members out of a history: what each read while it had a backlog all along.

Spark gathers the samples of each member, `adapters.measuring` measures. A history says who holds a
partition only at the rounds of memberships: a member holds what it had in two rounds one after the
other also in between, and what it had in the newest one ever since. Where its partitions change, a
new *spell* begins: proofs of a backlog and windows end there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from equilag.adapters.measuring.offset_samples import OffsetSamples, member_samples
from equilag.adapters.measuring.speeds import BacklogWindows, capacity_of, windows_of
from equilag.domain.columns import NOBODY
from equilag.pipeline.sources.history import arrow_types, ddl
from equilag.pipeline.sources.signals import USABLE, Span

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame, SparkSession

MEASURED: Final = ("measured", "measured_error", "reads")
"""What `with_capacities` adds to members."""
_CAPACITY: Final = (
    ("group", "string"), ("member", "string"), ("capacity", "double"), ("error", "double"),
    ("windows", "bigint"), ("seconds", "double"),
)  # fmt: skip

_CLAIMED: Final = "PARTITION BY place, `group`, topic, partition ORDER BY since, until, member"


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
    held = spark.sql(
        """
        SELECT h.`group`, h.member, bool_or(s.backlog) AS backlog,
          sum(CASE WHEN h.until = :at THEN s.consume_per_s END) AS reads
        FROM {holders} h JOIN {signals} s
          ON h.`group` = s.`group` AND h.topic = s.topic AND h.partition = s.partition
        GROUP BY h.`group`, h.member
        """,
        args={"at": span.at},
        holders=holders,
        signals=signals,
    )
    samples = spark.sql(
        f"""
        WITH rounds AS ({_ROUNDS}
        ), rows AS ({_ROWS}
        )
        SELECT `group`, member, collect_list(struct(* EXCEPT (`group`, member))) AS samples
        FROM rows GROUP BY `group`, member
        """,
        args={"at": span.at, "window": span.window},
        offsets=offsets,
        times=times,
        holders=holders,
        held=held,
    )
    return spark.sql(
        """
        SELECT h.`group`, h.member, k.capacity, k.error, k.windows, k.seconds, h.reads
        FROM {held} h LEFT JOIN {known} k ON h.`group` = k.`group` AND h.member = k.member
        """,
        held=held,
        known=samples.mapInArrow(_measured, ddl(_CAPACITY)),
    )


_ROUNDS: Final = """
          SELECT `group`, ts_ms, lag(ts_ms) OVER times AS prev_ms
          FROM (SELECT *, max(samples) OVER (PARTITION BY `group`) AS fullest
                FROM {times} WHERE ts_ms <= :at AND samples > 0)
          WHERE 2 * samples >= fullest AND ts_ms >= :at - :window
          WINDOW times AS (PARTITION BY `group` ORDER BY ts_ms)"""
"""The rounds of each group within the window."""

_ROWS: Final = f"""
          SELECT /*+ SHUFFLE_HASH(h) */ h.`group`, h.member, h.since, h.until, h.topic, h.partition,
            o.ts_ms, r.prev_ms, o.log_end, o.committed, o.log_start
          FROM (SELECT `group`, topic, ts_ms, log_start, log_end, coalesce(committed, -1)
                  AS committed, cast(partition AS int) AS number,
                  xxhash64(`group`, topic, cast(partition AS int)) AS place
                FROM {{offsets}} WHERE ts_ms BETWEEN :at - :window AND :at AND {USABLE}) o
          JOIN (SELECT h.* FROM {{holders}} h LEFT SEMI JOIN {{held}} w
                ON h.`group` = w.`group` AND h.member = w.member AND w.backlog) h
            ON o.place = h.place AND o.`group` = h.`group` AND o.topic = h.topic
            AND o.number = h.partition AND o.ts_ms BETWEEN h.since AND h.until
          JOIN rounds r ON o.`group` = r.`group` AND o.ts_ms = r.ts_ms"""
"""The samples of partitions while one member held them, with the time of the round before."""


def _measured(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    """Return a row of `_CAPACITY` for each member whose capacity is known."""
    import pyarrow as pa

    for batch in batches:
        rows: list[dict[str, Any]] = []
        for group, member, samples in zip(*batch.columns, strict=True):
            found = capacity_of(_windows_of_member(samples.values))
            if found is not None:
                values = (group.as_py(), member.as_py(), *found)
                names = (name for name, _ in _CAPACITY)
                rows.append(dict(zip(names, values, strict=True)))
        schema = pa.schema([(name, arrow_types()[kind]) for name, kind in _CAPACITY])
        yield pa.RecordBatch.from_pylist(rows, schema=schema)


def _windows_of_member(samples: pyarrow.StructArray) -> BacklogWindows:
    """Return the windows of one member, of all its spells."""
    topic = samples.field("topic").dictionary_encode().indices.to_numpy()
    since, until, partition, at, end, committed, start = (
        samples.field(name).to_numpy(zero_copy_only=False)
        for name in ("since", "until", "partition", "ts_ms", "log_end", "committed", "log_start")
    )
    # A round without a sample here counts too, as the one before the next.
    before = samples.field("prev_ms").drop_null().to_numpy()
    times = np.unique(np.concatenate([at, before]))
    spells, spell = np.unique(since, return_inverse=True)
    places, place = np.unique((topic.astype(np.int64) << 32) | partition, return_inverse=True)
    # Of several samples of one time the last one counts, as in `signals`.
    order = np.lexsort((start, committed, end))
    cells = np.searchsorted(times, at)[order], place[order]
    log_end, commits, log_start = (np.full((len(times), len(places)), -1) for _ in range(3))
    log_end[cells], commits[cells], log_start[cells] = end[order], committed[order], start[order]
    holder = np.full((len(times), len(places)), NOBODY, np.int32)
    for number, begin in enumerate(spells):
        own = spell == number
        held = (times >= begin) & (times <= until[own].max())
        holder[np.ix_(held, np.unique(place[own]))] = number
    seconds = (times - times[0]) / 1000
    every = OffsetSamples(seconds, log_end, commits, holder, len(spells), log_start)
    sums = member_samples(every)
    windows = [windows_of(seconds, sums, number) for number in range(len(spells))]
    return BacklogWindows(*map(np.concatenate, zip(*windows, strict=True)))


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
