"""Signals of each partition of a history: lag, rates, forecast, and faults of its samples.

The only shuffle is by group. Everything else is computed on the sorted samples of a partition.

- A *round* is a time with at least half as many samples of the group as its fullest time. The
  *interval* of a group is the median time between its rounds. Duplicates are counted, too:
  detecting them here would double the cost of finding the rounds.
- Two consecutive samples of a partition count for a rate if both lie in the window and the offset
  did not decrease between them. A rate is the sum of these steps over the sum of their times.
- Samples of equal time are ordered by their offsets, missing values first. The last one counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

GRACE: Final = 1.5
"""Intervals without a sample after which a partition has vanished, or before which it has not yet
appeared: halfway between one round and two."""
LATE: Final = 0.2
"""Part of an interval by which a sample may be late without being counted: more than the jitter of
a recorder, and less than half an interval, from which on it would belong to the next round."""

USABLE: Final = """
    `group` IS NOT NULL AND topic IS NOT NULL AND ts_ms BETWEEN 0 AND 253402300799999
    AND partition BETWEEN 0 AND 9999999 AND log_start >= 0 AND log_end >= log_start
    AND log_end < 4611686018427387904
    AND (committed IS NULL OR committed BETWEEN -1 AND 4611686018427387903)
    AND (log_bytes IS NULL OR log_bytes >= 0)
