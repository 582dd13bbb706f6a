"""A policy: which goals a plan has, in which order, and the settings on top of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, NamedTuple, Unpack, cast, get_args

from equilag.domain.errors import InputError
from equilag.domain.policy.override_settings import (
    NO_OVERRIDES,
    OVERRIDE_FIELDS,
    Overrides,
    OverrideSettings,
    overrides_of,
)

PolicyName = Literal["lag-aware", "kip-169", "fair-yet-sticky", "sticky-yet-fair"]
Balance = Literal["total", "per-topic", "both", "none"]
WeightKind = Literal["lag", "rate", "work", "given"]

POLICIES: Final[tuple[PolicyName, ...]] = get_args(PolicyName)
BALANCES: Final[tuple[Balance, ...]] = get_args(Balance)
WEIGHTS: Final[tuple[WeightKind, ...]] = get_args(WeightKind)
UNCONSTRAINED: Final = "none"
"""`balance` in the JSON of a single heuristic's plan, which claims no count balance."""

MAX_MOVE_COST: Final = 2**53
"""As for a lag: JSON readers keep whole numbers exact below it."""
DEFAULT_HORIZON: Final = 300.0
"""Seconds: the backlog of a minute weighs as much as a fifth more of the rate."""
MAX_HORIZON: Final = 1e9
"""Seconds: more than 30 years."""
DEFAULT_TOLERANCE: Final = 1.0
"""In percent of the mean load: lag is of one moment, and a move is a pause."""
MAX_TOLERANCE: Final = 1e6
"""In percent: 10,000 times the mean load, beyond any spread that a plan could have."""


class _Traits(NamedTuple):
    """What distinguishes the policies."""

    balance: Balance
    """The count balance unless another one is asked for."""
    moves_first: bool = False
    pins_owned: bool = False


_TRAITS: Final[Mapping[PolicyName, _Traits]] = {
    "lag-aware": _Traits("total"),
    "kip-169": _Traits("per-topic"),
    "fair-yet-sticky": _Traits("total", moves_first=True),
    "sticky-yet-fair": _Traits("total", moves_first=True, pins_owned=True),
}


class RealSettings(OverrideSettings, total=False):
    """The settings of a real group, as callers give them."""

    weight: str | None
    horizon: float
    rack_aware: bool
    max_cross_rack: int | None
    overrides: Overrides | None


@dataclass(frozen=True, slots=True, init=False)
class Policy:
    """Goals and settings of one run. Every way to make one checks them.

    - ``lag-aware``: total counts, then lag spread + move cost, then fewest moves.
    - ``kip-169``: counts per topic, then lag spread + move cost.
    - ``fair-yet-sticky``: total counts, then fewest moves, then lag spread.
    - ``sticky-yet-fair``: no voluntary move at all, then counts, then lag spread.
    """

    name: PolicyName
    balance: Balance
    move_cost: int
    """Records of lag spread that one move must save."""
    tolerance: float
    """Percent of the mean load by which a spread may exceed the best if that saves moves; 0 asks
    for the most even plan."""
    max_moves: int | None
    fresh: bool
    """Plan as if nobody owned anything."""
    weight: WeightKind | None
    """What is spread over the members; None: work where the group knows rates, else lag."""
    horizon: float
    """Seconds until which `work` looks ahead: lag + rate × horizon."""
    rack_aware: bool
    """Fewest partitions read across racks, after the counts and before everything else."""
    max_cross_rack: int | None
    """No more partitions read across racks than this."""
    overrides: Overrides
    """What stands in for the group's own fields."""

    def __init__(
        self,
        name: str = "lag-aware",
        balance: str | None = None,
        move_cost: int = 0,
        tolerance: float = DEFAULT_TOLERANCE,
        max_moves: int | None = None,
        fresh: bool = False,
        **real: Unpack[RealSettings],
    ) -> None:
        """`balance` None means the policy's own. Raises InputError that names the setting.

        `real` are `weight`, `horizon`, `rack_aware`, `max_cross_rack` and the fields of
        `Overrides`.
        """
        if name not in POLICIES:
            raise InputError(f"unknown policy {name!r}; one of {', '.join(POLICIES)}", "policy")
        if balance is None:
            balance = _TRAITS[name].balance
        if balance not in BALANCES:
            raise InputError(
                f"unknown balance {balance!r}; one of {', '.join(BALANCES)}", "balance"
            )
        _check_settings(move_cost, tolerance, max_moves, fresh)
        fix = object.__setattr__
        fix(self, "name", name)
        fix(self, "balance", balance)
        fix(self, "move_cost", move_cost)
        fix(self, "tolerance", float(tolerance))
        fix(self, "max_moves", max_moves)
        fix(self, "fresh", fresh)
        _set_real(self, real)

    @classmethod
    def of(cls, *args: Any, **settings: Any) -> Policy:
        """The same as `Policy(...)`, for code that was written against version 0.1."""
        return cls(*args, **settings)

    def check_reads(self, reads: int) -> None:
        """Raises InputError if `max_cross_rack` is below the reads across racks that are forced."""
        if self.max_cross_rack is not None and self.max_cross_rack < reads:
            forced = "1 partition that has" if reads == 1 else f"{reads} partitions that have"
            problem = f"{self.max_cross_rack} is fewer than the {forced} to be read across racks"
            raise InputError(problem, "max_cross_rack")

    @property
    def default_balance(self) -> Balance:
        """The count balance of the policy itself."""
        return _TRAITS[self.name].balance

    @property
    def moves_first(self) -> bool:
        """True if fewer moves come before the lag spread."""
        return _TRAITS[self.name].moves_first

    @property
    def pins_owned(self) -> bool:
        """True if every owned partition stays where it is."""
        return _TRAITS[self.name].pins_owned

    @property
    def counts_topics(self) -> bool:
        """True if every topic is balanced by itself."""
        return self.balance in ("per-topic", "both")

    @property
    def evens_totals(self) -> bool:
        """True if the members' totals alone decide how even counts are, with nothing pinned."""
        return self.balance == "total" and not self.pins_owned

    @property
    def minds_racks(self) -> bool:
        """True if reads across racks are to be few, or limited."""
        return self.rack_aware or self.max_cross_rack is not None

    def with_weight(self, weight: WeightKind) -> Policy:
        """The same policy with a weight."""
        return replace(self, weight=weight)

    def to_dict(self) -> dict[str, Any]:
        """The settings as in a plan's JSON; those of a real group only where they are in force."""
        settings = {field: getattr(self, field) for field in POLICY_FIELDS}
        if self.weight is not None:
            settings["weight"] = self.weight
        if self.weight == "work":
            settings["horizon"] = self.horizon
        if self.rack_aware:
            settings["rack_aware"] = True
        if self.max_cross_rack is not None:
            settings["max_cross_rack"] = self.max_cross_rack
        return {**settings, **self.overrides.to_dict()}


