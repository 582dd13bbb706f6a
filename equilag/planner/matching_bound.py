"""The stage that proves bounds where most members hold two partitions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from equilag.certificate.matching import Side, pairs_beyond, pairs_needed
from equilag.claim import Claim
from equilag.group import iter_names
from equilag.metrics import member_loads
from equilag.planner.stages import claim_bounds
from equilag.planner.work import Work
from equilag.solver.lower_bounds.load_bounds import LoadBounds
from equilag.solver.lower_bounds.maximum_matching import disjoint_pairs


class Pairs:
    """Where most members hold two partitions: what no set of disjoint pairs can reach."""

    name: Final = "pairs"
    PRICE: Final = 3e-7
    """Seconds of a matching per cube of the number of partitions, at most. It cannot be stopped."""
    SHARE: Final = 0.7
    """Of the time left."""

    def applies(self, work: Work) -> bool:
        if not work.exact or work.proved or work.constraint is None or work.best is None:
            return False
        bounded = "min_load_at_most" in work.claims and "max_load_at_least" in work.claims
        return bounded and pairs_needed(work.counting) > 0

    def run(self, work: Work) -> None:
        assert work.best is not None
        loads = member_loads(work.best.assigned, work.group.lag, work.group.n_members)
        loads = loads[~work.group.idle]
        highest, lowest = work.claims["max_load_at_least"], work.claims["min_load_at_most"]
        price = self.PRICE * len(work.counting.lag) ** 3
        metered = work.stop(price, upto=0.8, share=self.SHARE)

        def stop() -> bool:
            return metered() or not work.has_time(price)

        low = _closest(work, int(loads.min()), lowest, "above", stop)
        high = _closest(work, int(loads.max()), highest, "below", stop)
        claim_bounds(work, LoadBounds(high, low))


def _closest(work: Work, reached: int, known: Claim, side: Side, stop: Callable[[], bool]) -> Claim:
    """The claim closest to the value reached that disjoint pairs prove: by bisection over what
    pairs weigh."""
    if known.value == reached:
        return known
    counting = work.counting
    needed, sums = pairs_needed(counting), np.unique(counting.lag[:, None] + counting.lag[None, :])
    if side == "above":
        values = [reached, *sums[(sums > reached) & (sums < known.value)].tolist()]
    else:
        values = [reached, *sums[(sums < reached) & (sums > known.value)][::-1].tolist()]
    best = known
    passed, out_of_reach = -1, len(values)
    while out_of_reach - passed > 1 and not stop():
        # The value reached comes first: if it cannot be passed, there is nothing else to ask.
        middle = (passed + out_of_reach) // 2 if passed >= 0 else 0
        found = disjoint_pairs(pairs_beyond(counting, values[middle], side))
        if found.number >= needed:
            passed = middle
            continue
        out_of_reach = middle
        names = iter_names(work.group, counting.partition[found.apart])
        apart = [list(name) for name in names]
        best = Claim(known.claim, values[middle], "pairs", {"apart": apart})
    return best
