"""The settings of a policy, each declared once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

from equilag.domain.policy.entries import (
    CAPACITIES,
    LIMITS,
    PINS,
    TOPIC_LISTS,
    TOPICS,
    Capacities,
    Limits,
    Pins,
    TopicLists,
)
from equilag.domain.policy.setting import (
    Command,
    Flag,
    OneOfNames,
    Percent,
    Seconds,
    Whole,
    setting,
)
from equilag.domain.show import plural

PolicyName = Literal["lag-aware", "kip-169", "fair-yet-sticky", "sticky-yet-fair"]
Balance = Literal["total", "per-topic", "both", "total-then-topics", "none"]
WeightKind = Literal["lag", "rate", "work", "given"]
MoveWeightKind = Literal["count", "lag", "rate", "given"]
InstancesBy = Literal["host", "client-id", "none"]

POLICIES: Final[tuple[PolicyName, ...]] = get_args(PolicyName)
BALANCES: Final[tuple[Balance, ...]] = get_args(Balance)
WEIGHTS: Final[tuple[WeightKind, ...]] = get_args(WeightKind)
MOVE_WEIGHTS: Final[tuple[MoveWeightKind, ...]] = get_args(MoveWeightKind)
INSTANCES_BY: Final[tuple[InstancesBy, ...]] = get_args(InstancesBy)
UNCONSTRAINED: Final = "none"
"""`balance` in the JSON of a single heuristic's plan, which claims no count balance."""

MAX_MOVE_COST: Final = 2**53
"""As for a lag: JSON readers keep whole numbers exact below it."""
DEFAULT_HORIZON: Final = 300.0
"""Seconds: the backlog of a minute weighs as much as a fifth more of the rate."""
DEFAULT_TOLERANCE: Final = 1.0
"""In percent of the mean load: lag is of one moment, and a move is a pause."""
MAX_TOLERANCE: Final = 1_000_000
"""In percent: 10,000 times the mean load, beyond any spread that a plan could have."""
MAX_ADDED: Final = 1_000_000
"""Further members: ten times what any group has."""

_NO_OWNERS: Final = "in a group of another size all partitions are planned anew"
_NO_RACKS: Final = "the racks of new members are not known"
_NO_MEMBER: Final = "in a group of another size no partition is tied to a member"
_PLANNING: Final[tuple[Command, ...]] = ("plan",)
_WITH_SIZE: Final[tuple[Command, ...]] = ("plan", "size")
_BUT_SIZE: Final[tuple[Command, ...]] = ("plan", "fleet", "steward")


