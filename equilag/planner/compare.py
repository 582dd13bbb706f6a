"""`compare`: the current assignment, every heuristic and the optimum side by side."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, replace
from threading import Event
from typing import Any, Final, Literal, NamedTuple, Unpack

from equilag.domain.document import Shown
from equilag.domain.errors import InputError
from equilag.domain.group.group import NOBODY, Group, Index
from equilag.domain.plan.claim import Evidence
from equilag.domain.plan.metrics import count_moves
from equilag.domain.plan.plan import Plan, Status
from equilag.domain.policy.policy import SETTINGS, Policy
from equilag.domain.policy.shape import with_added_members
from equilag.heuristics import assignor_names
from equilag.heuristics.registry import (
    AnyAssignor,
    GivenAssignor,
    check_names,
    given_assignor,
    package_of_assignor,
)
from equilag.heuristics.sticky import components
from equilag.planner.comparison_figures import (
    NOTHING_MORE,
    BeyondReason,
    BoundScope,
    ExtendedRow,
    extended_row,
)
from equilag.planner.solve import solve
from equilag.planner.solving.run_settings import SolveSettings, checked_group

COMPARISON_FORMAT: Final = "equilag/comparison/1"
CURRENT = "current"
"""The row of the current assignment."""
OWN_ROW: Final = "equilag"
"""The row of equilag's plan."""

RowStatus = Status | Literal["current", "heuristic", "failed", "not run"]
"""Of equilag's own row the plan's; an assignor that was not run had no time, since the run was
interrupted."""


@dataclass(frozen=True, slots=True)
class ComparisonRow:
    """Figures of one assignment; spreads over the members that are not idle.

    `gap_percent_of_mean` is the distance of the lag spread from the proved bound in percent of the
    mean load, which an assignment that the bound does not hold for can beat.
    Without an assignment all figures are None.
    """

    assignor: str
    count_spread: int | None = None
    moves: int | None = None
    lag_max: int | None = None
    lag_spread: int | None = None
    lag_excess: float | None = None
    """Sum over the members of what lies above the mean load."""
    gap_percent_of_mean: float | None = None
    wall_ms: float | None = None
    status: RowStatus = "heuristic"
    evidence: Evidence | None = None
    """What equilag's status rests on; None for the others, which claim nothing."""
    failed: str | None = None
    """Why the assignor has no assignment; None if it has one."""
    package: str | None = None
    """The installed package, with its version, that the assignor comes from."""
    extended: ExtendedRow = NOTHING_MORE
    """Figures of an extended group."""
    beyond_reasons: tuple[BeyondReason, ...] = ()
    """Why the bound does not hold for it; empty if it does, and without an assignment."""

    @property
    def beyond_bound(self) -> bool:
        """True if the bound does not hold for it."""
        return bool(self.beyond_reasons)

    def to_dict(self) -> dict[str, Any]:
        """The figures; those of an extended group where there are any."""
        document = asdict(self)
        del document["extended"], document["beyond_reasons"]
        reasons = {"beyond_bound": self.beyond_bound, "beyond_reasons": list(self.beyond_reasons)}
        return document | reasons | self.extended.to_dict()


@dataclass(frozen=True, slots=True, repr=False)
class Comparison(Shown):
    """The assignments of several assignors and of equilag for one group, side by side."""

    rows: tuple[ComparisonRow, ...]
    """``current`` first if anybody owns anything, then the assignors, ``equilag`` last."""
    spread_lower_bound: float
    """In records; per unit of capacity where capacities differ, and so are the gaps."""
    plan: Plan
    """The optimum's."""

    def to_dict(self) -> dict[str, Any]:
        """The comparison's JSON, format ``equilag/comparison/1``."""
        plan = self.plan
        document: dict[str, Any] = {
            "format": COMPARISON_FORMAT,
            "group": plan.group.name,
            "policy": plan.settings,
            "status": plan.status,
            "evidence": plan.evidence,
            "rows": [row.to_dict() for row in self.rows],
            "spread_lower_bound": self.spread_lower_bound,
            "timing": {"time_limit_s": plan.time_limit, "wall_s": plan.wall_s},
        }
        if plan.interrupted:
            document["interrupted"] = True
        if plan.notes:
            document["notes"] = list(plan.notes)
        return document