def checked_horizon(seconds: object, place: str = "horizon") -> float:
    """The seconds until which work looks ahead. Raises InputError at `place`."""
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
        raise InputError(f"{seconds!r} is not a number of seconds", place)
    if not 0 < seconds <= MAX_HORIZON:
        raise InputError(f"{seconds!r} is not more than 0 and at most 10^9 seconds", place)
    return float(seconds)


def _set_real(policy: Policy, real: RealSettings) -> None:
    """Check and set the settings of a real group. Raises InputError."""
    rest: dict[str, Any] = {**real}
    rack_aware, limit = rest.pop("rack_aware", False), rest.pop("max_cross_rack", None)
    overrides = rest.pop("overrides", None)
    weight, horizon = rest.pop("weight", None), rest.pop("horizon", DEFAULT_HORIZON)
    if weight is not None and weight not in WEIGHTS:
        raise InputError(f"unknown weight {weight!r}; one of {', '.join(WEIGHTS)}", "weight")
    if type(rack_aware) is not bool:
        raise InputError(f"{rack_aware!r} is not true or false", "rack_aware")
    if limit is not None and (type(limit) is not int or limit < 0):
        raise InputError(f"{limit!r} is not a whole number, 0 or more", "max_cross_rack")
    if rest:
        known = {} if overrides is None else overrides.as_given()
        overrides = overrides_of(cast(OverrideSettings, {**known, **rest}))
    fix = object.__setattr__
    fix(policy, "weight", weight)
    fix(policy, "horizon", checked_horizon(horizon))
    fix(policy, "rack_aware", rack_aware)
    fix(policy, "max_cross_rack", limit)
    fix(policy, "overrides", overrides or NO_OVERRIDES)


POLICY_FIELDS: Final[tuple[str, ...]] = (
    "name", "balance", "move_cost", "tolerance", "max_moves", "fresh",
)  # fmt: skip
"""The settings that the policy in a plan's JSON always has."""
REAL_FIELDS: Final[tuple[str, ...]] = (
    "weight", "horizon", "rack_aware", "max_cross_rack", *OVERRIDE_FIELDS,
)  # fmt: skip
"""Those that it has where they are in force."""


def _check_settings(move_cost: object, tolerance: object, max_moves: object, fresh: object) -> None:
    if type(move_cost) is not int or not 0 <= move_cost < MAX_MOVE_COST:
        raise InputError(f"{move_cost!r} is not a whole number from 0 to 2^53 - 1", "move_cost")
    if isinstance(tolerance, bool) or not isinstance(tolerance, (int, float)):
        raise InputError(f"{tolerance!r} is not a number", "tolerance")
    if not 0 <= tolerance <= MAX_TOLERANCE:
        raise InputError(f"{tolerance!r} is not between 0 and 1000000 percent", "tolerance")
    if max_moves is not None and (type(max_moves) is not int or max_moves < 0):
        raise InputError(f"{max_moves!r} is not a whole number, 0 or more", "max_moves")
    if type(fresh) is not bool:
        raise InputError(f"{fresh!r} is not true or false", "fresh")
    if fresh and max_moves is not None:
        raise InputError("a limit on moves makes no sense where nobody owns anything", "max_moves")
