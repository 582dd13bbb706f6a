"""When every goal of a policy is proved: one rule, for whoever makes and whoever checks a plan."""

from __future__ import annotations

from dataclasses import dataclass

from equilag.policy import Policy


@dataclass(frozen=True, slots=True)
class Figures:
    """What a plan reaches, and what is proved that none can beat.

    With ``fresh`` the moves are none by definition: nobody is taken to own anything.
    """

    spread: int
    moves: int
    mean: float
    spread_bound: int
    """Spread of every plan with no more than `moves_at_most` moves."""
    moves_bound: int
    cost_bound: int
    """spread + move cost × moves of every such plan."""

    @property
    def gap(self) -> int:
        return self.spread - self.spread_bound


def moves_at_most(policy: Policy, moves_bound: int) -> int | None:
    """The moves beyond which a plan is out of the question; None for no limit."""
    if policy.fresh:
        return None
    if policy.moves_first:
        return moves_bound
    return policy.max_moves


def goals_proved(policy: Policy, figures: Figures) -> bool:
    """Given exact counts: is each goal of the policy, in order, reached and proved.

    A tolerance widens the last goal by as much as it lets the spread exceed the best.
    """
    allowance = int(figures.mean * policy.tolerance / 100)
    limit = moves_at_most(policy, figures.moves_bound)
    if limit is not None and figures.moves > limit:
        return False
    if policy.move_cost and not policy.moves_first and not policy.fresh:
        cost = figures.spread + policy.move_cost * figures.moves
        return cost - figures.cost_bound <= allowance
    return figures.gap <= allowance