def compare(
    group: Group,
    policy: str | Policy = "lag-aware",
    *,
    assignors: Sequence[AnyAssignor] = (),
    **settings: Unpack[SolveSettings],
) -> Comparison:
    """Run every built-in and installed assignor on the same group, and those in `assignors`.

    These are given as to `assign`: by name or ``module:attribute``, or as an object.
    `policy` and the other settings are those of `solve`, for the optimum alone; its tolerance is 0
    unless given. The row ``current`` is there if anybody owns anything; it counts only what is
    owned. An installed assignor that fails has a row that says so. Raises InputError for an
    assignor in `assignors` that is unknown, whose answer is not valid, or whose name another row
    has, and for settings as `solve` does.
    """
    checked_group(group)
    if not isinstance(policy, Policy) and settings.get("tolerance") is None:
        settings["tolerance"] = 0.0
    names = [one for one in assignors if isinstance(one, str)]
    objects = [given_assignor(one) for one in assignors if not isinstance(one, str)]
    listed = tuple(dict.fromkeys((*assignor_names(), *names)))
    check_names(objects, {*listed, CURRENT, OWN_ROW})
    required = {*names, *(one.name for one in objects)}
    added = SETTINGS["add_members"].checked(settings.get("add_members"))
    if isinstance(policy, Policy):
        added = added or policy.add_members
    if added:  # assignors plan for them as well
        group, settings["add_members"] = with_added_members(group, added), 0
    stop = settings.get("stop")
    baselines = run_assignors(group, (*listed, *objects), required=required, stop=stop)
    start = time.perf_counter()
    plan = solve(group, policy, **settings)
    return comparison_of(plan, time.perf_counter() - start, baselines)


class Baseline(NamedTuple):
    """What one assignor did, and how long it took."""

    assignor: str
    assigned: Index | None
    """[P] member, or NOBODY; None if the assignor failed or was not run."""
    wall: float = 0.0
    """Seconds."""
    failed: str | None = None
    """Why there is no assignment; None if there is one, and for an assignor that was not run."""


def run_assignors(
    group: Group,
    assignors: Sequence[str | GivenAssignor] | None = None,
    *,
    required: Collection[str] = (),
    stop: Event | None = None,
) -> list[Baseline]:
    """Return the current assignment, if anybody owns anything, and that of every assignor.

    `assignors` are those to run, None for all. One that fails has no assignment, but the reason.
    Once `stop` is set no further one is run. Raises InputError if one of `required`, which are
    names, fails.
    """
    found: list[Baseline] = []
    components(group)  # imports what built-in assignors would import while they run
    if (group.owner != NOBODY).any():
        found.append(Baseline(CURRENT, group.owner))
    for one in assignor_names() if assignors is None else assignors:
        name = one if isinstance(one, str) else one.name
        if stop is not None and stop.is_set():
            found.append(Baseline(name, None))
            continue
        try:
            assignor = given_assignor(one) if isinstance(one, str) else one
            start = time.perf_counter()
            assigned = assignor.run(group)
            found.append(Baseline(assignor.name, assigned, time.perf_counter() - start))
        except InputError as error:
            if name in required:
                raise
            found.append(Baseline(name, None, failed=error.problem))
    return found


def comparison_of(plan: Plan, wall: float, baselines: Sequence[Baseline]) -> Comparison:
    """A plan that took `wall` seconds, beside the assignments of others for its group."""
    bound = plan.loads.spread_lower_bound if plan.status != "fallback" else 0
    scope = BoundScope(plan)
    rows = [_row_of(plan, found, bound, scope) for found in baselines]
    optimum = _figures(plan, Baseline(OWN_ROW, plan.assigned, wall), plan.assigned, bound)
    rows.append(replace(optimum, status=plan.status, evidence=plan.evidence))
    return Comparison(tuple(rows), bound, plan)


def _row_of(plan: Plan, found: Baseline, bound: float, scope: BoundScope) -> ComparisonRow:
    name = found.assignor
    package = None if name == CURRENT else package_of_assignor(name)
    if found.assigned is None:
        status: RowStatus = "not run" if found.failed is None else "failed"
        return ComparisonRow(name, status=status, failed=found.failed, package=package)
    row = _figures(plan, found, found.assigned, bound)
    row = replace(row, beyond_reasons=scope.beyond(found.assigned, row.extended.breaks_rules))
    if name == CURRENT:
        return replace(row, moves=0, status="current")
    return replace(row, package=package)


def _figures(plan: Plan, found: Baseline, assigned: Index, bound: float) -> ComparisonRow:
    one = replace(plan, assigned=assigned)
    counts, lag, extended, mean = one.counts, one.lag, extended_row(one), plan.loads.mean
    uneven = lag.spread if extended.load_spread is None else extended.load_spread
    return ComparisonRow(
        found.assignor,
        counts.max - counts.min,
        count_moves(plan.group, assigned),
        int(max(lag.by_member.values(), default=0)),
        int(lag.spread),
        lag.excess,
        100.0 * (uneven - bound) / mean if mean else 0.0,
        round(1000 * found.wall, 3),
        extended=extended,
    )
