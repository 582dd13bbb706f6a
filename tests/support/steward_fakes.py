"""A group coordinator and a cluster that give the answers that a test sets; full statuses."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeVar, cast

from equilag.adapters.kafka.consumer_protocol import write_subscription
from equilag.adapters.kafka.described import ClientPlace, DescribedMember
from equilag.adapters.kafka.group_reader import GroupReader
from equilag.adapters.kafka.reading import Reading, TopicOffsets
from equilag.domain.errors import EquilagError
from equilag.domain.figures import utc
from equilag.live.rebalance.joined_members import Partitions
from equilag.live.status.state_file import KeptState
from equilag.live.status.status import StewardStatus
from equilag.live.status.steward_parts import StewardEvent, StewardMember, StewardMove, StewardPlan
from equilag.live.steward.group_membership import JoinResult
from equilag.live.steward.observer import GroupObserver, Observation
from equilag.live.steward.shared_state import CommandMessage, SharedState
from equilag.live.steward.steward_options import StewardOptions

Answer = TypeVar("Answer")


def offsets(lags: Mapping[str, Sequence[int | None]]) -> TopicOffsets:
    """Topics with log start 0 and commits at 0, so that the log end is the lag."""
    gaps = {t: [number for number, one in enumerate(lag) if one is None] for t, lag in lags.items()}
    return TopicOffsets(
        sizes={topic: len(lag) for topic, lag in lags.items()},
        log_start={topic: [0] * len(lag) for topic, lag in lags.items()},
        log_end={topic: list(lag) for topic, lag in lags.items()},
        committed={topic: [0] * len(lag) for topic, lag in lags.items()},
        unknown={topic: numbers for topic, numbers in gaps.items() if numbers},
    )


def reading(
    lags: Mapping[str, Sequence[int | None]],
    owned: Mapping[str, Mapping[str, Sequence[int]]],
    kind: str = "classic",
) -> Reading:
    """A group whose members subscribe to all topics."""
    members = [
        DescribedMember(name, tuple(lags), owned={t: list(ps) for t, ps in theirs.items()})
        for name, theirs in owned.items()
    ]
    at = "2026-11-22T00:00:00Z"
    return Reading("g", kind, "Stable", "range", at, members, offsets(lags))


class FakeReader:
    """Returns what it was given; raises an error instead of returning it."""

    def __init__(
        self,
        group: Reading | EquilagError | None = None,
        lags: TopicOffsets | EquilagError | None = None,
        sizes: dict[str, int] | EquilagError | None = None,
    ) -> None:
        self.group, self.offsets = group, lags
        self.partitions = EquilagError("no broker answers") if sizes is None else sizes
        self.lag_requests = 0
        self.kind: EquilagError | str = ""
        self.client_places: dict[str, ClientPlace] | EquilagError = {}

    def read(self, group: str) -> Reading:
        return given(self.group)

    def sizes(self, topics: Iterable[str], timeout: float | None = None) -> dict[str, int]:
        return given(self.partitions)

    def check_kind(self, group: str) -> str:
        return given(self.kind)

    def places(self, group: str, timeout: float) -> dict[str, ClientPlace]:
        return given(self.client_places)

    def lags(self, group: str, topics: Iterable[str], timeout: float | None = None) -> TopicOffsets:
        self.lag_requests += 1
        return given(self.offsets)


def given(answer: Answer | EquilagError | None) -> Answer:
    """What a test set; raises it if that is an error."""
    assert answer is not None
    if isinstance(answer, EquilagError):
        raise answer
    return answer


class Parts:
    """What the loops of a steward share, without a broker."""

    def __init__(self, **options: Any) -> None:
        self.state = StewardStatus(1.0, 10.0)
        patient = {"rebalance_limit": 20.0, "session": 80.0}  # counted work ends plans long before
        self.shared = SharedState(StewardOptions("g", **{**patient, **options}), self.state)

    def observer(self, reader: FakeReader) -> GroupObserver:
        return GroupObserver(cast(GroupReader, reader), self.shared.options, KeptState(None, "g"))

    def observe(self, group: Reading) -> Observation:
        """Record an observation, as the monitor loop does."""
        observation = self.observer(FakeReader(group)).observe()
        assert self.shared.record_observation(observation)
        return observation

    @property
    def target(self) -> Mapping[str, Partitions] | None:
        """Member key -> partitions that the next rebalance leads to."""
        target = self.shared.control.handouts.known.target
        return None if target is None else target.assignment

    @property
    def commands(self) -> list[CommandMessage]:
        """The commands for the leader loop, which are taken out."""
        found = []
        while not self.shared.messages.empty():
            found.append(self.shared.messages.get())
        return found


class FakeElection:
    """Says that this steward is the holder until it is fenced, and then what a test set."""

    problem = ""
    replaced = False

    def __init__(self, after_fence: bool | None = None) -> None:
        self.holds: bool | None = True
        self._after_fence = after_fence
        self.may_take_over = True

    def fenced(self) -> None:
        self.holds = self._after_fence

    def claim_take_over(self) -> bool:
        return self.may_take_over


class FakeMembership:
    """Returns one answer per join; calls `done` with the last one."""

    group = "g"
    instance = "equilag-steward"

    def __init__(self, answers: list[JoinResult | EquilagError], done: Callable[[], None]) -> None:
        self._answers, self._done = answers, done
        self.member = "steward-1"
        self.is_member = False
        self.synced: list[dict[str, dict[str, list[int]]]] = []
        self.calls: list[Any] = []

    def join(self, reason: str, wait_s: float = 0) -> JoinResult:
        self.calls.append(("join", reason))
        self.is_member = True
        answer = self._answers.pop(0)
        if not self._answers:
            self._done()
        return given(answer)

    def sync(self, given: Mapping[str, Mapping[str, Iterable[int]]]) -> bytes:
        self.synced.append(
            {name: {t: list(ps) for t, ps in topics.items()} for name, topics in given.items()}
        )
        return b""

    def remove(self, members: Iterable[str]) -> None:
        self.calls.append(("remove", list(members)))

    def forget(self) -> None:
        self.calls.append("forget")

    def leave(self) -> None:
        self.calls.append("leave")

    def close(self) -> None:
        self.calls.append("close")


def joined(
    *members: str, leads: bool = True, skip: bool = False, generation: int = 1
) -> JoinResult:
    entries = tuple((name, None, write_subscription(["t"])) for name in members)
    leader = "s-1" if leads else "other"
    return JoinResult(generation, "range", leads, skip, entries if leads else (), leader)


HOSTILE: Final = "<script>alert(1)</script>"
"""A name that must stay text."""
_POINTS: Final = 120


def made_steward(members: int = 12, dry_run: bool = False) -> StewardStatus:
    """A leader in its cooldown; the second member has a hostile name."""
    state = StewardStatus(5.0, 10.0)
    by_member = tuple(
        StewardMember(
            name=HOSTILE if number == 1 else f"orders-{number}",
            id=f"orders-{number}-id",
            partitions=4,
            lag=50_000 - 1000 * number,
            load_percent=round(148.2 - 80.0 * number / members, 1),
            rate=420.5,
            speed=1200.0 if number % 2 else None,
            speed_measured=number % 3 > 0,
        )
        for number in range(members)
    )
    state.set(
        group="orders",
        instance="equilag-steward",
        role="dry-run" if dry_run else "leader",
        generation=41,
        protocol="range",
        members=members,
        partitions=4 * members,
        lag_total=sum(one.lag for one in by_member),
        lag_spread=by_member[0].lag - by_member[-1].lag,
        rate_total=5123.4,
        utilisation_percent=61.2,
        heaviest_percent=by_member[0].load_percent,
        relief_possible_percent=34.0,
        cooldown_s=30.0,
        cooldown_left_s=12.0,
        moves_left=430,
        pause_s=3.1,
        by_member=by_member,
        last_plan=StewardPlan(
            utc(time.time()), "worth-it", "relieves a member by 34 % of a fair share", 34.0, 22.6,
            148.2, 109.0, 2,
            (
                StewardMove("orders", 3, by_member[0].name, by_member[1].name, 9000),
                StewardMove("orders", 4, by_member[0].name, by_member[-1].name, 8000),
            ),
        ),
        **({"heaviest_percent_would_be": 104.0, "lag_total_would_be": 20_000} if dry_run else {}),
    )  # fmt: skip
    state.observed()
    state.heartbeat_answered()
    state.count("handouts", "sticky")
    state.decide("even", "at best relieves a member by 7 % of a fair share")
    state.decide("cooldown", "at best relieves a member by 18 %; 12 s left of the cooldown")
    state.record_event(
        StewardEvent(utc(time.time()), "warning", "rebalance", "moves: orders-1 a to b")
    )
    _fill_history(state)
    return state


def _fill_history(state: StewardStatus) -> None:
    facts, now = state.facts, time.time()
    would_be = facts.lag_total_would_be, facts.heaviest_percent_would_be
    for point in range(_POINTS):
        wave = math.sin(point / 12)
        course = int(60_000 + 30_000 * wave), 125.0 + 20 * wave, *would_be
        state._points.append((now - 5.0 * (_POINTS - point), *course))
    state._rebalances.append(now - 300.0)
