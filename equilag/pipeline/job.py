"""A fleet run, stage by stage: from a history to a directory of plans."""

from __future__ import annotations

import os
import platform
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from equilag.adapters.kafka.client_config import kafka_config
from equilag.domain.errors import InputError
from equilag.pipeline.fleet_options import FleetOptions
from equilag.pipeline.group_result import PlanGroup, Planner
from equilag.pipeline.results.run_dir import FORMAT, WORK, check_target, finish_run, new_run
from equilag.pipeline.results.summary import figures_of
from equilag.pipeline.session import (
    Stages,
    Watcher,
    check_spark,
    return_memory,
    session,
    spark_errors,
)
from equilag.pipeline.solving import solve_all
from equilag.pipeline.sources.check_history import check_files
from equilag.pipeline.sources.history import (
    TABLES,
    History,
    TableFiles,
    TableName,
    find_files,
    literal,
    read_files,
)
from equilag.pipeline.sources.measured_capacities import capacities_of, holders_of, with_capacities
from equilag.pipeline.sources.problems import QUALITY, problems_of, with_racks
from equilag.pipeline.sources.signals import Span, rounds_of, signals_of, times_of
from equilag.pipeline.sources.snapshot_rows import time_text

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from equilag.adapters.kafka.sample import Sample


DAY: Final = 86_400
"""Seconds that a sample may lie ahead of this machine's clock before its time is ignored."""
ROW_GROUP: Final = 8 * 2**20
"""Bytes per row group, a sixteenth of the default: reading one group reads few others with it."""


def run_fleet(
    options: FleetOptions,
    *,
    master: str | None = None,
    memory: str = "4g",
    planner: Planner | None = None,
    watcher: Watcher | None = None,
) -> dict[str, Any]:
    """Plan every group of a history into the directory `options.out`; return the summary.

    `planner` replaces equilag's planner and must be picklable. Raises InputError for wrong input,
    before anything is written, MissingExtra without PySpark, and SparkFailed for errors of Spark.
    """
    check_spark()
    check_target(options.out)
    files = _files({"offsets": options.offsets, "members": options.members, "racks": options.racks})
    for table, found in files.items():
        check_files(found, table)
    with session(master, memory, sum(found.size for found in files.values())) as spark:
        stages = Stages(spark, watcher)
        start = time.monotonic()
        with spark_errors(), new_run(options.out) as target:
            sink = Sink(spark, target)
            with stages.stage("history"):
                history = _history(spark, options, files, sink)
                times = sink.write(f"{WORK}/times", times_of(spark, history.offsets))
                span = _span(times, options)
                rounds = sink.write(f"{WORK}/rounds", rounds_of(spark, times, span.at), 1)
            clock = Clock(times, rounds, span)
            summary = _run(spark, stages, history, clock, options, planner, sink)
            summary["stages_s"] = stages.seconds
            summary["wall_s"] = time.monotonic() - start
            finish_run(target, summary)
    return {"format": FORMAT, **summary}


def _files(sources: Mapping[TableName, Sequence[str]]) -> dict[TableName, TableFiles]:
    """Find the files of each table that has sources. Raises InputError."""
    return {name: find_files(paths, name) for name, paths in sources.items() if paths}


def _history(
    spark: SparkSession, options: FleetOptions, files: dict[TableName, TableFiles], sink: Sink
) -> History:
    unreadable: DataFrame | None = None
    notes: dict[str, Any] = {}
    if options.bootstrap is not None:
        folder = sink.target / WORK / "history"
        sample = _sampled(options, folder)
        files = _files({name: [str(folder / name)] for name in TABLES if (folder / name).exists()})
        notes = {"remarks": sample.remarks}
        unreadable = spark.createDataFrame(
            [*sample.left_out.items()], "`group` string, reason string"
        )
    tables = {name: read_files(spark, found, name) for name, found in files.items()}
    return History(tables["offsets"], tables["members"], unreadable, notes, tables.get("racks"))


def _sampled(options: FleetOptions, folder: Path) -> Sample:
    """Record one sample of a live cluster as a history. Raises InputError."""
    from equilag.adapters.kafka.described import NoAnswer
    from equilag.adapters.kafka.sample import ClusterSampler
    from equilag.pipeline.results.record import Recorder

    assert options.bootstrap is not None
    config = kafka_config(options.bootstrap, options.client)
    with closing(ClusterSampler(config)) as sampler, closing(Recorder(str(folder))) as recorder:
        try:
            sample = sampler.round(whole=True)
        except NoAnswer as error:
            raise InputError(str(error), "", options.bootstrap) from error
        if not sample.n_groups and not sample.left_out:
            problem = "has no consumer groups, or none that may be described"
            raise InputError(problem, source=options.bootstrap)
        recorder.add(sample.ts_ms, sample.offsets, sample.members, sample.racks)
    return sample


