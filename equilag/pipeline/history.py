"""A history as two Spark tables, whatever it was read from."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from equilag.pipeline.table_files import TableFiles
from equilag.pipeline.tables import TABLES, TableName, ddl

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class History(NamedTuple):
    """The tables `offsets` and `members`, with the columns of `tables`.

    `unreadable` (group, reason) are groups that the source could not make sense of, `notes` what
    else it has to say for the summary.
    """

    offsets: DataFrame
    members: DataFrame
    unreadable: DataFrame | None = None
    notes: Mapping[str, Any] = MappingProxyType({})


def read_files(spark: SparkSession, files: TableFiles, table: TableName) -> DataFrame:
    """The rows of files that were checked; absent columns are null."""
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
    """The path as a pattern that only it fits, since Spark takes paths for patterns."""
    return re.sub(r"([\\*?\[\]{}])", r"\\\1", path)
