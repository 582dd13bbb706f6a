"""What a history says of each partition: lag, rates, forecast, and what is wrong with its samples.

One shuffle, by group; everything else is done on the sorted samples of a partition.

- A *round* is a time of which there are at least half as many samples of the group as of its
  fullest; the *interval* of a group is the median time between its rounds. Duplicates count again:
  telling them apart here would double what finding the rounds costs.
- Two samples of a partition one after the other count for a rate if both lie in the window and the
  offset in question did not run backwards between them. A rate is the sum of those steps over the
  sum of their times.
- Of samples of one time those with more in them come later: the last one is what counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

GRACE: Final = 1.5
"""Intervals after which a partition that is not sampled any more has vanished, or has appeared."""
LATE: Final = 0.2
"""Part of an interval by which a sample may come late without being counted."""

USABLE: Final = """
    `group` IS NOT NULL AND topic IS NOT NULL AND ts_ms BETWEEN 0 AND 253402300799999
    AND partition BETWEEN 0 AND 9999999 AND log_start >= 0 AND log_end >= log_start
    AND log_end < 4611686018427387904
    AND (committed IS NULL OR committed BETWEEN -1 AND 4611686018427387903)
    AND (log_bytes IS NULL OR log_bytes >= 0)
"""
"""A row of `offsets` that makes sense; a commit of −1 is Kafka's word for none."""

FAULTS: Final = (
    "duplicates", "late", "missing", "commit_backwards", "end_backwards", "ahead_of_end",
    "below_log_start",
)  # fmt: skip
"""Columns of `signals` that count samples of one partition."""
STATES: Final = ("no_commit", "appeared", "vanished", "no_rate")
"""Columns of `signals` that are true or false for a partition."""


@dataclass(frozen=True, slots=True)
class Span:
    """The times of a run, in milliseconds: the history is read up to `at`."""

    at: int
    window: int
    horizon: int

    @property
    def before(self) -> int:
        """The time from which the forecast is tested: what came after is held back."""
        return self.at - self.horizon


