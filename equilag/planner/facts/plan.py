"""What a report on a plan has besides the plan's own figures: members before and after, choices,
and how good the plan is proved to be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any

from equilag.domain.figures import natural_key
from equilag.domain.plan.metrics import member_loads
from equilag.domain.plan.plan import Plan
from equilag.domain.plan.plan_figures import Choice, InstanceRow, LagFigures
from equilag.domain.policy.policy import Policy
from equilag.planner.facts.group import GainScale, GroupFacts
from equilag.planner.facts.work import WorkFacts
from equilag.planner.frontier import Point


@dataclass(frozen=True, slots=True)
class MemberFacts:
    """A member that is not idle, under the current assignment and under the plan."""

    id: str
    partitions_before: int
    lag_before: int
    partitions: int
    lag: int
    capacity: float | None = None
    """None where loads are not per unit of capacity."""
    weight_before: float | None = None
    weight: float | None = None
    """What is spread; None where that is the lag."""
    used_before: float | None = None
    used: float | None = None
    """Rate over capacity; None where one of them is unknown."""

    @property
    def load_before(self) -> float:
        """Weight before; per unit of capacity where there is one."""
        weight = self.lag_before if self.weight_before is None else self.weight_before
        return weight / self.capacity if self.capacity else weight

    @property
    def load(self) -> float:
        """Weight; per unit of capacity where there is one."""
        weight = self.lag if self.weight is None else self.weight
        return weight / self.capacity if self.capacity else weight


def member_facts(plan: Plan, work: WorkFacts | None) -> tuple[MemberFacts, ...]:
    """In the natural order of their ids."""
    current, planned, columns = plan.current, plan.planned, list[Iterable[Any]]()
    for one in (current, plan):
        columns += one.counts.by_member.values(), one.lag.by_member.values()
    columns += [[None] * plan.group.n_members] * 5
    if is_per_capacity(plan) and (work is None or work.unit.knows_speeds):
        columns[4] = map(whole, planned.capacities.values.tolist())
    if planned.weights is not None:
        for place, one in ((5, current), (6, plan)):
            held = member_loads(one.assigned, planned.partition_weight, plan.group.n_members)
            columns[place] = map(whole, (held / planned.weight_scale).tolist())
    if work is not None and work.before is not None and work.after is not None:
        columns[7] = work.before.by_member.values()
        columns[8] = work.after.by_member.values()
    rows = zip(plan.group.members, planned.group.idle.tolist(), *columns, strict=True)
    found = (MemberFacts(member.id, *row) for member, idle, *row in rows if not idle)
    return tuple(sorted(found, key=lambda member: natural_key(member.id)))


def idle_members(plan: Plan) -> tuple[str, ...]:
    """Members whose subscription holds no partition, in the natural order of their ids."""
    members = zip(plan.group.members, plan.planned.group.idle.tolist(), strict=True)
    return tuple(sorted((one.id for one, idle in members if idle), key=natural_key))


def whole(figure: float) -> float:
    """The figure as an integer if it is one."""
    return int(figure) if figure.is_integer() else figure


def instance_loads(plan: Plan) -> Iterator[tuple[InstanceRow, InstanceRow]]:
    """Of each active instance what it has now and under the plan: its load is the lag of all its
    members, but per unit of their capacity where capacities differ. None where each member is its
    own."""
    after, before = plan.extended, plan.current.extended
    if after is None or before is None or before.instances is None or after.instances is None:
        return
    for rows in zip(before.instances.rows, after.instances.rows, strict=True):
        if not rows[0].is_idle and is_per_capacity(plan):
            yield rows
        elif not rows[0].is_idle:
            was, now = (
                row._replace(load=sum(one.lag.by_member[member] for member in row.members))
                for row, one in zip(rows, (plan.current, plan), strict=True)
            )
            yield was, now


@dataclass(frozen=True, slots=True)
class ChoiceFacts:
    """A point between the fewest moves and the most even lag."""

    choice: Choice
    gain_percent: float
    """Part of the excess saved, of what is not proved to be impossible to save."""
    is_this_plan: bool
    settings: Mapping[str, Any]
    """The settings on top of this plan's that ask for the choice."""


def choice_facts(plan: Plan, group: GroupFacts) -> tuple[tuple[ChoiceFacts, ...], bool]:
    """The choices of a plan, and True if their gain counts from the current assignment, not from
    the first choice; none where there is nothing to choose from."""
    choices, loads = plan.choices, plan.loads
    if len(choices) < 2:
        return (), False
    gain = GainScale.of(group, choices[0].excess, loads.excess_lower_bound)
    rows = tuple(
        ChoiceFacts(
            choice,
            gain.percent(choice.excess),
            choice.cost == plan.moves_cost and choice.spread == loads.spread,
            _settings(plan, choice, choice is choices[-1]),
        )
        for choice in choices
    )
    return rows, gain.from_current


def _settings(plan: Plan, choice: Choice, is_last: bool) -> dict[str, Any]:
    """The settings that ask for a choice, and get a plan that is no worse."""
    policy, more = plan.policy or Policy(), choice.cost >= plan.moves_cost
    found = settings_of(choice, policy)
    if is_last and more and not (policy.moves_first or policy.limits_moves):
        found = {name: value for name, value in found.items() if name not in limit_of(choice)}
    # Up to the moves of this plan a limit alone does: it asks for as even a plan as it allows.
    if not (policy.moves_first or more):
        found.pop("tolerance", None)
    return found


def settings_of(one: Choice | Point, policy: Policy) -> dict[str, Any]:
    """The settings on top of a policy that ask for a choice, or for a point of a front."""
    found: dict[str, Any] = {}
    if policy.moves_first:  # such policies never trade moves for lag
        found["policy"] = "lag-aware"
    if policy.move_cost:
        found["move_cost"] = 0
    found |= limit_of(one)
    if policy.tolerance:
        found["tolerance"] = 0
    return found


def limit_of(one: Choice | Point) -> dict[str, int]:
    """The setting that limits moves to those of a choice, or of a point of a front."""
    if one.move_weight is None:
        return {"max_moves": one.moves}
    return {"max_move_weight": ceil(one.move_weight)}


def is_per_capacity(plan: Plan) -> bool:
    """True if the loads of a plan are weights per unit of capacity; else lag in records."""
    return not isinstance(plan.loads, LagFigures)


def policy_in_force(plan: Plan) -> Policy | None:
    """The policy without settings about racks, where these are not known."""
    policy = plan.policy
    if policy is None or not policy.minds_racks:
        return policy
    if plan.extended is not None and plan.extended.cross_rack is not None:
        return policy
    return policy.without("racks")
