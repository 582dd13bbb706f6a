"""`simulate`: how lag develops under the current assignment and under a plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Unpack, cast

import numpy as np

from equilag.certificate.plan_document import other_group
from equilag.domain.columns import Floats, Index
from equilag.domain.errors import InputError, whole_number
from equilag.domain.group.group import Group
from equilag.domain.group.weight import filled_rates
from equilag.domain.plan.assignment import read_assignment
from equilag.domain.plan.plan import FORMAT, Plan
from equilag.domain.policy.policy import SETTINGS, Policy
from equilag.domain.policy.shape import shape_group, with_added_members
from equilag.domain.reduction.reduce import known_capacities
from equilag.domain.show import show
from equilag.planner.simulation.fluid import (
    PROTOCOLS,
    Conditions,
    FluidState,
    Schedule,
    members_read_at,
    rebalanced,
)
from equilag.planner.simulation.rebalance_price import COOPERATIVE_ROUNDS, Pace, weigh
from equilag.planner.simulation_result import Assumed, Moments, Simulation, course_of
from equilag.planner.solve import solve
from equilag.planner.solving.run_settings import (
    PolicySettings,
    SolveSettings,
    checked_group,
    checked_seconds,
    policy_from,
)

DEFAULT_PAUSE: Final = 2.3
"""Seconds: a full swap of a group with Kafka's default heartbeats (3 s), measured. Members learn of
a rebalance with a heartbeat."""
DURATIONS: Final = (60.0, 300.0, 600.0, 1800.0, 3600.0)
"""Seconds that are looked at: the least of these that is long enough, at most the last."""
PARTS: Final = (0, 1 / 60, 1 / 10, 1 / 5, 2 / 5, 3 / 5, 1)
"""The times of a table, as parts of the duration: of 5 minutes 0, 5 and 30 seconds, 1, 2, 3 and 5
minutes."""
STEPS: Final = 120
"""Of the curve: two for each column of a picture on a common screen."""


class SimulationSettings(SolveSettings, total=False):
    """The settings of the plan that is made where none is given."""

    policy: str | Policy


def simulate(
    group: Group,
    plan: Plan | Mapping[str, Any] | None = None,
    *,
    duration: float | None = None,
    pause: float = DEFAULT_PAUSE,
    protocol: str = PROTOCOLS[0],
    rounds: int = COOPERATIVE_ROUNDS,
    poll: float | None = None,
    times: Sequence[float] | None = None,
    **settings: Unpack[SimulationSettings],
) -> Simulation:
    """Return how lag develops from the snapshot on, under the current assignment and under a plan.

    A fluid model: each partition gets its rate, a member reads its capacity while it has a backlog
    and shares it equally between its partitions that have one. `plan` is a `Plan` or its JSON; None
    makes one, with `settings`, which are those of `solve` and `policy`. `capacity`, in records per
    second, counts with a given plan too; that of the plan's policy is the default.

    The plan's assignment comes with a rebalance at time 0 of `pause` seconds. Nobody reads in it
    (`protocol` ``eager``, the default: most assignors of Kafka's clients are), or everything but
    what changes hands is read (``cooperative``, where the pause is that of each of the `rounds` but
    the first). `poll` are the seconds between two polls of the slowest member, from which the pause
    of a round follows. `duration` is in seconds; None looks until
    all is read, at most an hour. `times` are when partitions are looked at; None chooses seven.

    Raises InputError if no member's capacity is known, for a plan that does not fit the group, and
    for settings that make no sense.
    """
    pace = _pace(pause, protocol, rounds, poll)
    looked_at = None if times is None else _checked_times(times)
    length = None if duration is None else checked_seconds(duration, "duration")
    if length == 0:
        raise InputError("0 is not a duration", "duration")
    made, group, assigned = _planned(checked_group(group), plan, settings)
    _check_speeds(group)
    conditions, assumed = _conditions(group, assigned)
    state = FluidState.start(group.lag.astype(np.float64), conditions.rate)
    before = conditions._replace(owner=group.owner)
    schedules: tuple[Schedule, Schedule] = (
        [(0.0, before)],
        rebalanced(before, conditions, pace.pause_s, pace.protocol),
    )
    if length is None:
        length = _duration(state, schedules) if looked_at is None else max(looked_at) or 1.0
    # The curve has the end of the pause, where lag is highest.
    curve = np.append(np.linspace(0.0, length, STEPS + 1), min(pace.pause_s, length))
    at = np.array(PARTS) * length if looked_at is None else looked_at
    moments = Moments(at, np.unique(curve))
    current, planned = (course_of(state, schedule, moments) for schedule in schedules)
    changes = int(np.count_nonzero(group.owner != assigned))
    guessed = np.array([member.capacity is None for member in group.members], dtype=np.bool_)
    weighed = weigh(state.lag, before, assigned, pace, length, guessed)
    return Simulation(
        group, made, conditions, length, pace, assumed, current, planned, changes, weighed
    )


def _pace(pause: float, name: str, rounds: int, poll: float | None) -> Pace:
    protocol = next((known for known in PROTOCOLS if known == name), None)
    if protocol is None:
        raise InputError(f"{name!r} is none of {', '.join(PROTOCOLS)}", "protocol")
    whole_number(rounds, "rounds", COOPERATIVE_ROUNDS)
    if poll is not None:
        return Pace.of_polls(checked_seconds(poll, "poll"), rounds, protocol)
    return Pace(checked_seconds(pause, "pause"), rounds, protocol=protocol)


def _check_speeds(group: Group) -> None:
    """Raise InputError if there are members and no capacity is known."""
    if group.members and not group.knows_capacities:
        problem = (
            "a simulation needs how fast members read: give it in records per second, as with"
            " --capacity '*=500', or let equilag measure it: in a live group with --sample 30s, or"
            " from two texts with --between"
        )
        raise InputError(problem)


def _planned(
    group: Group, plan: Plan | Mapping[str, Any] | None, settings: SimulationSettings
) -> tuple[Plan | None, Group, Index]:
    """The plan if it was made here, the group with its capacities, and the assignment [P]."""
    rest: dict[str, Any] = {**settings}
    policy = policy_from(rest.pop("policy", "lag-aware"))
    if plan is None:
        if not (rest.get("capacity") or policy.capacity):
            _check_speeds(group)  # before the time of a plan is spent
        made = solve(group, policy, **cast(SolveSettings, rest))
        return made, made.group, made.assigned
    if isinstance(plan, Plan):
        document: object = {
            "format": FORMAT,
            "group": plan.group.name,
            "assignment": plan.assignment,
            "policy": plan.settings,
        }
    else:
        document = plan
    if not isinstance(document, Mapping):
        raise InputError(f"{type(document).__name__} is no plan, nor its JSON as a dict", "plan")
    for name in PolicySettings.__annotations__:
        if name != "capacity" and rest.get(name) is not None:
            raise InputError("has no effect beside a plan", name)
    table = document.get("policy")
    of_plan = table.get("capacity") if isinstance(table, Mapping) else None
    added = table.get("add_members") if isinstance(table, Mapping) else None
    group = with_added_members(group, SETTINGS["add_members"].checked(added, "plan"))
    assigned = _given(group, document)
    own = rest.get("capacity")
    given: Any
    for given in (of_plan, policy.capacity if own is None else own):
        group = shape_group(group, Policy(capacity=given))
    return None, group, assigned


def _given(group: Group, document: Mapping[str, Any]) -> Index:
    """[P] the assignment of a plan's JSON. Raises InputError at `plan`."""
    if document.get("format") != FORMAT:
        problem = f"format: {show(document.get('format'))}, not {show(FORMAT)}"
        raise InputError(problem, "plan")
    findings: list[str] = []
    if (other := other_group(group, document)) is not None:
        findings.append(other)
    assigned = read_assignment(group, document.get("assignment"), findings)
    if findings or assigned is None:
        raise InputError(f"does not fit the group: {findings[0]}", "plan")
    return assigned


def _conditions(group: Group, assigned: Index) -> tuple[Conditions, Assumed]:
    rates = filled_rates(group)
    capacity = known_capacities(group)
    unknown = [m for m, member in enumerate(group.members) if member.capacity is None]
    usual = capacity[unknown[0]] if unknown else None
    conditions = Conditions(rates.rate, np.array(capacity, dtype=np.float64), assigned)
    return conditions, Assumed(rates.unknown, len(unknown), usual)


def _duration(state: FluidState, schedules: Sequence[Schedule]) -> float:
    """Until all is read; twice as long where the other assignment never gets there, to see it fall
    behind; an hour where neither does."""
    times = [float(members_read_at(state, schedule).max()) for schedule in schedules]
    needed = [time for time in times if time < np.inf]
    if not needed:
        return DURATIONS[-1]
    wanted = max(needed) * (1 if len(needed) == len(schedules) else 2)
    return next((length for length in DURATIONS if length >= wanted), DURATIONS[-1])


def _checked_times(times: Sequence[float]) -> Floats:
    found = np.unique([checked_seconds(time, "times") for time in times])
    if not len(found):
        raise InputError("no times", "times")
    return found
