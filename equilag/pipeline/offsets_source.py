"""Spark's view of `__consumer_offsets`: a Python data source, one input partition for each of the
topic's, decoded where it is read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

from equilag.adapters.kafka.group_state import GroupState, read_state
from equilag.adapters.kafka.log_ends import read_topics
from equilag.adapters.kafka.offsets_topic import read_partition
from equilag.errors import EquilagError

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql.types import StructType

SCHEMA: Final = (
    "kind string, `group` string, topic string, partition int, amount bigint, member string,"
    " subscription array<string>, owned map<string,array<int>>, rack string, instance_id string,"
    " generation bigint, text string"
)
"""`kind` is one of

- ``commit``: `amount` is the offset committed for topic and partition;
- ``group``: `text` is ``classic`` or ``consumer``; a group with neither members nor offsets too;
- ``member``: a row of the table `members`;
- ``unreadable``: a group that was not understood, and why in `text`;
- ``unknown``: `amount` records of a kind that is named in `text`;
- ``read``: `amount` records read; ``held back``: `amount` that wait for a transaction;
- ``log``: `amount` offsets between the begin and the end of the partition;
- ``failed``: the partition could not be read, `text` says why.
"""
DEADLINE_S: Final = 600.0
_AT_ONCE: Final = 10_000


class OffsetsTopic(DataSource):
    """`spark.read.format("equilag_offsets_topic").option("config", JSON).load()`."""

    @classmethod
    def name(cls) -> str:
        return "equilag_offsets_topic"

    def schema(self) -> str:
        return SCHEMA

    def reader(self, schema: StructType) -> OffsetsReader:
        return OffsetsReader(
            json.loads(self.options["config"]), json.loads(self.options["numbers"])
        )


class OffsetsReader(DataSourceReader):
    """`config` is librdkafka's, `numbers` the partitions of the topic."""

    def __init__(self, config: dict[str, Any], numbers: list[int]) -> None:
        self.config = config
        self.numbers = numbers

    def partitions(self) -> list[InputPartition]:
        # Spark would call `read` even for none.
        return [InputPartition(number) for number in self.numbers]

    def read(self, partition: InputPartition) -> Iterator[pyarrow.RecordBatch]:
        if partition is None or partition.value is None:
            return
        try:
            rows = rows_of_partition(self.config, partition.value)
        except EquilagError as error:  # a row says it better than Spark's account of an exception
            rows = [{"kind": "failed", "text": str(error)}]
        yield from _batches(rows)


def rows_of_partition(config: dict[str, Any], number: int) -> list[dict[str, Any]]:
    """The rows of one partition of the topic. Raises InputError, MissingExtra."""
    records = read_partition(config, number, DEADLINE_S)
    names = read_topics(config).names  # after the records, as topics may be new
    rows = rows_of_state(read_state(records.survivors.items(), names))
    rows.append({"kind": "log", "amount": records.end - records.begin})
    rows.append({"kind": "read", "amount": records.read})
    rows.append({"kind": "held back", "amount": records.held_back})
    return rows


def rows_of_state(state: GroupState) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = [
        {
            "kind": "commit", "group": c.group, "topic": c.topic, "partition": c.partition,
            "amount": c.committed,
        }
        for c in state.commits
    ]  # fmt: skip
    rows += [
        {"kind": "group", "group": group, "text": kind} for group, kind in state.groups.items()
    ]
    rows += [
        {
            "kind": "member", "group": m.group, "member": m.member,
            "subscription": list(m.subscription), "owned": list(m.owned.items()), "rack": m.rack,
            "instance_id": m.instance_id, "generation": m.generation,
        }
        for m in state.memberships
    ]  # fmt: skip
    rows += [
        {"kind": "unreadable", "group": group, "text": why}
        for group, why in state.unreadable.items()
    ]
    rows += [
        {"kind": "unknown", "amount": n, "text": what} for what, n in state.not_understood.items()
    ]
    return rows


def _batches(rows: list[dict[str, Any]]) -> Iterator[pyarrow.RecordBatch]:
    import pyarrow as pa

    schema = pa.schema(
        [
            ("kind", pa.string()),
            ("group", pa.string()),
            ("topic", pa.string()),
            ("partition", pa.int32()),
            ("amount", pa.int64()),
            ("member", pa.string()),
            ("subscription", pa.list_(pa.string())),
            ("owned", pa.map_(pa.string(), pa.list_(pa.int32()))),
            ("rack", pa.string()),
            ("instance_id", pa.string()),
            ("generation", pa.int64()),
            ("text", pa.string()),
        ]
    )
    for start in range(0, len(rows), _AT_ONCE):
        yield pa.RecordBatch.from_pylist(rows[start : start + _AT_ONCE], schema=schema)
