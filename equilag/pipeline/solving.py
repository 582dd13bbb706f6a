"""The solve stage: distribute groups in bins to the executors; one result row per group."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from equilag.domain.errors import describe_error
from equilag.pipeline.fleet_options import KILL_AFTER, GroupSettings, Rules
from equilag.pipeline.group_result import GroupResult, Planner
from equilag.pipeline.isolate import ChildProcess, Failure
from equilag.pipeline.sources.group_columns import ASSIGNMENT, BASELINE, PLAN, Fields
from equilag.pipeline.sources.history import arrow_types, ddl

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame, SparkSession

SECONDS_PER_GROUP: Final = 0.02
"""Fixed cost of a group, measured on fleets."""
SECONDS_PER_PARTITION: Final = 6e-5
"""Cost of loading, comparing and writing a partition, measured on fleets."""
EFFORT_PER_PARTITION: Final = 2e-3
"""Effort in seconds that a group uses per partition, up to its limit; measured on fleets."""


def bins_of(costs: Sequence[float], n_bins: int) -> list[int]:
    """Return the bin number of each group; the fullest bin costs at most 4/3 of the optimum.

    `costs` are 0 or more, in any unit. Groups are placed in descending order of cost, each into the
    bin with the lowest total. Ties are broken by position, so the same input gives the same bins.
    """
    order = sorted(range(len(costs)), key=lambda i: (-costs[i], i))
    heap = [(0.0, number) for number in range(max(1, n_bins))]
    chosen = [0] * len(costs)
    for i in order:
        total, number = heap[0]
        chosen[i] = number
        heapq.heapreplace(heap, (total + costs[i], number))
    return chosen


def estimated_seconds(partitions: int, effort: float) -> float:
    """Estimate the seconds that a group takes on one core. Only the proportions matter."""
    solving = min(effort, EFFORT_PER_PARTITION * partitions)
    return SECONDS_PER_GROUP + SECONDS_PER_PARTITION * partitions + solving


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
"""One row per group; `kind` is null for a plan, and otherwise an `isolate.FailureKind`."""
TASKS_PER_CORE: Final = 8
"""Bins per core unless their number is given. A task costs a quarter of a second beside its solves:
a new process, whose memory is copied as it is used, and files that are opened and closed. Bins of
equal cost keep all cores busy until the end, to an eighth of a bin's own error."""
GROUPS_PER_TASK: Final = 4
"""Fewest groups per task, if there are enough, since each task starts a process of its own."""
BATCH_ROWS: Final = 16
"""Results that are returned to Spark together; a batch costs milliseconds whatever its size."""


