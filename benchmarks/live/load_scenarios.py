"""The load scenarios: members, rates over time, and the groups that read the same records."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np

from benchmarks.live.load_schedule import Phase
from equilag.domain.columns import Floats, Ints

RESET: Final = ("--auto-offset-reset", "earliest")
"""As the members' own setting."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of the groups that read the same records; `options` are those of its steward."""

    name: str
    words: str
    kind: Literal["members", "steward", "hand"]
    options: tuple[str, ...] = ()


NONE: Final = Side("none", "no steward", "members")
UNIFORM: Final = replace(NONE, words="the brokers' `uniform`")
BY_LAG: Final = Side(
    "by-lag",
    "steward by lag, all members equal",
    "steward",
    (*RESET, "--weight", "lag", "--capacity", "*=1", "--gain", "50"),
)
"""As before rates and speeds were measured. Commits are up to 5 s old, so that lag is uneven
without need: 10 % of a fair share of it, the default, would be nothing."""
BY_WORK: Final = Side("by-work", "steward by work", "steward", RESET)
"""With the defaults."""
BY_HAND: Final = Side("by-hand", "by hand", "hand")
FOUR: Final = (NONE, BY_LAG, BY_WORK, BY_HAND)

SLOW_SPEEDS: Final = (40.0, 120.0, 120.0, 120.0, 120.0, 120.0)
"""Records per second: so few that sleeping makes members slow, and not this machine."""
EQUAL_SPEEDS: Final = (60.0,) * 6
"""More than 51 records per second, and fewer than the peak's 77."""
PARTITIONS: Final = 24
USED: Final = 0.8
SIGMA: Final = 1.0
"""Of the lognormal rates; as in benchmarks/simulation."""
SEED: Final = 1
"""Of rates and arrivals. Under it nobody's share exceeds a member: a plan at 80 % exists."""

BEFORE: Final = (51.0, 15.0)
PEAK: Final = (77.0, 23.0)
"""Records per second for each member of the busy half and of the quiet half, before the peak and
in it."""

PEER_RATES: Final = (20.0,) * 6 + (5.0,) * 12 + (2.0,) * 14
"""A message every 50, 200 and 500 ms. The peer does not publish the sizes of the sets; with these
the mean of four processes is 52, in its 50 to 53."""
PEER_THREADS: Final = 2
PEER_COUNTS: Final = ("--balance", "none")
"""With four partitions each, a member without one of the six fast ones has 20 records/s at most, of
a mean of 26: members, which plans balance, and so processes, would stay uneven. The peer too gives
partitions to the least loaded, whatever the counts."""


@dataclass(frozen=True, slots=True)
class LoadScenario:
    """`phases_of` takes the first owners [P] of the group that the figures are about."""

    name: str
    words: str
    seconds: float
    measured_from: float
    """Second from which on lag and delays count."""
    speeds: tuple[float, ...]
    partitions: int
    phases_of: Callable[[Ints], list[Phase]]
    sides: tuple[Side, ...] = FOUR
    heartbeat_ms: int = 0
    """Of members of a KIP-848 group, which its brokers set; 0 for a classic group."""
    arrivals_seed: int | None = SEED
    """None: at regular intervals."""
    threads: int = 1
    """Members of one process, which share a client id."""

    def process_of(self, member: int) -> int:
        return member // self.threads


def lognormal_rates() -> Floats:
    """Return [P] rates that use up 80 % of what SLOW_SPEEDS can process."""
    weights = np.random.default_rng(SEED).lognormal(0.0, SIGMA, PARTITIONS)
    rates: Floats = weights * (USED * sum(SLOW_SPEEDS) / weights.sum())
    return rates


def dealt_anew(rates: Floats, times: Sequence[float]) -> list[Phase]:
    """The same rates, given to other partitions at random at each of the times but the first."""
    rng = np.random.default_rng(SEED)
    return [Phase(at, rng.permutation(rates) if at else rates) for at in times]


