"""The columns of the two tables of a history, which every source must provide.

`offsets` has a row per partition and sample, `members` a row per member and sample. All rows of one
sampling round of a group have the same `ts_ms`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Kind = Literal["bigint", "string", "double", "array<string>", "map<string,array<int>>"]
TableName = Literal["offsets", "members"]


END_OF_TIME: Final = 253_402_300_800_000
"""Begin of the year 10000 in milliseconds since 1970; RFC 3339 has four digits for the year."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table."""

    name: str
    kind: Kind
    nullable: bool = False
    """True if rows may lack a value. A row that lacks another column's value is invalid."""
    optional: bool = False
    """True if a file may lack the column."""


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
"""A row with `member` null means that the group had no members at that time."""

TABLES: Final[dict[TableName, tuple[Column, ...]]] = {"offsets": OFFSETS, "members": MEMBERS}


def ddl(columns: tuple[Column, ...]) -> str:
    """Return the columns as a schema in Spark's DDL syntax."""
    return ", ".join(f"`{column.name}` {column.kind}" for column in columns)
