"""All exchanges of a few members, against what each of them makes of the assignment."""

from __future__ import annotations

import numpy as np
from support.local_search import starts

from equilag.domain.group.group import NOBODY
from equilag.domain.plan.metrics import count_moves, member_loads
from equilag.solver.exchange.exchange_table import ExchangeTable
from equilag.solver.local_search.assignment_state import AssignmentState


def test_what_fits_and_what_it_changes_are_those_of_the_assignment_after_it() -> None:
    rng, seen = np.random.default_rng(0), 0
    for group, _, constraint, assigned in starts(1, 6):
        state = AssignmentState.of(group, constraint, assigned)
        ones, others = state.active[:2], state.active
        table = ExchangeTable.of(state, state.by_member(), ones, others)
        fits, moves, after = table.fits(), table.moves(), table.loads_after
        rows, columns = table.rows, table.columns
        for pick in rng.permutation(fits.size)[:40].tolist():
            row, column = divmod(pick, fits.shape[1])
            one, other = int(rows.member[row, 0]), int(columns.member[column])
            changed = assigned.copy()
            for partition, taker in (
                (int(rows.partition[row, 0]), other), (int(columns.partition[column]), one)
            ):  # fmt: skip
                if partition != NOBODY:
                    changed[partition] = taker
            may = not np.array_equal(changed, assigned) and constraint.admits(changed)
            assert fits[row, column] == may
            if not may:
                continue
            seen += 1
            assert moves[row, column] == count_moves(group, changed) - count_moves(group, assigned)
            loads = member_loads(changed, group.lag, group.n_members)
            assert [side[row, column] for side in after] == [loads[one], loads[other]]
            made = AssignmentState.of(group, constraint, assigned)
            table._replace(state=made).make(pick)
            assert np.array_equal(made.assigned, changed)
    assert seen > 100
