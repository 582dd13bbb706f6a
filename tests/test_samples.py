"""The fleet in samples/ is what today's code makes of its groups (samples/README.md renews it)."""

from __future__ import annotations

from typing import Final

from support.paths import SAMPLES

import equilag
from equilag.pipeline.results.export import export_group
from equilag.pipeline.results.run_dir import read_columns
from equilag.pipeline.sources.group_columns import plan_columns

RUN: Final = str(SAMPLES / "fleet-run")
COLUMNS: Final = (
    "status", "moves", "lag_max", "lag_spread", "load_max", "throughput", "short_now", "short",
    "action", "cause", "headline", "relief_percent",
)  # fmt: skip
"""Of plans and verdicts, those that a page shows."""


def test_the_fleet_is_that_of_todays_code() -> None:
    stale = []
    for row in read_columns(RUN, "plans", ("group", "policy", *COLUMNS)).to_pylist():
        snapshot, plan = export_group(RUN, row["group"])
        assert plan.policy is not None
        again = equilag.solve(
            equilag.load_snapshot(snapshot), plan.policy, effort=plan.effort, time_limit=60.0,
            seed=plan.seed,
        )  # fmt: skip
        found = plan_columns(again)
        stale += [
            (row["group"], name, row[name], found.get(name))
            for name in COLUMNS
            if row[name] != found.get(name)
        ]
    assert stale == []
