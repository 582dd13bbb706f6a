"""The settings of a policy, each declared once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

from equilag.domain.policy.entries import (
    CAPACITIES,
    PINS,
    TOPIC_LISTS,
    TOPICS,
    Capacities,
    Pins,
    TopicLists,
)
from equilag.domain.policy.setting import (
    Command,
    Flag,
    OneOfNames,
    Percent,
    Seconds,
    Setting,
    Whole,
    setting,
)
from equilag.domain.show import plural

PolicyName = Literal["lag-aware", "kip-169", "fair-yet-sticky", "sticky-yet-fair"]
Balance = Literal["total", "per-topic", "both", "none"]
WeightKind = Literal["lag", "rate", "work", "given"]
InstancesBy = Literal["host", "client-id", "none"]

POLICIES: Final[tuple[PolicyName, ...]] = get_args(PolicyName)
BALANCES: Final[tuple[Balance, ...]] = get_args(Balance)
WEIGHTS: Final[tuple[WeightKind, ...]] = get_args(WeightKind)
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

_NO_OWNERS: Final = "in a group of another size all partitions are planned anew, whatever moves"
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
        Setting(
            "lag-aware", OneOfNames(POLICIES, "policy"), "goals", "P",
            "the goals of a plan and their order",
            always=True, place="policy", words=str,
        )
    )  # fmt: skip
    balance: Balance = setting(
        Setting(
            None, OneOfNames(BALANCES, "balance"), "goals", "B",
            "even counts over all topics (total), in each topic (per-topic), in each topic and then"
            " in total (both), or any counts within the members' room (none)",
            default_words="the policy's own", always=True, words=lambda b: f"balance {b}",
        )
    )  # fmt: skip
    move_cost: int = setting(
        Setting(
            0, Whole(MAX_MOVE_COST, "2^53 - 1"), "moves", "LAG",
            "records of lag spread that each move must save; with capacities, records at a member"
            " of the largest one",
            commands=("plan", "steward"), refused={"size": _NO_OWNERS}, always=True,
            words=lambda cost: f"a move must save {cost:,}",
        )
    )  # fmt: skip
    tolerance: float = setting(
        Setting(
            DEFAULT_TOLERANCE, Percent(MAX_TOLERANCE), "goals", "PERCENT",
            "lag spread accepted above the best of the run, in percent of the mean load, if it"
            " saves moves; 0 asks for the most even plan",
            commands=("plan", "size", "steward"), always=True,
            words=lambda percent: f"tolerance {percent:g} % of the mean",
        )
    )  # fmt: skip
    max_moves: int | None = setting(
        Setting(
            None, Whole(), "moves", "N",
            "move at most N partitions; fewer than even counts force is an error that names the"
            " number",
            default_words="no limit",
            commands=_PLANNING, refused={"size": _NO_OWNERS}, always=True,
            words=lambda most: f"at most {plural(most, 'move')}",
        )
    )  # fmt: skip
    fresh: bool = setting(
        Setting(
            False, Flag(), "moves", "",
            "plan as if no partition had an owner; not together with a limit on moves",
            commands=_PLANNING, refused={"size": _NO_OWNERS}, always=True,
            words=lambda _: "as if nobody owned anything",
        )
    )  # fmt: skip
    weight: WeightKind | None = setting(
        Setting(
            None, OneOfNames(WEIGHTS, "weight"), "weight", "W",
            "what is spread; lag; rate: records produced per second; work: lag + rate x horizon;"
            " given: the snapshot's weights",
            default_words="work where rates are known, else lag", commands=_WITH_SIZE,
        )
    )  # fmt: skip
    horizon: float = setting(
        Setting(
            DEFAULT_HORIZON, Seconds(), "weight", "D",
            "how far ahead work looks, such as 30s or 5m",
            default_words="5m", commands=_WITH_SIZE, shown_with=("weight", "work"),
        )
    )  # fmt: skip
    rack_aware: bool = setting(
        Setting(
            False, Flag(), "racks", "",
            "as few partitions as possible read across racks, after even counts and before"
            " everything else; --max-cross-rack beside it is only checked",
            commands=_BUT_SIZE, refused={"size": _NO_RACKS},
            words=lambda _: "fewest reads across racks",
        )
    )  # fmt: skip
    max_cross_rack: int | None = setting(
        Setting(
            None, Whole(), "racks", "N", "read at most N partitions across racks",
            default_words="no limit", commands=_BUT_SIZE, refused={"size": _NO_RACKS},
            words=lambda most: f"at most {plural(most, 'read')} across racks",
        )
    )  # fmt: skip
    capacity: Capacities = setting(
        Setting(
            (), CAPACITIES, "capacities", "ID=N",
            "how much a member can process, in the same unit for all; ID may be a pattern, as in"
            " 'c-*=2'; can be repeated, the last one that matches counts",
        )
    )  # fmt: skip
    max_partitions: int | None = setting(
        Setting(
            None, Whole(), "room", "N",
            "no more than N partitions for any member; where topics are co-partitioned, one number"
            " of all topics of a list counts once",
            default_words="no limit",
        )
    )  # fmt: skip
    instances: InstancesBy | None = setting(
        Setting(
            None, OneOfNames(INSTANCES_BY, "instances"), "instances", "BY",
            "members with the same host or client-id are threads of one instance; none: each"
            " member is its own",
            default_words="what the snapshot says",
        )
    )  # fmt: skip
    co_partition: TopicLists = setting(
        Setting(
            (), TOPIC_LISTS, "co-partitioning", "T1,T2",
            "partition i of all these topics goes to one member, as joins need it; can be"
            " repeated; in place of the lists in the snapshot; none: no topics are joined",
        )
    )  # fmt: skip
    pin: Pins = setting(
        Setting(
            (), PINS, "pins", "TOPIC-PARTITION=ID",
            "only this member may take the partition: its id, or its instance or client id, which"
            " survive restarts; in addition to what the group allows; can be repeated",
            commands=_BUT_SIZE, refused={"size": _NO_MEMBER},
        )
    )  # fmt: skip
    keep: tuple[str, ...] = setting(
        Setting(
            (), TOPICS, "pins", "TOPIC",
            "the topic's partitions stay with their owners, and those that are co-partitioned with"
            " them go there; can be repeated",
            commands=_BUT_SIZE, refused={"size": _NO_MEMBER},
        )
    )  # fmt: skip
    add_members: int | None = setting(
        Setting(
            None, Whole(MAX_ADDED + 1, f"{MAX_ADDED:,}"), "members", "N",
            "plan as if N more members had joined: new-1, new-2, ...; each can process the median"
            " of the others unless --capacity 'new-*=C' says otherwise",
            commands=_PLANNING, refused={"size": "size looks at every number of members"},
        )
    )  # fmt: skip
