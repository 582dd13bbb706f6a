"""What moving a partition costs: 1, its lag, its rate, or a weight of the user's own.

The fewest moves are a sum of whole numbers, and so is the least moved weight with the fewest moves
of those that move so much: a move is priced at its weight times more than there are moves, plus 1.
All that saves, limits or proves moves works on the sum of these *prices*.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from equilag.domain.columns import NOBODY, Ints
from equilag.domain.errors import InputError
from equilag.domain.group.group import Group
from equilag.domain.group.move_unit import MoveUnit
from equilag.domain.group.weight import filled_rates, whole_weights

if TYPE_CHECKING:
    from equilag.domain.policy.policy import Policy

MAX_PRICE: Final = 2**60
"""The price of moving everything stays below this: potentials of a flow are at most twice as much,
and two of them and a price fit 63 bits."""


class MovePrices(NamedTuple):
    """What each partition costs to move."""

    price: Ints
    """[P]"""
    unit: MoveUnit


def move_prices(group: Group, policy: Policy) -> MovePrices | None:
    """The prices that a policy asks for; None where moves are counted.

    Raises InputError, at `move_weight`, for weights that the group does not know, or that are too
    large in all.
    """
    kind = policy.move_weight or ("count" if group.move_weights is None else "given")
    if kind == "count":
        return None
    scale = 1
    if kind == "given":
        if group.move_weights is None:
            raise InputError("the group has no move_weights", "move_weight")
        weight = group.move_weights
    elif kind == "lag":
        weight = group.lag
    else:
        rates = filled_rates(group)
        if rates.all_unknown and group.n_partitions:
            raise InputError("no partition's rate is known", "move_weight")
        weight, scale = whole_weights(np.zeros_like(group.lag), rates.rate)
    owned = weight[group.owner != NOBODY]
    unit, total = len(owned) + 1, sum(owned.tolist())
    if total * unit + len(owned) >= MAX_PRICE:
        problem = f"the weights of {len(owned):,} owned partitions add up to {total // scale:.3g}"
        most = MAX_PRICE // unit // scale
        raise InputError(f"{problem}; {most:.3g} is the most: use a larger unit", "move_weight")
    # Of partitions without an owner nothing is moved, and their weights may be any.
    price = np.where(group.owner != NOBODY, weight, 0) * unit + 1
    return MovePrices(price, MoveUnit(unit, scale))
