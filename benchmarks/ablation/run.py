"""Runs every kind of group with each stage left out: python -m benchmarks.ablation.run.

Counted effort, so that figures repeat exactly; two processes, since clocks do not matter.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.ablation.kinds import KINDS, Kind
from benchmarks.ablation.switches import STAGES, heaviest_gives, longest_first, speeds, without
from benchmarks.machine import machine
from equilag.domain.columns import Index
from equilag.domain.group.group import Group
from equilag.domain.plan.plan import Plan
from equilag.planner.size import size
from equilag.planner.solve import solve

EFFORT: Final = 0.3
"""Seconds' worth of counted work for each run."""
SEEDS: Final = 10
PATIENCE: Final = 600.0
"""Seconds after which the clock would end a run, and its figures would not repeat."""
ALL: Final = "all"
"""The run with every stage."""


@dataclass(frozen=True)
class Outcome:
    """One run. Loads in percent of the mean load, per unit of capacity as given."""

    kind: str
    seed: int
    left_out: str
    spread: float | None
    """None for `size`, which tells only the heaviest load."""
    heaviest: float
    """The largest load above the mean."""
    bound: float
    """The spread is proved to be at least this; 0 by a simple rule."""
    moves: int
    proved: bool = False
    """True if no plan within the policy is better."""


def outcomes(kind: Kind, seed: int, stages: Sequence[str], effort: float) -> list[Outcome]:
    """The group of a kind and a seed: with everything, without each stage, and by simple rules."""
    group, settings = kind.draw(seed)
    found = []
    for stage in (None, *stages):
        with without(stage):
            plan = solve(
                group, effort=effort, time_limit=PATIENCE, seed=seed, tolerance=0, **settings
            )
        name = stage or ALL
        given = plan.planned.given
        loads = above_mean(given, plan.assigned)
        bound = proved_spread(plan)
        proved = plan.status == "optimal"
        found.append(Outcome(kind.name, seed, name, *loads, bound, len(plan.moves), proved))
    given, free = plan.planned.given, settings.get("balance") == "none"
    if free:
        limit = settings.get("max_moves")
        assigned = longest_first(given) if limit is None else heaviest_gives(given, limit)
        rule = longest_first if limit is None else heaviest_gives
        moves = 0 if limit is None else int((assigned != given.owner).sum())
        loads = above_mean(given, assigned)
        found.append(Outcome(kind.name, seed, rule.__name__, *loads, 0.0, moves))
    if kind.sized:
        n = group.n_members
        (row,) = size(group, members=(n, n), effort=effort, time_limit=PATIENCE, **settings).rows
        mean = given.lag.sum() / speeds(given).sum()
        heaviest = 100 * (row.load / mean - 1)
        found.append(Outcome(kind.name, seed, size.__name__, None, heaviest, 0.0, 0, row.proved))
    return found


def above_mean(group: Group, assigned: Index) -> tuple[float, float]:
    """Spread, and the largest load above the mean, in percent of the mean."""
    speed = speeds(group)
    reads = assigned >= 0
    face = np.bincount(assigned[reads], group.lag[reads], group.n_members) / speed
    face = face[~group.idle]
    mean = group.lag[reads].sum() / speed[~group.idle].sum()
    return 100 * float(face.max() - face.min()) / mean, 100 * (float(face.max()) / mean - 1)


def proved_spread(plan: Plan) -> float:
    """The bound on the spread in percent of the mean load."""
    if plan.extended is not None:
        return 100 * plan.extended.load.spread_lower_bound / plan.extended.load.mean
    return 100 * plan.proofs.spread / plan.lag.mean


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kinds", nargs="*", default=[], help="words of names; default: all")
    parser.add_argument("--stages", nargs="*", default=[], help="left out; default: each one")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--effort", type=float, default=EFFORT)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    kinds = [k for k in KINDS if not given.kinds or any(word in k.name for word in given.kinds)]
    stages = [s for s in STAGES if not given.stages or s in given.stages]
    jobs = [(kind, seed) for seed in range(1, given.seeds + 1) for kind in kinds]
    with ProcessPoolExecutor(2) as pool:
        running = [pool.submit(outcomes, *job, stages, given.effort) for job in jobs]
        found = list(chain.from_iterable(one.result() for one in running))
    results = {
        "machine": machine(),
        "effort": given.effort,
        "seeds": given.seeds,
        "outcomes": [asdict(one) for one in found],
    }
    part = given.out.with_suffix(".part")
    part.write_text(json.dumps(results, indent=1) + "\n", "utf-8")
    part.replace(given.out)


if __name__ == "__main__":
    main()
