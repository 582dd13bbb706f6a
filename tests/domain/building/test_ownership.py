"""Which of several claims on a partition stands."""

from __future__ import annotations

import numpy as np
import pytest

from equilag.domain.building.ownership import resolve_claims
from equilag.domain.group.group import NOBODY


@pytest.mark.parametrize(
    ("claims", "owner"),
    [
        ([], NOBODY),
        ([(0, 5, True)], 0),
        ([(0, 5, False)], NOBODY),
        ([(0, 5, True), (1, 6, True)], 1),
        ([(0, 5, True), (1, 5, True)], NOBODY),
        ([(0, 5, True), (1, 5, True), (2, 6, True)], 2),
        ([(0, 6, True), (1, 6, True), (2, 5, True)], NOBODY),
        ([(0, 5, True), (1, 6, False)], NOBODY),
        ([(0, -1, True), (1, -1, True)], NOBODY),
        ([(0, -1, True), (1, 0, True)], 1),
    ],
)
def test_the_newest_claim_wins(claims: list[tuple[int, int, bool]], owner: int) -> None:
    for order in (claims, claims[::-1]):
        columns = list(zip(*order, strict=True)) or [(), (), ()]
        found, voided = resolve_claims(
            np.array(columns[0], np.int32), np.zeros(len(order), np.int64),
            np.array(columns[1], np.int64), np.array(columns[2], np.bool_), 1,
        )  # fmt: skip
        newest = max((generation for _, generation, _ in claims), default=0)
        tied = sum(generation == newest for _, generation, _ in claims) > 1
        assert (found.tolist(), voided.tolist()) == ([owner], [0] * tied)
