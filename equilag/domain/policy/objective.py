"""The goals of a policy in their order, as one object for everybody who plans, proves or checks.

Exact counts come first and are a constraint (`equilag.domain.constraint`). What follows is compared
through `Objective`: the key of a candidate, the limit on moves, the last goal as a weighted sum of
figures, the claim that bounds it, and when it is proved. A new term is a new figure in `Figures`
and its part in `Objective.value`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from equilag.domain.group.extended_columns import MoveUnit
from equilag.domain.group.group import Group
from equilag.domain.group.member_capacities import Load
from equilag.domain.policy.policy import Policy

SPREAD: Final = "spread_at_least"
"""The claim that bounds the lag spread alone."""
MOVES_WITHIN: Final = "moves_at_least"
"""The claim that bounds the moves of all plans that are as even as it says."""
SHORT: Final = "short_at_least"
"""The claim that bounds the records per second by which members fall behind."""
EXCESS: Final = "excess_at_least"
"""The claim that bounds the excess over the mean load."""
VALUE: Final = "cost_at_least"
"""The claim that bounds the weighted sum of all terms, where there are several."""


class Figures(NamedTuple):
    """What an assignment reaches. With ``fresh`` nobody owns anything, so `moves` is 0."""

    spread: Load
    """Heaviest minus lightest load, in records."""
    moves: int
    """As `count_moves` has them: their number, or where they have a weight, their price."""
    excess: float = 0.0
    """Sum over members of what lies above the mean load, in records."""
    unevenness: float = 0.0
    """Sum of squared distances from the mean load: the last tie-break."""
    number: int = 0
    """Of moves, where they have a weight; else 0."""
    short: Load = 0
    """Records per second by which members fall behind, where rates and capacities are known: the
    first goal."""


class Proved(NamedTuple):
    """What no assignment within the limit on moves can beat."""

    spread: Load = 0
    moves: int = 0
    value: Load = 0
    """Of the weighted sum; at least `spread`, as every weight is 0 or more."""
    short: Load = 0


def most_excess(spread: float, members: int) -> float:
    """The most excess that so many members have with so large a spread, in records.

    A quarter of the spread per member: half of them lie above the mean, by half of the spread.
    """
    return spread * members / 4


class Caps(NamedTuple):
    """What counts as the best: no plan is better for a smaller value than these."""

    value: Load
    """Of the last goal, in records."""
    excess: float
    """In records."""


class Objective(NamedTuple):
    """What a policy asks for after exact counts.

    Moves are what `count_moves` gives: a number, or a price that `unit` tells how to read.
    """

    policy: Policy
    scale: int = 1
    """What a record of move cost is in the loads that are compared, see `ExtendedColumns`."""
    unit: MoveUnit | None = None
    """None where moves have no weight."""

    @staticmethod
    def of(policy: Policy, planned: Group) -> Objective:
        """The goals of a policy for loads and moves of a reduced group."""
        return Objective(policy, planned.extended.move_cost_scale, planned.extended.move_unit)

    @property
    def move_cost(self) -> int:
        """Load per move, or unit of moved weight, in the last goal; 0 where moves are no part of
        it."""
        free = self.policy.moves_first or self.policy.fresh
        return 0 if free else self.policy.move_cost * self.scale

    def cost(self, moves: int) -> Load:
        """What moves add to the last goal."""
        return self.move_cost * (moves if self.unit is None else self.unit.weight(moves))

    @property
    def moves_rank_first(self) -> bool:
        """True if moves decide before the last goal does."""
        return self.policy.moves_first and not self.policy.fresh

    def move_limit(self, fewest_moves: int) -> int | None:
        """The moves beyond which a plan is out of the question; None for no limit.

        `fewest_moves` is the proved minimum under the count constraint.
        """
        if self.policy.fresh:
            return None
        return fewest_moves if self.policy.moves_first else self.asked_limit

    @property
    def asked_limit(self) -> int | None:
        """The limit on moves, or on their price, that the policy asks for; None for none."""
        most, heaviest = self.policy.max_moves, self.policy.max_move_weight
        if self.unit is not None:
            return None if heaviest is None else self.unit.limit(heaviest)
        return min((one for one in (most, heaviest) if one is not None), default=None)

    def value(self, figures: Figures) -> Load:
        """The last goal, in records."""
        return figures.spread + self.cost(figures.moves)

    def allowed(self, figures: Figures, fewest_moves: int) -> bool:
        """True if the assignment keeps the limits on moves."""
        limit = self.move_limit(fewest_moves)
        within = limit is None or figures.moves <= limit
        return within and not self.too_many(figures.moves)

    @property
    def limits_number(self) -> bool:
        """True if moves have a weight, and yet their number is limited."""
        return self.unit is not None and self.policy.max_moves is not None

    def too_many(self, moves: int) -> int:
        """Partitions that move beyond `max_moves`, where moves have a weight."""
        most = self.policy.max_moves
        if self.unit is None or most is None or self.policy.fresh:
            return 0
        return max(0, self.unit.count(moves) - most)

    def allowance(self, mean: float) -> int:
        """Records by which the tolerance lets the last goal exceed the best; `mean` is the load."""
        return int(mean * self.policy.tolerance / 100)

    def caps(self, figures: Sequence[Figures], mean: float, members: int) -> Caps:
        """The values up to which a plan is as good as the best one of `figures`.

        They depend on no limit on moves, so that a limit which does not bind changes no plan. The
        excess may exceed that of the best plan by as much as a spread of the allowance leaves at
        most: a quarter of it per member, where half of the members lie above the mean. So the best
        plan is among those as good, and a tolerance never adds a move.
        """
        allowance = self.allowance(mean)
        value, excess = min((self.value(f), f.excess) for f in figures)
        return Caps(value + allowance, excess + most_excess(allowance, members))

    def key(self, figures: Figures, fewest_moves: int, caps: Caps) -> tuple[Load | float, ...]:
        """The order of candidates; smaller is better. `caps` are those of all candidates."""
        value, moves, excess = self.value(figures), figures.moves, figures.excess
        too_many = self.too_many(moves)
        if self.moves_rank_first:
            return too_many, moves, value, excess, figures.unevenness
        limit = self.move_limit(fewest_moves)
        beyond = max(0, moves - limit) if limit is not None else 0
        uneven = max(excess, caps.excess) if value <= caps.value else excess
        ties = value, excess, figures.unevenness
        return too_many, beyond, max(value, caps.value), uneven, moves, *ties

    def gap(self, figures: Figures, proved: Proved) -> Load:
        """How far the last goal is from what is proved, in records; 0 or less if it is optimal."""
        bound = proved.value if self.move_cost else proved.spread
        return self.value(figures) - bound

    def is_proved(self, figures: Figures, proved: Proved, mean: float = 0.0) -> bool:
        """True if each goal is reached and proved, given exact counts.

        `mean` widens the last goal by the tolerance's allowance.
        """
        if not self.allowed(figures, proved.moves):
            return False
        return figures.short <= proved.short and self.gap(figures, proved) <= self.allowance(mean)
