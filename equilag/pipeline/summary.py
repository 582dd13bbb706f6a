"""What a run found, over the whole fleet: the figures of `summary.json`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from equilag.pipeline.problems import COUNTED

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def fleet_figures(spark: SparkSession, plans: DataFrame, failures: DataFrame) -> dict[str, Any]:
    """How many groups are planned how well, how many are not and why."""
    by_status = {
        row["status"]: row["n"]
        for row in plans.groupBy("status").count().withColumnRenamed("count", "n").collect()
    }
    kinds = {
        row["kind"]: row["n"]
        for row in failures.groupBy("kind").count().withColumnRenamed("count", "n").collect()
    }
    (totals,) = spark.sql(
        """
        SELECT count(*) AS groups, coalesce(sum(partitions), 0) AS partitions,
          coalesce(sum(members), 0) AS members, coalesce(sum(moves), 0) AS moves,
          coalesce(sum(task_s), 0) AS task_s, coalesce(max(task_s), 0) AS longest_s,
          coalesce(median(gap_percent_of_mean), 0) AS median_gap_percent,
          coalesce(percentile(gap_percent_of_mean, 0.95), 0) AS p95_gap_percent
        FROM {plans}
        """,
        plans=plans,
    ).collect()
    planned = totals.asDict()
    return {
        "groups": planned["groups"] + sum(kinds.values()),
        "planned": {**planned, "by_status": by_status},
        "failed": {"groups": sum(kinds.values()), "by_kind": kinds},
    }


def assignor_figures(spark: SparkSession, baseline: DataFrame) -> list[dict[str, Any]]:
    """A row per assignor: how far its plans are from the proved bound, over all groups.

    The gaps are in percent of a group's mean load; `even_counts` is in how many groups the counts
    differ by one at most.
    """
    rows = spark.sql(
        """
        SELECT assignor, count(count_spread) AS groups, count(failed) AS failed,
          median(gap_percent_of_mean) AS median_gap_percent,
          avg(gap_percent_of_mean) AS mean_gap_percent,
          percentile(gap_percent_of_mean, 0.95) AS p95_gap_percent,
          count_if(count_spread <= 1) AS even_counts, sum(moves) AS moves,
          sum(wall_ms) AS wall_ms
        FROM {baseline} GROUP BY assignor ORDER BY mean_gap_percent, assignor
        """,
        baseline=baseline,
    ).collect()
    return [row.asDict() for row in rows]


def quality_figures(spark: SparkSession, quality: DataFrame) -> dict[str, Any]:
    """Every fault over all groups, and how many groups have it."""
    sums = ", ".join(
        f"coalesce(sum({c}), 0) AS {c}, count_if({c} > 0) AS {c}_groups" for c in COUNTED
    )
    (row,) = spark.sql(
        f"SELECT coalesce(sum(samples), 0) AS samples, {sums} FROM {{quality}}", quality=quality
    ).collect()
    return {
        "samples": row["samples"],
        "faults": {c: {"count": row[c], "groups": row[f"{c}_groups"]} for c in COUNTED if row[c]},
    }


def forecast_figures(spark: SparkSession, signals: DataFrame) -> dict[str, Any]:
    """The forecast for the newest samples from what was known one horizon before, against what
    came, beside the forecast that nothing changes. Errors are in records."""
    (row,) = spark.sql(
        """
        SELECT count(*) AS partitions, sum(cast(lag AS double)) AS lag,
          sum(abs(lag - tested)) AS off, sum(cast(abs(lag - kept) AS double)) AS off_unchanged
        FROM {signals} WHERE tested IS NOT NULL
        """,
        signals=signals,
    ).collect()
    n = row["partitions"]
    if not n:
        return {"partitions": 0}
    lag = row["lag"] or 0.0
    return {
        "partitions": n,
        "mean_lag": lag / n,
        "mean_error": row["off"] / n,
        "mean_error_unchanged": row["off_unchanged"] / n,
        "error_percent": 100 * row["off"] / lag if lag else None,
        "error_percent_unchanged": 100 * row["off_unchanged"] / lag if lag else None,
    }
