"""Export one group of a finished run: its snapshot, and its plan with the certificate."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, cast

import numpy as np

from equilag.adapters.snapshot.write import snapshot_document
from equilag.domain.errors import InputError
from equilag.domain.group.group import NOBODY, Group, Index
from equilag.domain.plan.claim import Claim
from equilag.domain.plan.metrics import count_moves
from equilag.domain.plan.plan import STATUSES, Choice, Plan, Status
from equilag.domain.policy.objective import EXCESS
from equilag.domain.policy.shape import shape_group
from equilag.domain.reduction.reduce import reduce_group
from equilag.domain.show import show
from equilag.pipeline.results.group_commands import planned_with
from equilag.pipeline.results.run_dir import read_summary
from equilag.pipeline.results.run_tables import check_summary, plan_row, read_columns, rows_of
from equilag.pipeline.sources.snapshot_rows import group_input

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
    row = plan_row(path, group, _PLAN)
    problems = rows_of(path, "problems", ("group", "last_ms", "topics", "members"), _only(group))
    if not problems:
        raise InputError(f"there is no group {show(group)}", "problems", path)
    policy = json.loads(row["policy"])
    measured = policy["balance"] not in ("per-topic", "both")
    given = group_input(problems[0], settings["weight"], settings["auto_offset_reset"], measured)
    try:
        loaded = Group.build(**given)
    except InputError as error:
        raise _inconsistent(group, "problems", path) from error
    plan = _plan(row, loaded, _assigned(path, loaded), path)
    found = (
        plan.lag.total,
        plan.lag.max,
        plan.lag.spread,
        count_moves(loaded, plan.assigned),
    )
    if found != tuple(row[name] for name in ("lag_total", "lag_max", "lag_spread", "moves")):
        raise _inconsistent(group, "assignment", path)
    return snapshot_document(given), plan


def _only(group: str) -> dict[str, str]:
    return {"group": group}


def _inconsistent(group: str, table: str, path: str) -> InputError:
    problem = f"the rows of group {show(group)} contradict the other tables"
    return InputError(problem, table, path)


def _assigned(path: str, group: Group) -> Index:
    """Read the member number of each partition from `assignment/`. Raises InputError."""
    table = read_columns(path, "assignment", ("topic", "partition", "to"), _only(group.name))
    start = dict(zip(group.topics, group.topic_start.tolist(), strict=False))
    member: dict[str | None, int] = {m.id: i for i, m in enumerate(group.members)}
    member[None] = NOBODY
    topics, partitions, targets = (column.to_pylist() for column in table.itercolumns())
    try:
        places = [start[t] + n for t, n in zip(topics, partitions, strict=True)]
        members = [member[target] for target in targets]
    except KeyError as error:
        raise _inconsistent(group.name, "assignment", path) from error
    if not np.array_equal(np.sort(np.array(places, np.int64)), np.arange(group.n_partitions)):
        raise _inconsistent(group.name, "assignment", path)
    assigned = np.full(group.n_partitions, NOBODY, np.int32)
    assigned[places] = members
    return assigned


def _plan(row: Mapping[str, Any], group: Group, assigned: Index, path: str) -> Plan:
    try:
        claims = tuple(Claim(**claim) for claim in json.loads(row["certificate"]))
        choices = tuple(Choice(**choice) for choice in json.loads(row["choices"]))
        run = planned_with(row["policy"])
    except (ValueError, TypeError, KeyError) as error:
        raise _inconsistent(group.name, "plans", path) from error
    if row["status"] not in STATUSES:
        raise _inconsistent(group.name, "plans", path)
    try:
        reduction = reduce_group(shape_group(group, run.policy), run.policy)
    except InputError as error:
        raise _inconsistent(group.name, "plans", path) from error
    return Plan(
        reduction.given,
        run.policy,
        cast(Status, row["status"]),
        row["algorithm"],
        assigned,
        claims,
        row["spread_lower_bound"],
        row["moves_lower_bound"],
        row["time_limit_s"],
        row["wall_s"],
        tuple(row["notes"] or ()),
        choices,
        run.seed,
        run.effort,
        run.repeatable,
        excess_lower_bound=max((c.value for c in claims if c.claim == EXCESS), default=0),
        reduction=reduction,
    )
