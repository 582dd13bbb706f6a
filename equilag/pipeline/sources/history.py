"""A history as two Spark tables, independent of its source."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from equilag.pipeline.results.run_tables import TABLES, TableName, ddl
from equilag.pipeline.results.table_files import TableFiles

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class History(NamedTuple):
    """The tables `offsets`, `members` and `racks`, with the columns of the module `tables`.

    `unreadable` (group, reason) holds the groups that the source could not decode. `notes` are
    further facts about the source, for the summary.
    """

    offsets: DataFrame
    members: DataFrame
    unreadable: DataFrame | None = None
    notes: Mapping[str, Any] = MappingProxyType({})
    racks: DataFrame | None = None


def read_files(spark: SparkSession, files: TableFiles, table: TableName) -> DataFrame:
    """Return the rows of files that passed `check_files`; missing columns are null."""
    schema = ddl(TABLES[table])
    frames = []
    if files.parquet:
        frames.append(spark.read.schema(schema).parquet(*map(literal, files.parquet)))
    if files.lines:
        lines = spark.read.schema(schema).option("mode", "FAILFAST")
        frames.append(lines.json(list(map(literal, files.lines))))
    whole = frames[0]
    for frame in frames[1:]:
        whole = whole.unionByName(frame)
    return whole


def literal(path: str) -> str:
    """Escape a path, which Spark would otherwise read as a pattern."""
    return re.sub(r"([\\*?\[\]{}])", r"\\\1", path)


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