"""
"""True for a valid row of `offsets`. Kafka writes a missing commit as -1. Times end before the year
10000, and offsets are below 2^62, so that differences and sums of two of them fit into 64 bits."""

FAULTS: Final = (
    "duplicates", "late", "missing", "commit_backwards", "end_backwards", "ahead_of_end",
    "below_log_start",
)  # fmt: skip
"""Columns of `signals` that count samples of one partition."""
STATES: Final = ("no_commit", "appeared", "vanished", "no_rate")
"""Columns of `signals` that are true or false for a partition."""


@dataclass(frozen=True, slots=True)
class Span:
    """The times of a run, in milliseconds. The history is read up to `at`."""

    at: int
    window: int
    horizon: int

    @property
    def before(self) -> int:
        """The time at which the tested forecast is made; later samples are held back from it."""
        return self.at - self.horizon


def times_of(spark: SparkSession, offsets: DataFrame) -> DataFrame:
    """Return a row per group and time: how many rows are usable, invalid, or have bytes of a log.

    All that a run needs to know of its times is in this small table, so `offsets` is read for it
    only once.
    """
    return spark.sql(
        f"""
        SELECT `group`, ts_ms, count_if(usable) AS samples, count_if(NOT usable) AS invalid,
               count_if(usable AND log_bytes > 0) AS sized
        FROM (SELECT `group`, ts_ms, log_bytes, coalesce({USABLE}, false) AS usable
              FROM {{offsets}})
        GROUP BY `group`, ts_ms
        """,
        offsets=offsets,
    )


def rounds_of(spark: SparkSession, times: DataFrame, at: int) -> DataFrame:
    """Return a row per group: number, interval, first and last time of its rounds.

    `times` is what `times_of` returns. `interval_ms` is null for a single round. `samples`,
    `invalid` and `after_at` count rows;
    `partitions_sampled` is the number of samples in the fullest round. A group without a usable row
    up to `at` has null in all columns but the counts.
    """
    return spark.sql(
        """
        WITH times AS (
          SELECT `group`, ts_ms, invalid,
                 CASE WHEN ts_ms <= :at THEN samples ELSE 0 END AS samples,
                 CASE WHEN ts_ms > :at THEN samples ELSE 0 END AS after_at
          FROM {counts}
        ), fullness AS (
          SELECT *, max(samples) OVER (PARTITION BY `group`) AS fullest FROM times
        ), rounds AS (
          SELECT *, CASE WHEN 2 * samples >= fullest AND fullest > 0 THEN ts_ms END AS round_ms
          FROM fullness
        ), steps AS (
          SELECT *, round_ms - lag(round_ms) OVER (PARTITION BY `group` ORDER BY round_ms) AS step
          FROM rounds
        )
        SELECT `group`, count(round_ms) AS rounds, cast(median(step) AS double) AS interval_ms,
               min(round_ms) AS first_ms, max(round_ms) AS last_ms,
               max(fullest) AS partitions_sampled,
               sum(samples) AS samples, sum(invalid) AS invalid, sum(after_at) AS after_at
        FROM steps GROUP BY `group`
        """,
        args={"at": at},
        counts=times,
    )


def signals_of(
    spark: SparkSession, offsets: DataFrame, rounds: DataFrame, span: Span, reset: str = "latest"
) -> DataFrame:
    """Return a row per partition, with the columns of `_COLUMNS`.

    Rates are records per second over the window before `at`, and null without two usable samples.
    `lag_s` is the time in which the current lag was produced. `forecast` is the lag expected
    `horizon` after the last sample. `tested` is the forecast of the last sample from what was known
    `horizon` before, and `kept` the lag at that time.
    """
    return spark.sql(
        f"""
        WITH usable AS ({_USABLE_ROWS}
        ), steps AS ({_STEPS}
        ), marked AS ({_MARKED}
        ), partitions AS ({_PARTITIONS}
        ), lags AS ({_lags(reset)}
        )
        SELECT {_COLUMNS} FROM lags
        """,
        args={"at": span.at, "window": span.window, "horizon": span.horizon, "before": span.before},
        offsets=offsets,
        rounds=rounds,
    )


def _rate(within: str, step: str) -> str:
    """Return SQL for records per second over the steps that count.

    The sum is taken in doubles, since faulty offsets can add up to more than 64 bits.
    """
    counts = f"{within} AND {step} >= 0"
    total = f"sum(CASE WHEN {counts} THEN cast({step} AS double) END)"
    return f"{total} * 1000 / sum(CASE WHEN {counts} THEN dt END)"


def _forecast(lag: str, produce: str, consume: str, ahead_ms: str) -> str:
    """Return SQL for the lag `ahead_ms` later at constant rates: at least 0, null without rates."""
    # greatest() ignores nulls, so they are tested for.
    expected = f"{lag} + ({produce} - {consume}) * ({ahead_ms}) / 1000"
    return f"CASE WHEN ({expected}) IS NOT NULL THEN greatest(0D, {expected}) END"


_RECENT: Final = "ts_ms >= :at - :window"
_BACKLOG: Final = f"""coalesce(
              max(CASE WHEN {_RECENT} THEN log_end - committed END)
                > min(CASE WHEN {_RECENT} AND consumed > 0 THEN consumed END)
              OR (max(CASE WHEN {_RECENT} THEN log_end - committed END) > 0
                AND count_if({_RECENT} AND committed IS NULL) > 0), false)"""
"""False for a partition that had no backlog that commits could prove: its lag was never larger than
the least that was committed at once."""

_USABLE_ROWS: Final = f"""
          SELECT `group`, topic, cast(partition AS int) AS partition, ts_ms, log_start, log_end,
                 nullif(committed, -1) AS committed, log_bytes,
                 xxhash64(`group`, topic, partition) AS place
          FROM {{offsets}} WHERE ts_ms <= :at AND {USABLE}"""

_STEPS: Final = """
          SELECT /*+ BROADCAST(r) */ o.*, r.interval_ms, r.first_ms, r.last_ms,
            ts_ms - lag(ts_ms) OVER samples AS dt,
            log_end - lag(log_end) OVER samples AS produced,
            committed - lag(committed) OVER samples AS consumed,
            lead(ts_ms) OVER samples AS next_ms
          FROM usable o JOIN {rounds} r ON o.`group` = r.`group`
          WINDOW samples AS (
            PARTITION BY place, o.`group`, topic, partition
            ORDER BY ts_ms, log_end, committed, log_start, log_bytes)"""
"""Each sample with its differences from the sample before. Rows are sorted by `place`, a number
that almost always decides: names of groups often begin alike, and comparing them takes long."""

_MARKED: Final = """
          SELECT *, dt > 0 AND ts_ms - dt >= :at - :window AS fresh,
            dt > 0 AND ts_ms <= :before AND ts_ms - dt >= :before - :window AS known,
            ts_ms <= :before AND coalesce(next_ms > :before, true) AS old,
            next_ms IS NULL AS newest,
            CASE WHEN dt > 0 THEN dt / interval_ms END AS intervals
          FROM steps"""
"""Each step with marks: `fresh` and `known` count for the rates of the forecast and of the tested
one; `newest` and `old` are the samples from which these two start."""

_PARTITIONS: Final = f"""
          SELECT `group`, topic, partition,
            any_value(interval_ms) AS interval_ms, any_value(first_ms) AS first_ms,
            any_value(last_ms) AS last_ms,
            count(*) AS samples, min(ts_ms) AS since_ms, max(ts_ms) AS ts_ms,
            max(CASE WHEN newest THEN log_start END) AS log_start,
            max(CASE WHEN newest THEN log_end END) AS log_end,
            max(CASE WHEN newest THEN committed END) AS committed,
            max(CASE WHEN newest THEN log_bytes END) AS log_bytes,
            max(CASE WHEN old THEN ts_ms END) AS old_ms,
            max(CASE WHEN old THEN log_start END) AS old_start,
            max(CASE WHEN old THEN log_end END) AS old_end,
            max(CASE WHEN old THEN committed END) AS old_committed,
            {_rate("fresh", "produced")} AS produce_per_s,
            {_rate("fresh", "consumed")} AS consume_per_s,
            {_rate("known", "produced")} AS old_produce,
            {_rate("known", "consumed")} AS old_consume,
            {_BACKLOG} AS backlog,
            count_if(dt = 0) AS duplicates,
            count_if(intervals - floor(intervals + 0.5D) > {LATE}) AS late,
            sum(CASE WHEN intervals > 1 THEN floor(intervals + 0.5D) - 1 ELSE 0 END)
              AS gaps,
            count_if(dt > 0 AND consumed < 0) AS commit_backwards,
            count_if(dt > 0 AND produced < 0) AS end_backwards,
            count_if(committed > log_end) AS ahead_of_end,
            count_if(committed < log_start) AS below_log_start
          FROM marked GROUP BY place, `group`, topic, partition"""
"""A row per partition: its newest and its old sample, rates and faults."""


def _lags(reset: str) -> str:
    """Return SQL for the partitions with their lags; `reset` decides the lag without a commit."""
    no_commit = "0" if reset == "latest" else "log_end - log_start"
    old_no_commit = "0" if reset == "latest" else "old_end - old_start"
    return f"""
          SELECT *,
            CASE WHEN committed IS NULL THEN {no_commit}
                 ELSE greatest(0, log_end - greatest(committed, log_start)) END AS lag,
            CASE WHEN old_ms IS NULL THEN NULL
                 WHEN old_committed IS NULL THEN {old_no_commit}
                 ELSE greatest(0, old_end - greatest(old_committed, old_start)) END AS old_lag,
            coalesce(since_ms - first_ms > {GRACE} * interval_ms, false) AS appeared,
            coalesce(last_ms - ts_ms > {GRACE} * interval_ms, false) AS vanished
          FROM partitions"""


_COLUMNS: Final = f"""`group`, topic, partition, ts_ms, samples, log_start, log_end, committed,
          log_bytes, lag, produce_per_s, consume_per_s, backlog,
          CASE WHEN lag = 0 THEN 0D WHEN produce_per_s > 0 THEN lag / produce_per_s END AS lag_s,
          {_forecast("lag", "produce_per_s", "consume_per_s", ":horizon")} AS forecast,
          CASE WHEN ts_ms > :before AND NOT vanished THEN
            {_forecast("old_lag", "old_produce", "old_consume", "ts_ms - old_ms")} END AS tested,
          CASE WHEN ts_ms > :before AND NOT vanished THEN old_lag END AS kept,
          duplicates, late,
          gaps + CASE WHEN vanished THEN 0 ELSE
            greatest(0, coalesce(cast(round((last_ms - ts_ms) / interval_ms) AS bigint), 0)) END
            AS missing,
          commit_backwards, end_backwards, ahead_of_end, below_log_start,
          committed IS NULL AS no_commit, appeared, vanished,
          produce_per_s IS NULL OR consume_per_s IS NULL AS no_rate"""
"""The columns of `signals/`."""

MAX_WEIGHT: Final = "4611686018427387904D"
"""2^62 as a double: the planner refuses a weight above it, so only its own group gets no plan."""


def _rounded(amount: str) -> str:
    """Return SQL for a whole number, at most MAX_WEIGHT, which a 64-bit integer can hold."""
    return f"cast(round(least({amount}, {MAX_WEIGHT})) AS bigint)"


WEIGHTS: Final = {
    "work": "lag",
    "lag": "lag",
    "rate": _rounded("coalesce(produce_per_s, 0) * 3600"),
    "forecast": _rounded("coalesce(forecast, lag)"),
    "bytes": _rounded("coalesce(lag * (log_bytes / nullif(log_end - log_start, 0)), 0)"),
}
"""What the planner takes for lag, as SQL over `signals`: records of lag, to which it adds the rates
for work; records of lag; records produced per hour; expected records of lag (the current lag if no
rate is known); bytes of lag."""
AS_SAMPLED: Final = ("lag", "work")
"""Weights that the planner computes from offsets and rates."""