@dataclass(frozen=True, slots=True)
class Settings:
    """The values of all settings of a policy.

    A field is the one declaration of its setting: default, form, family, option, help. `Policy`
    checks the values; None, as a value of any of them, is the default.
    """

    name: PolicyName = setting(
        "lag-aware", OneOfNames(POLICIES, "policy"), "goals", "P",
        "the goals of a plan and their order",
        always=True, place="policy", words=str,
    )  # fmt: skip
    balance: Balance = setting(
        None, OneOfNames(BALANCES, "balance"), "goals", "B",
        "even counts over all topics (total), in each topic (per-topic), in each topic and then"
        " in total (both), in total and then in topics (total-then-topics), or any counts"
        " within the members' room (none)",
        default_words="the policy's own", always=True, words=lambda b: f"balance {b}",
    )  # fmt: skip
    move_cost: int = setting(
        0, Whole(MAX_MOVE_COST, "2^53 - 1"), "moves", "LAG",
        "each move, or unit of moved weight, must save this many records of lag spread; with"
        " capacities, records of a member with the largest one",
        commands=("plan", "steward"), refused={"size": _NO_OWNERS}, always=True,
        words=lambda cost: f"a move must save {cost:,}",
    )  # fmt: skip
    tolerance: float = setting(
        DEFAULT_TOLERANCE, Percent(MAX_TOLERANCE), "goals", "PERCENT",
        "accept a lag spread this far above the best that was found, to save moves; in percent"
        " of the mean load; 0: the most even plan",
        commands=("plan", "size", "steward"), always=True,
        words=lambda percent: f"tolerance {percent:g} % of the mean",
    )  # fmt: skip
    max_moves: int | None = setting(
        None, Whole(), "moves", "N",
        "move at most N partitions; if even counts force more moves, an error names the"
        " number",
        default_words="no limit", excludes="fresh",
        commands=_PLANNING, refused={"size": _NO_OWNERS}, always=True,
        words=lambda most: f"at most {plural(most, 'move')}",
    )  # fmt: skip
    fresh: bool = setting(
        False, Flag(), "moves", "",
        "plan as if no partition had an owner; excludes a limit on moves",
        commands=_PLANNING, refused={"size": _NO_OWNERS}, always=True,
        words=lambda _: "as if nobody owned anything",
    )  # fmt: skip
    move_weight: MoveWeightKind | None = setting(
        None, OneOfNames(MOVE_WEIGHTS, "move weight"), "moves", "W",
        "what a move of a partition weighs; count: 1; lag; rate: records produced per second;"
        " given: the snapshot's move_weights",
        default_words="given where there are any, else count",
        commands=_PLANNING, refused={"size": _NO_OWNERS},
    )  # fmt: skip
    max_move_weight: int | None = setting(
        None, Whole(MAX_MOVE_COST, "2^53 - 1"), "moves", "N",
        "move at most this weight; if even counts force more, an error names it",
        default_words="no limit", excludes="fresh",
        commands=_PLANNING, refused={"size": _NO_OWNERS},
        words=lambda most: f"moves of at most {most:,} in weight",
    )  # fmt: skip
    weight: WeightKind | None = setting(
        None, OneOfNames(WEIGHTS, "weight"), "weight", "W",
        "what to spread; lag; rate: records produced per second; work: lag + rate x horizon;"
        " given: the snapshot's weights",
        default_words="work where rates are known; given where weights alone are; else lag",
        commands=_WITH_SIZE,
    )  # fmt: skip
    horizon: float = setting(
        DEFAULT_HORIZON, Seconds(), "weight", "D",
        "how far ahead work looks, such as 30s or 5m",
        default_words="5m", commands=_WITH_SIZE, shown_with=("weight", "work"),
    )  # fmt: skip
    rack_aware: bool = setting(
        False, Flag(), "racks", "",
        "read as few partitions as possible across racks; only even counts come first;"
        " --max-cross-rack is then only checked",
        commands=_BUT_SIZE, refused={"size": _NO_RACKS},
        words=lambda _: "fewest reads across racks",
    )  # fmt: skip
    max_cross_rack: int | None = setting(
        None, Whole(), "racks", "N", "read at most N partitions across racks",
        default_words="no limit", commands=_BUT_SIZE, refused={"size": _NO_RACKS},
        words=lambda most: f"at most {plural(most, 'read')} across racks",
    )  # fmt: skip
    capacity: Capacities = setting(
        (), CAPACITIES, "capacities", "ID=N",
        "how much a member can process, in the same unit for all; ID may be a pattern, as in"
        " 'c-*=2'; can be repeated; the last match applies",
    )  # fmt: skip
    max_partitions: Limits = setting(
        (), LIMITS, "room", "[ID=]N",
        "at most N partitions per member, or for members that an ID or pattern matches, as in"
        " 'canary-*=2'; partition i of all co-partitioned topics of a list counts once; can be"
        " repeated; the last match applies",
        default_words="no limit",
    )  # fmt: skip
    instances: InstancesBy | None = setting(
        None, OneOfNames(INSTANCES_BY, "instances"), "instances", "BY",
        "members with the same host or client-id are threads of one instance; none: each"
        " member is an instance",
        default_words="what the snapshot says",
    )  # fmt: skip
    co_partition: TopicLists = setting(
        (), TOPIC_LISTS, "co-partitioning", "T1,T2",
        "give partition i of all these topics to one member, for joins; can be repeated;"
        " replaces the lists of the snapshot; none: no lists",
    )  # fmt: skip
    pin: Pins = setting(
        (), PINS, "pins", "TOPIC-PARTITION=ID",
        "only this member may take the partition; ID is a member id, or an instance or client"
        " id, which survive restarts; narrows what the group allows; can be repeated",
        commands=_BUT_SIZE, refused={"size": _NO_MEMBER},
    )  # fmt: skip
    keep: tuple[str, ...] = setting(
        (), TOPICS, "pins", "TOPIC",
        "keep the topic's partitions with their owners, and give those that are co-partitioned"
        " with them to the same members; can be repeated",
        commands=_BUT_SIZE, refused={"size": _NO_MEMBER},
    )  # fmt: skip
    add_members: int | None = setting(
        None, Whole(MAX_ADDED + 1, f"{MAX_ADDED:,}"), "members", "N",
        "plan as if N more members had joined: new-1, new-2, ...; their capacity is the median"
        " of the others, or that of --capacity 'new-*=C'",
        commands=_PLANNING, refused={"size": "size looks at every number of members"},
    )  # fmt: skip