@dataclass(frozen=True, slots=True)
class SolveBatches:
    """A task: pass each problem to the child process and return each result as Arrow."""

    planner: Planner
    kill_after: float

    def __call__(self, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        import pyarrow as pa

        rows = self._rows(batches)
        while held := list(islice(rows, BATCH_ROWS)):
            yield from pa.Table.from_batches(held).combine_chunks().to_batches()

    def _rows(self, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        """Yield a batch of one row for each problem."""
        _warm_up()
        with closing(ChildProcess(self.planner)) as child:
            for batch in batches:
                for i in range(batch.num_rows):
                    problem = batch.slice(i, 1).to_pylist()[0]
                    settings = GroupSettings.from_json(problem.pop("settings"))
                    seconds = 2 * settings.time_limit + self.kill_after
                    outcome = child.call((problem, settings), seconds)
                    try:
                        row = to_arrow(problem["group"], outcome)
                    except Exception as error:  # noqa: BLE001 - a custom planner may return anything
                        reason = f"the planner returned no valid result: {describe_error(error)}"
                        row = to_arrow(problem["group"], Failure("error", reason))
                    yield row


def _warm_up() -> None:
    """Import in the worker what its children would otherwise import again and again."""
    import equilag.solver.cpsat.model  # noqa: F401
    from equilag.domain.group.group import Group
    from equilag.heuristics.registry import BUILT_IN
    from equilag.planner.compare import run_assignors
    from equilag.planner.solve import solve

    group = Group.build(
        name="",
        topics={"t": 4, "u": 2},
        members=["a", "b", "c"],
        subscriptions={"a": ["t"], "b": ["u"], "c": ["t"]},  # two components, for networkx
        owned={"a": {"t": [0, 1]}},
    )
    run_assignors(group, tuple(BUILT_IN))  # a plug-in may end its process; that is for a child
    solve(group, time_limit=10.0, effort=0.01)


def solve_all(
    spark: SparkSession,
    problems: DataFrame,
    rules: Rules,
    planner: Planner,
    tasks: int | None = None,
    kill_after: float = KILL_AFTER,
) -> DataFrame:
    """Return a row of `SOLVED` for every group of `problems` whose state is `ready`.

    The groups are divided into `tasks` bins, or into `TASKS_PER_CORE` for each core.
    """
    from pyspark.sql.functions import broadcast, col, desc

    sizes = problems.where("state = 'ready'").select("group", "partitions").collect()
    sizes.sort(key=lambda row: str(row["group"]))
    chosen = [rules.settings_of(row["group"]) for row in sizes]
    costs = [
        estimated_seconds(row["partitions"], settings.effort)
        for row, settings in zip(sizes, chosen, strict=True)
    ]
    cores = spark.sparkContext.defaultParallelism
    tasks = TASKS_PER_CORE * cores if tasks is None else tasks
    n_bins = max(1, min(tasks, len(sizes), max(cores, len(sizes) // GROUPS_PER_TASK)))
    rows = [
        (row["group"], number, settings.to_json(), cost)
        for row, number, settings, cost in zip(
            sizes, bins_of(costs, n_bins), chosen, costs, strict=True
        )
    ]
    bins = spark.createDataFrame(rows, "`group` string, bin int, settings string, cost double")
    # Partitioned by bin number: adaptive execution sizes by bytes and would merge small bins.
    binned = (
        problems.join(broadcast(bins), "group")
        .repartitionById(n_bins, col("bin"))
        .sortWithinPartitions(desc("cost"))
        .select("group", "last_ms", "topics", "members", "settings")
    )
    return binned.mapInArrow(SolveBatches(planner, kill_after), ddl(SOLVED))


def to_arrow(group: str, outcome: GroupResult | Failure) -> pyarrow.RecordBatch:
    """Return one row of `SOLVED`."""
    import pyarrow as pa

    schema = arrow_schema()
    row: dict[str, Any] = {"group": group}
    if isinstance(outcome, Failure):
        # A name can contain an unpaired surrogate, which Arrow refuses.
        reason = outcome.reason.encode("utf-8", "backslashreplace").decode("utf-8")
        row |= {"kind": outcome.kind, "reason": reason}
        return pa.RecordBatch.from_pylist([row], schema=schema)
    row |= {"plan": outcome.plan, "baseline": outcome.baseline}
    batch = pa.RecordBatch.from_pylist([row], schema=schema)
    place = schema.get_field_index("assignment")
    fields = [*schema.field(place).type.value_type]
    # From columns: a dict for each partition would take longer than all the rest.
    columns = [pa.array(outcome.assignment[field.name], field.type) for field in fields]
    values = pa.StructArray.from_arrays(columns, fields=fields)
    listed = pa.ListArray.from_arrays(pa.array([0, len(values)], pa.int32()), values)
    return batch.set_column(place, schema.field(place), listed)


@cache
def arrow_schema() -> pyarrow.Schema:
    """Return `SOLVED` as an Arrow schema."""
    import pyarrow as pa

    plain = arrow_types()

    def struct(fields: Fields) -> pa.StructType:
        return pa.struct([pa.field(name, plain[kind]) for name, kind in fields])

    nested = {
        "plan": struct(PLAN),
        "assignment": pa.list_(struct(ASSIGNMENT)),
        "baseline": pa.list_(struct(BASELINE)),
    }
    return pa.schema([pa.field(name, nested.get(name) or plain[kind]) for name, kind in SOLVED])