def _span(times: DataFrame, options: FleetOptions) -> Span:
    """Return the times of the run. Raises InputError if the history has no usable samples."""
    from pyspark.sql.functions import col, lit, when
    from pyspark.sql.functions import max as newest

    (row,) = (
        times.where("samples > 0")
        .where(lit(True) if options.at is None else col("ts_ms") <= options.at)
        .agg(
            newest("ts_ms").alias("newest"),
            newest(when(col("ts_ms") < (time.time() + DAY) * 1000, col("ts_ms"))).alias("at"),
            newest("sized").alias("sized"),
        )
        .collect()
    )
    if row["newest"] is None:
        when_text = "" if options.at is None else f" up to {time_text(options.at)}"
        raise InputError(f"no usable row{when_text}", "offsets")
    if options.weight == "bytes" and not row["sized"]:
        raise InputError("bytes needs the column log_bytes, which is empty", "weight")
    # A sample from a clock that is years ahead must not make all other groups stale.
    at = row["newest"] if row["at"] is None else row["at"]
    return Span(at if options.at is None else options.at, options.window, options.horizon)


def _run(
    spark: SparkSession,
    stages: Stages,
    history: History,
    clock: Clock,
    options: FleetOptions,
    planner: Planner | None,
    sink: Sink,
) -> dict[str, Any]:
    rounds, span = clock.rounds, clock.span
    with stages.stage("signals"):
        signals = sink.write(
            "signals", signals_of(spark, history.offsets, rounds, span, options.reset)
        )
    if options.weight in ("rate", "forecast", "work") and signals.where("NOT no_rate").isEmpty():
        raise InputError(
            f"{options.weight} needs at least one partition with two samples within the window",
            "weight",
        )
    weight = options.weight or "work"  # of a group without rates, that is its lag
    members = history.members
    if weight == "work" and options.bootstrap is None:
        with stages.stage("capacities"):
            members = _with_capacities(spark, history, clock, signals, sink)
    with stages.stage("problems"):
        if history.racks is not None:
            signals = with_racks(spark, signals, history.racks, span.at)
        problems = sink.write(
            "problems", problems_of(spark, signals, rounds, members, span, weight, options.stale)
        )
        sink.write("quality", problems.select(*QUALITY), 1)
    with stages.stage("solve"):
        return_memory(spark)
        solved = sink.write(
            f"{WORK}/solved",
            solve_all(
                spark,
                problems,
                options.rules,
                planner or PlanGroup(weight, options.reset, options.limits),
                options.tasks,
                options.kill_after,
            ),
        )
    with stages.stage("sinks"):
        sink.write("plans", solved.where("kind IS NULL").selectExpr("`group`", "plan.*"), 1)
        sink.write("assignment", solved.selectExpr("`group`", "inline(assignment)"))
        sink.write("baseline", solved.selectExpr("`group`", "inline(baseline)"), 1)
        sink.write("failures", _failures(problems, solved, history.unreadable), 1)
    with stages.stage("summary"):
        return {
            "at": time_text(span.at),
            "settings": options.to_dict(),
            **figures_of(sink.target),
            "source": dict(history.notes),
            "versions": _versions(spark),
        }


def _with_capacities(
    spark: SparkSession, history: History, clock: Clock, signals: DataFrame, sink: Sink
) -> DataFrame:
    """Measure the members' capacities; return the table of members with them."""
    holders = sink.write(f"{WORK}/holders", holders_of(spark, history.members, clock.span))
    capacities = capacities_of(spark, history.offsets, clock.times, holders, signals, clock.span)
    return with_capacities(spark, history.members, sink.write("capacities", capacities))


def _failures(problems: DataFrame, solved: DataFrame, unreadable: DataFrame | None) -> DataFrame:
    """Return group, kind and reason of all groups without a plan."""
    unready = problems.where("state <> 'ready' AND `group` IS NOT NULL").selectExpr(
        "`group`", "state AS kind", "reason"
    )
    unsolved = solved.where("kind IS NOT NULL").select("group", "kind", "reason")
    failures = unready.unionByName(unsolved)
    if unreadable is not None:
        failures = failures.unionByName(
            unreadable.selectExpr("`group`", "'unreadable' AS kind", "reason")
        )
    return failures.orderBy("group")


class Clock(NamedTuple):
    """When a history was sampled: the tables of times and of rounds, and the times of the run."""

    times: DataFrame
    rounds: DataFrame
    span: Span


class Sink:
    """Writes tables into a run's directory and returns them as stored."""

    def __init__(self, spark: SparkSession, target: Path) -> None:
        self._spark = spark
        self.target = target

    def write(self, name: str, table: DataFrame, files: int | None = None) -> DataFrame:
        """Write a table as parquet, in `files` files if given, and read it back.

        Later stages use the stored table, so nothing is computed twice.
        """
        # Not as_uri(): Spark does not decode percent signs in paths.
        path = f"file:{self.target / name}"
        writer = (table if files is None else table.coalesce(files)).write
        writer = writer.option("compression", "zstd").option("parquet.block.size", ROW_GROUP)
        writer.parquet(path)
        return self._spark.read.parquet(literal(path))


def _versions(spark: SparkSession) -> dict[str, str | int | None]:
    return {
        "equilag": version("equilag"),
        "python": platform.python_version(),
        "spark": spark.version,
        "ortools": version("ortools"),
        "numpy": version("numpy"),
        "java": spark._jvm.System.getProperty("java.version") if spark._jvm else None,
        "platform": sys.platform,
        "cores": os.cpu_count(),
    }
