"""The groups on which assignors are compared, generated from seeds, smallest first.

    for case in short("grid/1000x10"):
        ...

Families:

- ``grid``: Kafka's JMH grid. MEMBERS x PARTITIONS PER MEMBER, topics, one subscription or five
  buckets of topics (member i reads bucket i mod 5), without owners or with one joining member.
- ``scale``: Kafka's own tests at scale: 500 topics of 2,000 partitions for 2,000 members, the same
  with one odd subscriber, and 200 topics of 500 for 100 members of which one has left.
- ``kip-615``: one topic of 2,100 partitions, 2,100 members.
- ``ramp``: each member reads two neighbouring topics of a chain, and owns one partition more than
  the previous member; only an ejection chain improves such a group.
- ``mixed``: random subscriptions, MEMBERS x TOPICS; with random owners, or without owners.
- ``levels``: disjoint groups of members inside one group, each at a different load level.
- ``lag``, ``lag-mixed``, ``lag-small``: groups with lags, for lag-aware assignors.
- ``lag-few``: groups with lags and four partitions for each member.
- ``lag-20-topics``: groups with lags, MEMBERS x TOPICS; each member reads 20 topics.
- ``lag-peers``: groups with lags on which all assignors are compared.

If a member joins, all other members own equal contiguous runs of partitions. If a member has left,
the partitions of its run have no owner.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Final, NamedTuple, TypeAlias

from benchmarks.assignors import shapes
from benchmarks.assignors.case import Case
from benchmarks.assignors.lags import HEAVY, KINDS, lags

MEMBERS: Final = (100, 1_000, 10_000)
PER_MEMBER: Final = (5, 10, 50)
TOPICS: Final = (10, 100, 1_000)
RAMPS: Final = ((9, 40), (17, 160), (33, 640))
"""Members, and partitions per member in an even assignment."""
MIXED: Final = ((40, 20), (100, 200), (500, 1_000), (2_000, 10_000))
"""Members, topics."""
LEVELS: Final = ((200, 10, 10), (1_000, 5, 10), (1_000, 2, 20), (2_000, 4, 10), (2_000, 2, 20))
"""Members, disjoint groups among them, partitions per member of the first group."""
LAGGING: Final = ((10, 60), (30, 300), (100, 1_000), (300, 3_000), (1_000, 10_000))
"""Members, partitions, of one subscription."""
FEW: Final = (50, 200)
"""Members, partitions."""
READS: Final = 20
"""Topics of each member in ``lag-20-topics``."""
SAME_WIDTH: Final = (("20x40", 20, 40, None), ("500x200", 500, 200, None),
                     ("500x200 of 10", 500, 200, 10))  # fmt: skip
"""Name, members, topics, and partitions of a topic, None for random ones: then a member of the
second holds one or two partitions, of the third four."""
LARGEST: Final = (10_000, 500_000)
FRONT: Final = "lag-peers/200 topics of 500/100 members/one leaves/lognormal"
"""The case of the Pareto front of moves and lag."""

Build: TypeAlias = Callable[[str, str], Case]


class Input(NamedTuple):
    """A case that is built on demand, since the largest ones take a second and 100 MB."""

    name: str
    build: Build

    @property
    def family(self) -> str:
        return self.name.partition("/")[0]

    def case(self) -> Case:
        return self.build(self.name, self.family)


def short(only: str = "") -> Iterator[Case]:
    """Yield a representative part of `full`, which takes minutes; `only` as there."""
    return (found.case() for found in catalogue() if found.name in SHORT and _fits(found, only))


def full(only: str = "") -> Iterator[Case]:
    """Yield all cases in whose names the regular expression `only` is found."""
    return (found.case() for found in catalogue() if _fits(found, only))


def named(name: str) -> Case:
    """Return the case with this name. Raises KeyError."""
    return {found.name: found for found in catalogue()}[name].case()


def catalogue() -> list[Input]:
    """Return all cases, not built yet; within a family, smaller ones come first."""
    return [
        *_grid(),
        *_scale(),
        *(
            Input(
                f"ramp/{members} members of {level}",
                partial(shapes.ramp, members=members, level=level),
            )
            for members, level in RAMPS
        ),
        *_mixed(),
        *_levels(),
        *_lagging(),
        *_peers(),
    ]


def _fits(found: Input, only: str) -> bool:
    return re.search(only, found.name) is not None


def _grid() -> Iterator[Input]:
    for members in MEMBERS:
        for each in PER_MEMBER:
            for topics in TOPICS:
                sizes = shapes.even_sizes(members * each, topics)
                for kind, shape in (("one", shapes.one), ("mixed", shapes.buckets)):
                    for word, owners in (("full", "none"), ("incremental", "joins")):
                        name = f"grid/{members}x{each}/{topics} topics/{kind}/{word}"
                        yield Input(
                            name, partial(shape, members=members, sizes=sizes, owners=owners)
                        )


def _scale() -> Iterator[Input]:
    yield Input(
        "kip-615/2100x2100", partial(shapes.one, members=2_100, sizes=(2_100,), owners="none")
    )
    yield Input(
        "scale/200 topics of 500/100 members/one leaves",
        partial(shapes.one, members=99, sizes=(500,) * 200, owners="leaves"),
    )
    large = "scale/500 topics of 2000/2000 members"
    sizes = (2_000,) * 500
    yield Input(large, partial(shapes.one, members=2_000, sizes=sizes, owners="none"))
    yield Input(f"{large}/one odd", partial(shapes.one_odd, members=2_000, sizes=sizes))


def _mixed() -> Iterator[Input]:
    for members, topics in MIXED:
        for word, owned in (("full", 0.0), ("drifted", 0.8)):
            build = partial(shapes.random_mixed, members=members, topics=topics, owned=owned)
            yield Input(f"mixed/{members}x{topics}/{word}", build)


def _levels() -> Iterator[Input]:
    for members, groups, each in LEVELS:
        build = partial(shapes.levels, members=members, groups=groups, each=each)
        yield Input(f"levels/{members} members in {groups}", build)


def _lagging() -> Iterator[Input]:
    for kind in KINDS:
        for members, partitions in LAGGING:
            for seed in (1, 2):
                yield _one_lagging("lag", members, partitions, kind, seed, 2.0)
        yield _one_lagging("lag", *LARGEST, kind, 1, 10.0)
    for kind in HEAVY:
        yield from _few_and_same_width(kind)
        for seed in range(1, 6):
            yield _one_lagging("lag-small", 6, 36, kind, seed, 10.0)
            build = partial(shapes.small_mixed, members=5, partitions=30, seed=seed)
            name = f"lag-small/5x30 mixed/{kind}/{seed}"
            yield Input(name, partial(_with_lags, build, kind, seed, 3.0))
        for members, topics in MIXED[:3]:
            build = partial(shapes.random_mixed, members=members, topics=topics, owned=0.8)
            for seed in (1, 2):
                name = f"lag-mixed/{members}x{topics}/{kind}/{seed}"
                yield Input(name, partial(_with_lags, partial(build, seed=seed), kind, seed, 3.0))


def _few_and_same_width(kind: str) -> Iterator[Input]:
    for seed in range(1, 4):
        yield _one_lagging("lag-few", *FEW, kind, seed, 2.0)
        for word, members, topics, size in SAME_WIDTH:
            build = partial(
                shapes.same_width, members=members, topics=topics, reads=READS, size=size, seed=seed
            )
            name = f"lag-20-topics/{word}/{kind}/{seed}"
            yield Input(name, partial(_with_lags, build, kind, seed, 3.0))


def _one_lagging(
    family: str, members: int, partitions: int, kind: str, seed: int, limit: float
) -> Input:
    sizes = shapes.even_sizes(partitions, max(2, min(1_000, partitions // 30)))
    build = partial(shapes.one, members=members, sizes=sizes, owners="joins")
    name = f"{family}/{members}x{partitions}/{kind}/{seed}"
    return Input(name, partial(_with_lags, build, kind, seed, limit))


def _peers() -> Iterator[Input]:
    sizes = shapes.even_sizes(1_000, 10)
    small = partial(shapes.one, members=100, sizes=sizes, owners="joins")
    yield Input("lag-peers/100x1000/lognormal", partial(_with_lags, small, "lognormal", 1, 2.0))
    mixed = partial(shapes.buckets, members=100, sizes=sizes, owners="joins")
    yield Input(
        "lag-peers/100x1000 mixed/lognormal", partial(_with_lags, mixed, "lognormal", 1, 2.0)
    )
    front = partial(shapes.one, members=99, sizes=(500,) * 200, owners="leaves")
    # Of eight seeds the one whose heaviest partition is the median: 0.57 of the mean load.
    yield Input(FRONT, partial(_with_lags, front, "lognormal", 6, 2.0))


def _with_lags(build: Build, kind: str, seed: int, limit: float, name: str, family: str) -> Case:
    case = build(name, family)
    drawn = lags(kind, case.n_partitions, seed)
    return replace(case, lag=drawn, lags=kind, time_limit=limit)


SHORT: Final = frozenset(
    {
        "grid/100x5/10 topics/one/incremental",
        "grid/100x5/10 topics/mixed/incremental",
        "grid/1000x10/100 topics/one/full",
        "grid/1000x10/100 topics/one/incremental",
        "grid/1000x10/100 topics/mixed/incremental",
        "grid/10000x10/1000 topics/one/incremental",
        "kip-615/2100x2100",
        "scale/200 topics of 500/100 members/one leaves",
        "ramp/17 members of 160",
        "mixed/40x20/drifted",
        "mixed/100x200/drifted",
        "mixed/2000x10000/drifted",
        "levels/200 members in 10",
        "levels/1000 members in 2",
        "lag/10x60/lognormal/1",
        "lag/10x60/zipf/1",
        "lag/100x1000/lognormal/1",
        "lag/100x1000/zipf/1",
        "lag/1000x10000/lognormal/1",
        "lag/1000x10000/zipf/1",
        "lag/10000x500000/lognormal/1",
        "lag-small/6x36/lognormal/1",
        "lag-small/6x36/zipf/1",
        "lag-small/5x30 mixed/lognormal/1",
        "lag-small/5x30 mixed/zipf/1",
        "lag-few/50x200/lognormal/1",
        "lag-few/50x200/zipf/1",
        "lag-20-topics/20x40/lognormal/1",
        "lag-20-topics/500x200/zipf/1",
        "lag-20-topics/500x200 of 10/lognormal/1",
        "lag-mixed/40x20/lognormal/1",
        "lag-mixed/100x200/zipf/1",
        "lag-mixed/500x1000/lognormal/1",
        "lag-peers/100x1000/lognormal",
        FRONT,
    }
)
