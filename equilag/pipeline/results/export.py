"""Export one group of a finished run: its snapshot, and its plan with the certificate."""

from __future__ import annotations

import hashlib
import json
import re
import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

import numpy as np

from equilag.adapters.snapshot.write import snapshot_document
from equilag.domain.errors import InputError
from equilag.domain.figures import shorten
from equilag.domain.group.group import NOBODY, Group, Index
from equilag.domain.plan.claim import claim_from
from equilag.domain.plan.metrics import count_moves
from equilag.domain.plan.plan import REPEATABLE, STATUSES, Plan, Status
from equilag.domain.plan.plan_figures import Choice
from equilag.domain.policy.policy import ALWAYS, SETTINGS, Policy
from equilag.domain.policy.shape import shape_group
from equilag.domain.reduction.reduce import reduce_group
from equilag.domain.show import show
from equilag.pipeline.results.run_dir import check_summary, plan_row, read_columns, read_summary
from equilag.pipeline.sources.snapshot_rows import group_input
from equilag.planner.facts import commands
from equilag.planner.facts.fleet_run import GroupCommands
from equilag.planner.solving.result import judge_when_read

if TYPE_CHECKING:
    import pyarrow


MAX_STEM: Final = 100
"""Characters of a file name: with its ending far below the 255 bytes that file systems allow."""
_ODD: Final = re.compile(r"^[.-]|[^A-Za-z0-9._-]")


class PlannedWith(NamedTuple):
    """How a group was planned, as the column `policy` of `plans/` says."""

    policy: Policy
    seed: int
    effort: float | None
    repeatable: bool


@lru_cache(maxsize=256)
def planned_with(column: str) -> PlannedWith:
    """Read the column. Few are different in a run. Raises ValueError, TypeError and KeyError."""
    settings = dict(json.loads(column))
    policy = Policy(**{key: settings[key] for key in SETTINGS if key in settings or key in ALWAYS})
    repeatable = settings["run"] == REPEATABLE
    return PlannedWith(policy, settings["seed"], settings.get("effort"), repeatable)


def group_commands(
    path: str, group: str, planned: PlannedWith, time_limit: float | None
) -> GroupCommands:
    """The commands for a group of the run in the directory `path`."""
    words = ["equilag", "fleet", "export"]
    if path.startswith("-") or group.startswith("-"):
        words.append("--")
    snapshot = plain_word(f"{file_stem(group)}.snapshot.json")
    run = {"seed": planned.seed, "effort": planned.effort, "time_limit": time_limit}
    again = commands.plan_command(shlex.quote(snapshot), planned.policy, run)
    return GroupCommands(shlex.join([*words, path, group]), again)


def file_stem(group: str) -> str:
    """The front of the names of the files that `equilag fleet export` writes.

    No two groups share one, unless the file system ignores case.
    """
    safe = shorten(_ODD.sub("_", group), MAX_STEM, "")
    if safe == group and safe:
        return safe
    digest = hashlib.sha256(group.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{safe}-{digest[:8]}"


def plain_word(path: Path | str) -> str:
    """The path as a word of a command line that cannot be taken for an option."""
    text = str(path)
    return f"./{text}" if text.startswith("-") else text


def plan_command(plan: Plan, snapshot: str) -> str:
    """Return the shell command that finds this plan again from the snapshot file `snapshot`.

    A plan that was cut short by the time limit may differ.
    """
    run = {"seed": plan.seed, "effort": plan.effort, "time_limit": plan.time_limit}
    return commands.plan_command(shlex.quote(snapshot), plan.policy or Policy(), run)


_PLAN: Final = (
    "group", "status", "algorithm", "policy", "lag_total", "lag_max", "lag_spread",
    "spread_lower_bound", "moves", "moves_lower_bound", "certificate", "choices", "notes",
    "time_limit_s", "wall_s",
)  # fmt: skip


def export_group(path: str, group: str) -> tuple[dict[str, Any], Plan]:
    """Return the snapshot (`equilag/snapshot/1`) from which a group was planned, and its plan.

    `verify` accepts `plan.to_dict()` for the snapshot. Raises InputError if the run is unfinished
    or incomplete, or if the group does not exist or was not planned.
    """
    summary = read_summary(path)
    check_summary(summary, path)
    settings = summary["settings"]
    row, of_group = plan_row(path, group, _PLAN), {"group": group}
    columns = "group", "last_ms", "topics", "members"
    problems = read_columns(path, "problems", columns, of_group).to_pylist()
    if not problems:
        raise InputError(f"there is no group {show(group)}", "problems", path)
    targets = read_columns(path, "assignment", ("topic", "partition", "to"), of_group)
    measured = json.loads(row["policy"])["balance"] not in ("per-topic", "both")
    given = group_input(problems[0], settings["weight"], settings["auto_offset_reset"], measured)
    with _consistent(group, "problems", path):
        loaded = Group.build(**given)
    with _consistent(group, "assignment", path):
        assigned = _assigned(targets, loaded)
    with _consistent(group, "plans", path):
        plan = _plan(row, loaded, assigned)
    with _consistent(group, "assignment", path):
        found = plan.lag.total, plan.lag.max, plan.lag.spread, count_moves(loaded, assigned)
        if found != tuple(row[name] for name in ("lag_total", "lag_max", "lag_spread", "moves")):
            raise ValueError(found)
    return snapshot_document(given), plan


@contextmanager
def _consistent(group: str, table: str, path: str) -> Iterator[None]:
    """Turn the errors that rows of a table cause, which contradict others, into InputErrors."""
    try:
        yield
    except (ValueError, TypeError, KeyError, InputError) as error:
        problem = f"the rows of group {show(group)} contradict the other tables"
        raise InputError(problem, table, path) from error


def _assigned(table: pyarrow.Table, group: Group) -> Index:
    """The member number of each partition, from rows of `assignment/`."""
    start = dict(zip(group.topics, group.topic_start.tolist(), strict=False))
    member: dict[str | None, int] = {m.id: i for i, m in enumerate(group.members)}
    member[None] = NOBODY
    topics, partitions, targets = (column.to_pylist() for column in table.itercolumns())
    places = [start[t] + n for t, n in zip(topics, partitions, strict=True)]
    if not np.array_equal(np.sort(np.array(places, np.int64)), np.arange(group.n_partitions)):
        raise ValueError(places)
    assigned = np.full(group.n_partitions, NOBODY, np.int32)
    assigned[places] = [member[target] for target in targets]
    return assigned


def _plan(row: Mapping[str, Any], group: Group, assigned: Index) -> Plan:
    run = planned_with(row["policy"])
    if row["status"] not in STATUSES:
        raise ValueError(row["status"])
    reduction = reduce_group(shape_group(group, run.policy), run.policy)
    return Plan(
        reduction.given,
        run.policy,
        cast(Status, row["status"]),
        row["algorithm"],
        assigned,
        tuple(claim_from(claim) for claim in json.loads(row["certificate"])),
        row["time_limit_s"],
        row["wall_s"],
        tuple(row["notes"] or ()),
        tuple(Choice(**choice) for choice in json.loads(row["choices"])),
        run.seed,
        run.effort,
        run.repeatable,
        reduction=reduction,
        judge=judge_when_read,
    )
