"""The solve stage: bins of groups to the executors, every group answered exactly once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from equilag.group import NOBODY, Index
from equilag.pipeline.binning import bins_of, work_of
from equilag.pipeline.group_result import ASSIGNMENT, BASELINE, PLAN, Fields, GroupResult, Planner
from equilag.pipeline.isolate import ChildProcess, Failure, describe
from equilag.pipeline.rules import GroupSettings, Rules

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame, SparkSession


def _struct(fields: Fields) -> str:
    return "struct<" + ", ".join(f"`{name}`: {kind}" for name, kind in fields) + ">"


SOLVED: Final[Fields] = (
    ("group", "string"),
    ("kind", "string"),
    ("reason", "string"),
    ("plan", _struct(PLAN)),
    ("assignment", f"array<{_struct(ASSIGNMENT)}>"),
    ("baseline", f"array<{_struct(BASELINE)}>"),
)
"""One row per group; `kind` is null for a plan, and else one of `isolate.FailureKind`."""
TASKS: Final = 64
"""Bins, and so tasks: enough to keep all cores busy to the end, and for a bar that moves."""
GROUPS_PER_TASK: Final = 4
"""At least, where there are that many: a task has its own process to start."""
ROWS_AT_ONCE: Final = 16
"""Answers that go back to Spark together: a batch costs it milliseconds, whatever is in it."""
KILL_AFTER: Final = 30.0
"""Seconds past twice its time limit after which a group's process is killed."""


@dataclass(frozen=True, slots=True)
class SolveBatches:
    """What a task does: each problem to the child process, each answer back as Arrow."""

    planner: Planner
    kill_after: float

    def __call__(self, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        import pyarrow as pa

        held: list[pyarrow.RecordBatch] = []
        for row in self._rows(batches):
            held.append(row)
            if len(held) == ROWS_AT_ONCE:
                yield from pa.Table.from_batches(held).combine_chunks().to_batches()
                held = []
        if held:
            yield from pa.Table.from_batches(held).combine_chunks().to_batches()

    def _rows(self, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        """One batch of one row for each problem."""
        _warm_up()
        with ChildProcess(self.planner) as child:
            for batch in batches:
                for i in range(batch.num_rows):
                    problem = batch.slice(i, 1).to_pylist()[0]
                    settings = GroupSettings.from_json(problem.pop("settings"))
                    seconds = 2 * settings.time_limit + self.kill_after
                    outcome = child.call((problem, settings), seconds)
                    try:
                        row = to_arrow(problem["group"], outcome)
                    except Exception as error:  # noqa: BLE001 - another planner's nonsense
                        reason = f"the planner's answer is none: {describe(error)}"
                        row = to_arrow(problem["group"], Failure("error", reason))
                    yield row


def _warm_up() -> None:
    """Have everything imported in the worker that its children would otherwise each import."""
    import equilag.solver.cpsat.model  # noqa: F401
    from equilag.adapters.snapshot.load import FORMAT, load_snapshot
    from equilag.heuristics.subscription_graph import subscription_graph
    from equilag.planner.compare import baselines
    from equilag.planner.solve import solve

    members = [
        {"id": "a", "subscription": ["t"], "owned": {"t": [0, 1]}},
        {"id": "b", "subscription": ["u"]},
        {"id": "c", "subscription": ["t", "u"]},
    ]
    topics = {"t": 4, "u": 2}
    group = load_snapshot({"format": FORMAT, "group": "", "topics": topics, "members": members})
    subscription_graph(group)
    baselines(group)
    solve(group, time_limit=10.0, effort=0.01)


def solve_all(
    spark: SparkSession,
    problems: DataFrame,
    rules: Rules,
    planner: Planner,
    tasks: int = TASKS,
    kill_after: float = KILL_AFTER,
) -> DataFrame:
    """A row of `SOLVED` for every group of `problems` whose state is `ready`."""
    from pyspark.sql.functions import broadcast, col, desc

    sizes = problems.where("state = 'ready'").select("group", "partitions").collect()
    sizes.sort(key=lambda row: str(row["group"]))
    chosen = [rules.settings_of(row["group"]) for row in sizes]
    work = [work_of(row["partitions"], s.effort) for row, s in zip(sizes, chosen, strict=True)]
    cores = spark.sparkContext.defaultParallelism
    n_bins = max(1, min(tasks, len(sizes), max(cores, len(sizes) // GROUPS_PER_TASK)))
    rows = [
        (row["group"], number, settings.to_json(), cost)
        for row, number, settings, cost in zip(
            sizes, bins_of(work, n_bins), chosen, work, strict=True
        )
    ]
    bins = spark.createDataFrame(rows, "`group` string, bin int, settings string, work double")
    # By number of the bin: sizes by bytes, as AQE has them, would put all small bins into one.
    binned = (
        problems.join(broadcast(bins), "group")
        .repartitionById(n_bins, col("bin"))
        .sortWithinPartitions(desc("work"))
        .select("group", "last_ms", "topics", "members", "settings")
    )
    return binned.mapInArrow(
        SolveBatches(planner, kill_after), ", ".join(f"`{name}` {kind}" for name, kind in SOLVED)
    )


def to_arrow(group: str, outcome: GroupResult | Failure) -> pyarrow.RecordBatch:
    """One row of `SOLVED`."""
    import pyarrow as pa

    schema = arrow_schema()
    row: dict[str, Any] = {"group": group}
    if isinstance(outcome, Failure):
        # A name can hold half of a surrogate pair, which no table can.
        reason = outcome.reason.encode("utf-8", "backslashreplace").decode("utf-8")
        row |= {"kind": outcome.kind, "reason": reason}
        return pa.RecordBatch.from_pylist([row], schema=schema)
    row |= {"plan": outcome.plan, "baseline": outcome.baseline}
    batch = pa.RecordBatch.from_pylist([row], schema=schema)
    place = schema.get_field_index("assignment")
    return batch.set_column(place, schema.field(place), _assignment(outcome))


def _assignment(answer: GroupResult) -> pyarrow.Array:
    """All partitions of a group as one list of structs."""
    import pyarrow as pa

    values = pa.StructArray.from_arrays(
        [
            _names(answer.topics, answer.topic),
            pa.array(answer.partition.astype(np.int32)),
            _names(answer.members, answer.source),
            _names(answer.members, answer.target),
            pa.array(answer.weight),
        ],
        fields=list(arrow_schema().field("assignment").type.value_type),
    )
    return pa.ListArray.from_arrays(pa.array([0, len(values)], pa.int32()), values)


def _names(names: tuple[str, ...], numbers: Index) -> pyarrow.Array:
    import pyarrow as pa

    return pa.array(names, pa.string()).take(pa.array(numbers, mask=numbers == NOBODY))


@cache
def arrow_schema() -> pyarrow.Schema:
    """`SOLVED` in Arrow's terms; Spark's own parser of types is not at hand on an executor."""
    import pyarrow as pa

    plain = {
        "string": pa.string(),
        "bigint": pa.int64(),
        "int": pa.int32(),
        "double": pa.float64(),
        "array<string>": pa.list_(pa.string()),
    }

    def struct(fields: Fields) -> pa.StructType:
        return pa.struct([pa.field(name, plain[kind]) for name, kind in fields])

    nested = {
        "plan": struct(PLAN),
        "assignment": pa.list_(struct(ASSIGNMENT)),
        "baseline": pa.list_(struct(BASELINE)),
    }
    return pa.schema([pa.field(name, nested.get(name) or plain[kind]) for name, kind in SOLVED])
