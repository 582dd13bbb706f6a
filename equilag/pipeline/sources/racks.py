"""The racks of partitions, joined to their signals."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def with_racks(spark: SparkSession, signals: DataFrame, racks: DataFrame, at: int) -> DataFrame:
    """Return `signals` with a column `racks`: the newest of each partition up to `at`, else null.

    `racks` is the table of the history; a row without a time is older than any other. Of several
    rows of one time the one with the most racks counts.
    """
    return spark.sql(
        """
        WITH newest AS (
          SELECT topic, partition,
            max_by(racks, struct(coalesce(ts_ms, -1) AS ts, size(racks) AS n, racks)) AS racks
          FROM {racks}
          WHERE topic IS NOT NULL AND partition IS NOT NULL AND coalesce(ts_ms, -1) <= :at
          GROUP BY topic, partition
        )
        SELECT s.*, n.racks FROM {signals} s
        LEFT JOIN newest n ON s.topic = n.topic AND s.partition = n.partition
        """,
        args={"at": at},
        signals=signals,
        racks=racks,
    )
