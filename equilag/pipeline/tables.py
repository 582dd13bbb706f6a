"""The two tables of a history, column by column: what a source has to deliver.

`offsets` has a row per partition and sample, `members` a row per member and sample. All rows that
were taken of a group at once share one `ts_ms`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Kind = Literal["bigint", "string", "double", "array<string>", "map<string,array<int>>"]
TableName = Literal["offsets", "members"]


END_OF_TIME: Final = 253_402_300_800_000
"""Milliseconds at which the year 10000 begins, which no time can be written of."""


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    kind: Kind
    nullable: bool = False
    """May a row have no value; a row without another one's is counted as invalid."""
    optional: bool = False
    """May the column be absent altogether."""


OFFSETS: Final = (
    Column("ts_ms", "bigint"),
    Column("group", "string"),
    Column("topic", "string"),
    Column("partition", "bigint"),
    Column("log_start", "bigint"),
    Column("log_end", "bigint"),
    Column("committed", "bigint", nullable=True),
    Column("log_bytes", "bigint", nullable=True, optional=True),
)
MEMBERS: Final = (
    Column("ts_ms", "bigint"),
    Column("group", "string"),
    Column("member", "string", nullable=True),
    Column("subscription", "array<string>", nullable=True),
    Column("owned", "map<string,array<int>>", nullable=True),
    Column("rack", "string", nullable=True),
    Column("capacity", "double", nullable=True),
    Column("instance_id", "string", nullable=True, optional=True),
    Column("generation", "bigint", nullable=True, optional=True),
)
"""A row with `member` null says that the group had no members then."""

TABLES: Final[dict[TableName, tuple[Column, ...]]] = {"offsets": OFFSETS, "members": MEMBERS}


def ddl(columns: tuple[Column, ...]) -> str:
    """The columns as Spark writes a schema."""
    return ", ".join(f"`{column.name}` {column.kind}" for column in columns)
