"""A Python data source of Spark that reads `__consumer_offsets`.

Each partition of the topic is one input partition; the worker that reads it also decodes it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

from equilag.adapters.kafka.cluster import connected
from equilag.adapters.kafka.group_state import GONE, GroupState, read_state
from equilag.adapters.kafka.offsets_topic import REQUEST_S, read_partition
from equilag.domain.errors import EquilagError
from equilag.pipeline.sources.history import arrow_types, ddl_of

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

    from equilag.adapters.kafka.client_config import Config

_COLUMNS: Final = {
    "kind": "string", "group": "string", "topic": "string", "partition": "int",
    "amount": "bigint", "member": "string", "subscription": "array<string>",
    "owned": "map<string,array<int>>", "rack": "string", "instance_id": "string",
    "generation": "bigint", "client_id": "string", "host": "string", "text": "string",
}  # fmt: skip
SCHEMA: Final = ddl_of(_COLUMNS.items())
"""`kind` is one of

- ``commit``: `amount` is the offset committed for topic and partition;
- ``group``: a group with any record, once for each `partition` of `__consumer_offsets` in which it
  was found (normally one);
- ``member``: a row of the table `members`;
- ``unreadable``: a group that could not be decoded, with the reason in `text`;
- ``unknown``: `amount` records of the kind named in `text`;
- ``read``: `amount` records read; ``held back``: `amount` records of open transactions;
- ``log``: `amount` offsets between the begin and the end of the partition;
- ``failed``: the partition could not be read, with the reason in `text`.
"""
DEADLINE_S: Final = 600.0
"""Seconds after which the read of one partition fails; a million records take about four."""
_BATCH_ROWS: Final = 10_000
"""Rows per Arrow batch, the default of `spark.sql.execution.arrow.maxRecordsPerBatch`."""


class OffsetsTopic(DataSource):
    """The options `config`, `numbers` and `names` are JSON, see OffsetsReader."""

    @classmethod
    def name(cls) -> str:
        return "equilag_offsets_topic"

    def schema(self) -> str:
        return SCHEMA

    def reader(self, schema: StructType) -> OffsetsReader:
        names = json.loads(self.options["names"])
        return OffsetsReader(
            json.loads(self.options["config"]),
            json.loads(self.options["numbers"]),
            {UUID(topic_id): name for topic_id, name in names.items()},
        )


def load_topic(
    spark: SparkSession, config: Config, numbers: list[int], names: Mapping[UUID, str]
) -> DataFrame:
    """Return rows of SCHEMA. Each use reads the topic again.

    Spark does not use the cached rows of a Python data source for a table that is passed to `sql`.
    """
    spark.dataSource.register(OffsetsTopic)
    return (
        spark.read.format(OffsetsTopic.name())
        .option("config", json.dumps(config))
        .option("numbers", json.dumps(numbers))
        .option("names", json.dumps({str(topic_id): name for topic_id, name in names.items()}))
        .load()
    )


class OffsetsReader(DataSourceReader):
    """`config` is librdkafka's; `numbers` are partitions; `names` maps topic ids to names."""

    def __init__(self, config: Config, numbers: list[int], names: Mapping[UUID, str]) -> None:
        self.config = config
        self.numbers = numbers
        self.names = names

    def partitions(self) -> list[InputPartition]:
        # Not empty: for an empty list, Spark calls `read` with None.
        return [InputPartition(number) for number in self.numbers]

    def read(self, partition: InputPartition) -> Iterator[pyarrow.RecordBatch]:
        if partition is None or partition.value is None:
            return
        rows: Iterable[dict[str, Any]]
        try:
            rows = rows_of_partition(self.config, partition.value, self.names)
        except EquilagError as error:  # a row keeps the message, which Spark would bury in a trace
            rows = [{"kind": "failed", "text": str(error)}]
        yield from batches(rows)


def rows_of_partition(
    config: Config, number: int, names: Mapping[UUID, str]
) -> Iterator[dict[str, Any]]:
    """Read the rows of one partition. Raises InputError or MissingExtra before the first row."""
    records = read_partition(config, number, DEADLINE_S)
    state = read_state(records.survivors.items(), names)
    if not state.not_understood.keys().isdisjoint(GONE):
        # The topic was deleted, or is newer than `names`. Listing all topics is the most expensive
        # request, so it is not made for every partition.
        with connected(config, REQUEST_S) as cluster:
            state = read_state(records.survivors.items(), cluster.topics().ids)
    counts = {
        "log": records.end - records.begin,
        "read": records.read,
        "held back": records.held_back,
    }
    return rows_of_state(state, number, counts)


def rows_of_state(
    state: GroupState, number: int, counts: Mapping[str, int]
) -> Iterator[dict[str, Any]]:
    """Yield the rows of partition `number`, those of `counts` last."""
    for commit in state.commits:
        yield {
            "kind": "commit", "group": commit.group, "topic": commit.topic,
            "partition": commit.partition, "amount": commit.committed,
        }  # fmt: skip
    for member in state.memberships:
        yield {"kind": "member", **member._asdict(), "owned": list(member.owned.items())}
    groups = (
        {commit.group for commit in state.commits} | state.groups | state.groups_with_deleted_topics
    )
    groups |= {member.group for member in state.memberships} | state.unreadable.keys()
    for group in sorted(groups):
        yield {"kind": "group", "group": group, "partition": number}
    for group, why in state.unreadable.items():
        yield {"kind": "unreadable", "group": group, "text": why}
    for what, n in state.not_understood.items():
        yield {"kind": "unknown", "amount": n, "text": what}
    for kind, n in counts.items():
        yield {"kind": kind, "amount": n}


def batches(rows: Iterable[dict[str, Any]]) -> Iterator[pyarrow.RecordBatch]:
    """Convert rows to Arrow batches."""
    import pyarrow as pa

    types = arrow_types()
    schema = pa.schema([(name, types[kind]) for name, kind in _COLUMNS.items()])
    remaining = iter(rows)
    while some := list(islice(remaining, _BATCH_ROWS)):
        yield pa.RecordBatch.from_pylist(some, schema=schema)