def uneven_rates(owners: Ints, pair: tuple[float, float]) -> Floats:
    """Return [P] rates under which every other member has the first rate of the pair for all of its
    partitions together, and the others the second. Shares within a member are 1 to 2 to …, in an
    order drawn at random."""
    rng = np.random.default_rng(SEED)
    rates = np.zeros(len(owners))
    for number, member in enumerate(np.unique(owners).tolist()):
        (mine,) = np.nonzero(owners == member)
        shares = rng.permutation(np.arange(1.0, len(mine) + 1.0))
        rates[mine] = pair[number % 2] * shares / shares.sum()
    return rates


def slow_member(seconds: float) -> LoadScenario:
    return LoadScenario(
        "slow-member", "one slow member of six", seconds, seconds / 4, SLOW_SPEEDS, PARTITIONS,
        lambda _: [Phase(0.0, lognormal_rates())],
    )  # fmt: skip


def changing_rates(seconds: float) -> LoadScenario:
    times = [seconds * quarter / 4 for quarter in range(4)]
    return LoadScenario(
        "changing-rates", "the same, rates dealt anew every quarter of the time", seconds,
        seconds / 4, SLOW_SPEEDS, PARTITIONS, lambda _: dealt_anew(lognormal_rates(), times),
    )  # fmt: skip


def peak(seconds: float) -> LoadScenario:
    return LoadScenario(
        "peak", "equal members, an uneven start, then a peak", seconds, 0.0, EQUAL_SPEEDS,
        PARTITIONS,
        lambda owners: [
            Phase(0.0, uneven_rates(owners, BEFORE)),
            Phase(seconds / 2, uneven_rates(owners, PEAK)),
        ],
    )  # fmt: skip


def peer(seconds: float) -> LoadScenario:
    led = replace(BY_WORK, options=(*RESET, "--instances", "client-id", *PEER_COUNTS))
    first = np.random.default_rng(SEED).permutation(np.array(PEER_RATES))
    return LoadScenario(
        "peer", "the scenario that consumer-balancer publishes", seconds, 0.0, (120.0,) * 8,
        len(PEER_RATES), lambda _: dealt_anew(first, [0.0, seconds * 5 / 8]), (NONE, led),
        arrivals_seed=None, threads=PEER_THREADS,
    )  # fmt: skip


def steady(seconds: float) -> LoadScenario:
    return replace(slow_member(seconds), name="steady", words="steady load", sides=(BY_WORK,))


def by_brokers(
    make: Callable[[float], LoadScenario], heartbeat_ms: int
) -> Callable[[float], LoadScenario]:
    """The scenario of a classic group for one of KIP-848, from its first minute on."""

    def scenario(seconds: float) -> LoadScenario:
        classic, every = make(seconds), f"{heartbeat_ms / 1000:g} s"
        return replace(
            classic, name=f"{classic.name}-848-{heartbeat_ms}", measured_from=60.0,
            words=f"{classic.words}, KIP-848, heartbeats every {every}",
            sides=(UNIFORM, BY_WORK, BY_HAND), heartbeat_ms=heartbeat_ms,
        )  # fmt: skip

    return scenario


SCENARIOS: Final[dict[str, tuple[Callable[[float], LoadScenario], float]]] = {
    "slow-member": (slow_member, 480.0),
    "changing-rates": (changing_rates, 480.0),
    "peak": (peak, 360.0),
    "peer": (peer, 480.0),
    "steady": (steady, 1800.0),
    "slow-member-848-5000": (by_brokers(slow_member, 5000), 300.0),
    "changing-rates-848-5000": (by_brokers(changing_rates, 5000), 480.0),
    "slow-member-848-1000": (by_brokers(slow_member, 1000), 300.0),
    "changing-rates-848-1000": (by_brokers(changing_rates, 1000), 480.0),
}
"""How each is made for a number of seconds, and how many a full run has."""
OTHER_SEED: Final = "-seed"


def scenario_of(name: str, seconds: float | None = None, seed: int = SEED) -> LoadScenario:
    """The scenario for so long; its name has the seed of arrivals if that is another one."""
    make, full = SCENARIOS[name]
    made = make(full if seconds is None else seconds)
    if seed == SEED:
        return made
    return replace(made, name=f"{made.name}{OTHER_SEED}{seed}", arrivals_seed=seed)


def full_seconds(name: str) -> float:
    """Of a full run of the scenario of this name."""
    return SCENARIOS[name.partition(OTHER_SEED)[0]][1]