def rounds_of(spark: SparkSession, offsets: DataFrame, at: int) -> DataFrame:
    """A row per group: rounds, interval_ms (null for one round), first_ms, last_ms of its rounds;
    samples, invalid and after_at count rows, partitions_sampled the samples of the fullest round.

    Groups with no usable row up to `at` have null for all but the counts.
    """
    return spark.sql(
        f"""
        WITH times AS (
          SELECT `group`, ts_ms,
                 count_if(usable AND ts_ms <= :at) AS samples,
                 count_if(NOT usable) AS invalid,
                 count_if(usable AND ts_ms > :at) AS after_at
          FROM (SELECT *, coalesce({USABLE}, false) AS usable FROM {{offsets}})
          GROUP BY `group`, ts_ms
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
        offsets=offsets,
    )


def signals_of(
    spark: SparkSession,
    offsets: DataFrame,
    rounds: DataFrame,
    span: Span,
    reset: str = "latest",
) -> DataFrame:
    """A row per partition, see the columns in the last SELECT.

    Rates are records per second over the window before `at`, null where no two samples allow one;
    `lag_s` is the time in which what is behind was produced; `forecast` is the lag expected
    `horizon` after the last sample, and `tested` what would have been forecast for the last sample
    from what was known `horizon` before; `kept` is the lag at that time.
    """
    no_commit = "0" if reset == "latest" else "log_end - log_start"
    old_no_commit = "0" if reset == "latest" else "old_end - old_start"
    return spark.sql(
        f"""
        WITH usable AS (
          SELECT `group`, topic, cast(partition AS int) AS partition, ts_ms, log_start, log_end,
                 nullif(committed, -1) AS committed, log_bytes
          FROM {{offsets}} WHERE ts_ms <= :at AND {USABLE}
        ), steps AS (
          SELECT /*+ BROADCAST(r) */ o.*, r.interval_ms, r.first_ms, r.last_ms,
            ts_ms - lag(ts_ms) OVER samples AS dt,
            log_end - lag(log_end) OVER samples AS produced,
            committed - lag(committed) OVER samples AS consumed,
            lead(ts_ms) OVER samples AS next_ms
          FROM usable o JOIN {{rounds}} r ON o.`group` = r.`group`
          WINDOW samples AS (
            PARTITION BY o.`group`, topic, partition
            ORDER BY ts_ms, log_end, committed, log_start, log_bytes)
        ), steps_in AS (
          SELECT *, dt > 0 AND ts_ms - dt >= :at - :window AS fresh,
            dt > 0 AND ts_ms <= :before AND ts_ms - dt >= :before - :window AS known,
            ts_ms <= :before AND coalesce(next_ms > :before, true) AS old,
            next_ms IS NULL AS newest,
            CASE WHEN dt > 0 THEN dt / interval_ms END AS intervals
          FROM steps
        ), partitions AS (
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
            count_if(dt = 0) AS duplicates,
            count_if(intervals - round(intervals) > {LATE}) AS late,
            sum(CASE WHEN intervals > 1 THEN cast(round(intervals) AS bigint) - 1 ELSE 0 END)
              AS gaps,
            count_if(dt > 0 AND consumed < 0) AS commit_backwards,
            count_if(dt > 0 AND produced < 0) AS end_backwards,
            count_if(committed > log_end) AS ahead_of_end,
            count_if(committed < log_start) AS below_log_start
          FROM steps_in GROUP BY `group`, topic, partition
        ), lags AS (
          SELECT *,
            CASE WHEN committed IS NULL THEN {no_commit}
                 ELSE greatest(0, log_end - greatest(committed, log_start)) END AS lag,
            CASE WHEN old_ms IS NULL THEN NULL
                 WHEN old_committed IS NULL THEN {old_no_commit}
                 ELSE greatest(0, old_end - greatest(old_committed, old_start)) END AS old_lag,
            coalesce(since_ms - first_ms > {GRACE} * interval_ms, false) AS appeared,
            coalesce(last_ms - ts_ms > {GRACE} * interval_ms, false) AS vanished
          FROM partitions
        )
        SELECT `group`, topic, partition, ts_ms, samples, log_start, log_end, committed, log_bytes,
          lag, produce_per_s, consume_per_s,
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
          produce_per_s IS NULL OR consume_per_s IS NULL AS no_rate
        FROM lags
        """,
        args={
            "at": span.at,
            "window": span.window,
            "horizon": span.horizon,
            "before": span.before,
        },
        offsets=offsets,
        rounds=rounds,
    )


def _rate(within: str, step: str) -> str:
    """Records per second over the steps that count; in doubles, as odd offsets add up to much."""
    counts = f"{within} AND {step} >= 0"
    total = f"sum(CASE WHEN {counts} THEN cast({step} AS double) END)"
    return f"{total} * 1000 / sum(CASE WHEN {counts} THEN dt END)"


def _forecast(lag: str, produce: str, consume: str, ahead_ms: str) -> str:
    """The lag `ahead_ms` later if the rates stay, never below 0; null where they are not known."""
    # greatest() passes over nulls, so they have to be asked for.
    expected = f"{lag} + ({produce} - {consume}) * ({ahead_ms}) / 1000"
    return f"CASE WHEN ({expected}) IS NOT NULL THEN greatest(0D, {expected}) END"


_MOST: Final = "4611686018427387904D"


def _whole(amount: str) -> str:
    """Rounded; more than 2^62 fits no load, and must cost its own group the plan and no other."""
    return f"cast(round(least({amount}, {_MOST})) AS bigint)"


WEIGHTS: Final = {
    "lag": "lag",
    "rate": _whole("coalesce(produce_per_s, 0) * 3600"),
    "forecast": _whole("coalesce(forecast, lag)"),
    "bytes": _whole("coalesce(lag * (log_bytes / nullif(log_end - log_start, 0)), 0)"),
}
"""What the planner spreads, as SQL over `signals`: records behind; records produced per hour;
records expected to be behind (as many as now where no rate is known); bytes behind."""
