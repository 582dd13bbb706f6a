"""The kinds of groups on which stages and methods are held against each other, drawn by seed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

import numpy as np

from benchmarks.assignors import shapes
from benchmarks.assignors.capacity_groups import CapacityShape
from benchmarks.assignors.case import Case
from benchmarks.assignors.lags import lags
from equilag.domain.group.group import Group

Settings = Mapping[str, Any]


@dataclass(frozen=True)
class Kind:
    """`draw` makes the group of a seed and the settings that it is planned with."""

    name: str
    draw: Callable[[int], tuple[Group, Settings]]
    sized: bool = False
    """True if `size` is asked for the best plan of the group's own number of members."""


def _with_lags(case: Case, kind: str, seed: int) -> Group:
    return replace(case, lag=lags(kind, case.n_partitions, seed)).group()


def alike(members: int, partitions: int, kind: str, seed: int) -> tuple[Group, Settings]:
    """One subscription for all, and a member that joins."""
    sizes = shapes.even_sizes(partitions, 10)
    case = shapes.one("alike", "alike", members=members, sizes=sizes, owners="joins")
    return _with_lags(case, kind, seed), {}


def mixed(
    members: int, topics: int, seed: int, kind: str = "lognormal", unequal: bool = False
) -> tuple[Group, Settings]:
    """Random subscriptions, most partitions owned; `unequal`: capacities 1 to 4."""
    case = shapes.random_mixed(
        "mixed", "mixed", members=members, topics=topics, owned=0.9, seed=seed
    )
    if unequal:
        drawn = np.random.default_rng([seed, members, topics]).integers(
            1, 4, members, endpoint=True
        )
        case = replace(case, capacities=tuple(drawn.tolist()))
    return _with_lags(case, kind, seed), {}


def capacities(members: int, partitions: int, kind: str, seed: int) -> tuple[Group, Settings]:
    """Capacities 1 to 4."""
    return _with_lags(CapacityShape(members, partitions, seed).draw(), kind, seed), {}


def racks(members: int, partitions: int, seed: int) -> tuple[Group, Settings]:
    """Three racks, one or two replicas, capacities 1 to 4."""
    case = CapacityShape(members, partitions, seed).with_racks()
    return _with_lags(case, "lognormal", seed), {"rack_aware": True}


def few_moves(members: int, partitions: int, seed: int) -> tuple[Group, Settings]:
    """Owners dealt evenly at random, and four moves."""
    rng = np.random.default_rng([seed, members, partitions])
    owner = rng.permutation(np.arange(partitions) % members).astype(np.int32)
    sizes = (partitions,)
    case = shapes.one("few", "few", members=members, sizes=sizes, owners="none")
    return _with_lags(replace(case, owner=owner), "lognormal", seed), {"max_moves": 4}


def unequal(
    members: int, partitions: int, moved: float | None, seed: int
) -> tuple[Group, Settings]:
    """Unequal machines, heavy tails, free counts: weights of Pareto, speeds over a factor of 10.

    `moved`: the part of the partitions that may move; None for all.
    """
    rng = np.random.default_rng([seed, members, partitions])
    weights = np.ceil(1_000 * (1 + rng.pareto(1.3, partitions))).astype(np.int64)
    speeds = np.exp(rng.uniform(0, np.log(10), members)).round(2).tolist()
    owner = rng.integers(0, members, partitions).astype(np.int32)
    sizes = shapes.even_sizes(partitions, 10)
    case = shapes.one("unequal", "unequal", members=members, sizes=sizes, owners="none")
    case = replace(case, owner=owner, lag=weights)
    settings: dict[str, Any] = {
        "balance": "none",
        "capacity": dict(zip(case.members, speeds, strict=True)),
    }
    if moved is not None:
        settings["max_moves"] = int(moved * partitions)
    return case.group(), settings


def machines(members: int, partitions: int, top: int, seed: int) -> tuple[Group, Settings]:
    """Identical machines and free counts: uniform lengths from 1 to `top`."""
    rng = np.random.default_rng([seed, members, partitions, top])
    lengths = rng.integers(1, top, partitions, endpoint=True).astype(np.int64)
    sizes = (partitions,)
    case = shapes.one("machines", "machines", members=members, sizes=sizes, owners="none")
    return replace(case, lag=lengths).group(), {"balance": "none"}


KINDS: Final = (
    Kind("alike, lognormal, 50 x 200", partial(alike, 50, 200, "lognormal")),
    Kind("alike, uniform, 50 x 200", partial(alike, 50, 200, "uniform")),
    Kind("alike, zipf, 10 x 60", partial(alike, 10, 60, "zipf")),
    Kind("alike, lognormal, 1,000 x 10,000", partial(alike, 1_000, 10_000, "lognormal")),
    Kind("mixed, 20 x 40 topics", partial(mixed, 20, 40)),
    Kind("mixed, 100 x 200 topics", partial(mixed, 100, 200)),
    Kind("mixed, capacities, 1,000 x 2,000 topics", partial(mixed, 1_000, 2_000, unequal=True)),
    Kind("capacities, lognormal, 100 x 1,000", partial(capacities, 100, 1_000, "lognormal")),
    Kind("capacities, uniform, 100 x 1,000", partial(capacities, 100, 1_000, "uniform")),
    Kind("racks, 30 x 300", partial(racks, 30, 300)),
    Kind("4 moves, 6 x 36", partial(few_moves, 6, 36)),
    Kind("4 moves, 8 x 64", partial(few_moves, 8, 64)),
    Kind("unequal, 100 x 1,000", partial(unequal, 100, 1_000, None)),
    Kind("unequal, 100 x 5,000, 2 % moved", partial(unequal, 100, 5_000, 0.02)),
    Kind("machines, 10 x 40, up to 100", partial(machines, 10, 40, 100), sized=True),
    Kind("machines, 50 x 125, up to 1,000", partial(machines, 50, 125, 1_000), sized=True),
)
