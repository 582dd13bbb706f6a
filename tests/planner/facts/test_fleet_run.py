"""The distribution of an assignor's gaps over a fleet."""

from __future__ import annotations

import json

import numpy as np
import pytest

from equilag.domain.document import to_document
from equilag.planner.facts.fleet_run import BAND_LIMITS, assignor_gaps


def test_a_gap_at_a_limit_is_below_it() -> None:
    gaps = [-4.0, 0.0, 1.0, 1.01, 10.0, 10.5, 50.0, 99.0, 100.0, 100.1, 5000.0]
    found = assignor_gaps("range", gaps)
    assert BAND_LIMITS == (1, 10, 50, 100)
    assert found.bands == (3, 2, 2, 2, 2)
    assert sum(found.bands) == found.groups == len(gaps)


def test_quartiles() -> None:
    gaps = [float(gap) for gap in range(101)]
    found = assignor_gaps("fair", gaps)
    assert (found.minimum, found.p25, found.median, found.p75, found.maximum) == (
        0,
        25,
        50,
        75,
        100,
    )
    assert (found.p5, found.p95) == pytest.approx(tuple(np.percentile(gaps, (5, 95))))
    assert json.loads(json.dumps(to_document(found)))["bands"] == [2, 9, 40, 50, 0]
