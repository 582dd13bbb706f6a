"""The columns of the tables of a history: two that every source must provide, and the racks.

`offsets` has a row per partition and sample, `members` a row per member and sample. All rows of one
sampling round of a group have the same `ts_ms`. `racks` has the racks of each partition, of all
groups; a row counts from its `ts_ms` on, and always without one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Kind = Literal["bigint", "string", "double", "array<string>", "map<string,array<int>>"]
TableName = Literal["offsets", "members", "racks"]


END_OF_TIME: Final = 253_402_300_800_000
"""Begin of the year 10000 in milliseconds since 1970; RFC 3339 has four digits for the year."""


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column of a table."""

    name: str
    kind: Kind
    nullable: bool = False
    """True if rows may lack a value. A row that lacks another column's value is invalid."""
    optional: bool = False
    """True if a file may lack the column."""


OFFSETS: Final = (
    TableColumn("ts_ms", "bigint"),
    TableColumn("group", "string"),
    TableColumn("topic", "string"),
    TableColumn("partition", "bigint"),
    TableColumn("log_start", "bigint"),
    TableColumn("log_end", "bigint"),
    TableColumn("committed", "bigint", nullable=True),
    TableColumn("log_bytes", "bigint", nullable=True, optional=True),
)
MEMBERS: Final = (
    TableColumn("ts_ms", "bigint"),
    TableColumn("group", "string"),
    TableColumn("member", "string", nullable=True),
    TableColumn("subscription", "array<string>", nullable=True),
    TableColumn("owned", "map<string,array<int>>", nullable=True),
    TableColumn("rack", "string", nullable=True),
    TableColumn("capacity", "double", nullable=True),
    TableColumn("instance_id", "string", nullable=True, optional=True),
    TableColumn("generation", "bigint", nullable=True, optional=True),
    TableColumn("client_id", "string", nullable=True, optional=True),
    TableColumn("host", "string", nullable=True, optional=True),
    TableColumn("max_partitions", "bigint", nullable=True, optional=True),
    TableColumn("instance", "string", nullable=True, optional=True),
)
"""A row with `member` null means that the group had no members at that time."""

RACKS: Final = (
    TableColumn("ts_ms", "bigint", nullable=True, optional=True),
    TableColumn("topic", "string"),
    TableColumn("partition", "bigint"),
    TableColumn("racks", "array<string>", nullable=True),
)

TABLES: Final[dict[TableName, tuple[TableColumn, ...]]] = {
    "offsets": OFFSETS,
    "members": MEMBERS,
    "racks": RACKS,
}


def ddl(columns: tuple[TableColumn, ...]) -> str:
    """Return the columns as a schema in Spark's DDL syntax."""
    return ", ".join(f"`{column.name}` {column.kind}" for column in columns)
