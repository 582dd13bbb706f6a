"""A history as two Spark tables, independent of its source."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from equilag.pipeline.results.table_files import TableFiles
from equilag.pipeline.results.tables import TABLES, TableName, ddl

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
