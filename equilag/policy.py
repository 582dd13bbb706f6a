"""Which goals, in which order, with which settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from equilag.errors import InputError

PolicyName = Literal["lag-aware", "kip-169", "fair-yet-sticky", "sticky-yet-fair"]
Balance = Literal["total", "per-topic", "both"]

POLICIES: Final[tuple[PolicyName, ...]] = get_args(PolicyName)
BALANCES: Final[tuple[Balance, ...]] = get_args(Balance)
UNCONSTRAINED: Final = "none"
"""What stands for `balance` in the plan of a single heuristic: no count constraint is claimed."""

MAX_MOVE_COST: Final = 2**53


@dataclass(frozen=True, slots=True)
class Policy:
    """Goals and settings of one run; `Policy.of` checks them.

    - ``lag-aware``: total counts, then lag spread + move cost, then fewest moves.
    - ``kip-169``: counts per topic, then lag spread + move cost.
    - ``fair-yet-sticky``: total counts, then fewest moves, then lag spread.
    - ``sticky-yet-fair``: no voluntary move at all, then counts, then lag spread.
    """

    name: PolicyName = "lag-aware"
    balance: Balance = "total"
    move_cost: int = 0
    """Records of lag spread that one move must save."""
    tolerance: float = 0.0
    """Percent of the mean load by which a spread may exceed the best if that saves moves."""
    max_moves: int | None = None
    fresh: bool = False
    """Plan as if nobody owned anything."""

    @staticmethod
    def of(
        name: str = "lag-aware",
        balance: str | None = None,
        move_cost: int = 0,
        tolerance: float = 0.0,
        max_moves: int | None = None,
        fresh: bool = False,
    ) -> Policy:
        """A checked policy; `balance` None means the policy's own. Raises InputError."""
        if name not in POLICIES:
            raise InputError(f"unknown policy {name!r}; one of {', '.join(POLICIES)}", "policy")
        if balance is None:
            balance = "per-topic" if name == "kip-169" else "total"
        if balance not in BALANCES:
            raise InputError(
                f"unknown balance {balance!r}; one of {', '.join(BALANCES)}", "balance"
            )
        if type(move_cost) is not int or not 0 <= move_cost < MAX_MOVE_COST:
            raise InputError(f"{move_cost!r} is not a whole number from 0 to 2^53 - 1", "move_cost")
        if isinstance(tolerance, bool) or not isinstance(tolerance, (int, float)):
            raise InputError(f"{tolerance!r} is not a number", "tolerance")
        if not 0 <= tolerance <= 1e6:
            raise InputError(f"{tolerance!r} is not between 0 and 1000000 percent", "tolerance")
        if max_moves is not None and (type(max_moves) is not int or max_moves < 0):
            raise InputError(f"{max_moves!r} is not a whole number, 0 or more", "max_moves")
        if type(fresh) is not bool:
            raise InputError(f"{fresh!r} is not true or false", "fresh")
        if fresh and max_moves is not None:
            raise InputError(
                "a limit on moves makes no sense where nobody owns anything", "max_moves"
            )
        return Policy(name, balance, move_cost, float(tolerance), max_moves, fresh)

    def check_limit(self, moves: int) -> None:
        """Raises InputError if fewer moves are allowed than there must be."""
        if self.max_moves is not None and self.max_moves < moves:
            raise InputError(
                f"{self.max_moves} is fewer than the {moves} moves that the count balance forces",
                "max_moves",
            )

    @property
    def moves_first(self) -> bool:
        """Do fewer moves come before the lag spread."""
        return self.name in ("fair-yet-sticky", "sticky-yet-fair")

    @property
    def pins_owned(self) -> bool:
        """Does everything that is owned stay where it is."""
        return self.name == "sticky-yet-fair"

    @property
    def evens_totals(self) -> bool:
        """Do members' totals alone decide how even counts are, with nothing pinned."""
        return self.balance == "total" and not self.pins_owned

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "balance": self.balance,
            "move_cost": self.move_cost,
            "tolerance": self.tolerance,
            "max_moves": self.max_moves,
            "fresh": self.fresh,
        }
