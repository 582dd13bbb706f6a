"""A group coordinator and a cluster that give the answers that a test sets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

from equilag.adapters.kafka.codec.consumer_protocol import write_subscription
from equilag.adapters.kafka.described import ClientPlace, DescribedMember
from equilag.adapters.kafka.group_reader import GroupReader, Reading, TopicOffsets
from equilag.domain.errors import EquilagError
from equilag.live.rebalance.joined_members import Partitions
from equilag.live.status.state_file import KeptState
from equilag.live.status.status import StewardStatus
from equilag.live.steward.group_membership import JoinResult
from equilag.live.steward.observer import GroupObserver, Observation
from equilag.live.steward.shared_state import CommandMessage, SharedState
from equilag.live.steward.steward_options import StewardOptions


def offsets(lags: Mapping[str, Sequence[int | None]]) -> TopicOffsets:
    """Topics with log start 0 and commits at 0, so that the log end is the lag."""
    return TopicOffsets(
        sizes={topic: len(lag) for topic, lag in lags.items()},
        log_start={topic: [0] * len(lag) for topic, lag in lags.items()},
        log_end={topic: list(lag) for topic, lag in lags.items()},
        committed={topic: [0] * len(lag) for topic, lag in lags.items()},
        unknown={
            topic: [number for number, value in enumerate(lag) if value is None]
            for topic, lag in lags.items()
            if None in lag
        },
        remarks=[],
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
    return Reading(
        group="g",
        kind=kind,
        state="Stable",
        protocol="range",
        coordinator=1,
        taken_at="2026-11-22T00:00:00Z",
        members=members,
        offsets=offsets(lags),
        remarks=[],
    )


class FakeReader:
    """Returns what it was given; raises an error instead of returning it."""

    def __init__(
        self,
        group: Reading | EquilagError | None = None,
        lags: TopicOffsets | EquilagError | None = None,
        sizes: dict[str, int] | EquilagError | None = None,
    ) -> None:
        self.group, self.offsets, self.partitions = group, lags, sizes
        self.lag_requests = 0
        self.kind: EquilagError | None = None
        """Raised when the kind of the group is asked for."""
        self.client_places: dict[str, ClientPlace] | EquilagError = {}

    def read(self, group: str) -> Reading:
        if isinstance(self.group, EquilagError):
            raise self.group
        assert self.group is not None, group
        return self.group

    def sizes(self, topics: Iterable[str], timeout: float | None = None) -> dict[str, int]:
        if isinstance(self.partitions, EquilagError):
            raise self.partitions
        if self.partitions is None:
            raise EquilagError("no broker answers")
        return self.partitions

    def check_kind(self, group: str) -> None:
        if self.kind is not None:
            raise self.kind

    def places(self, group: str, timeout: float) -> dict[str, ClientPlace]:
        if isinstance(self.client_places, EquilagError):
            raise self.client_places
        return self.client_places

    def lags(self, group: str, topics: Iterable[str], timeout: float | None = None) -> TopicOffsets:
        self.lag_requests += 1
        if isinstance(self.offsets, EquilagError):
            raise self.offsets
        assert self.offsets is not None, (group, topics, timeout)
        return self.offsets


class Parts:
    """What the loops of a steward share, without a broker."""

    def __init__(self, **options: Any) -> None:
        self.state = StewardStatus(1.0, 10.0)
        self.shared = SharedState(StewardOptions("g", **options), self.state)

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
        target = self.shared.handouts.known.target
        return None if target is None else target.assignment

    @property
    def commands(self) -> list[CommandMessage]:
        """The commands for the leader loop, which are taken out."""
        found = []
        while not self.shared.messages.empty():
            found.append(self.shared.messages.get())
        return found


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

    def join(self, reason: str) -> JoinResult:
        self.calls.append(("join", reason))
        answer = self._answers.pop(0)
        if not self._answers:
            self._done()
        if isinstance(answer, EquilagError):
            raise answer
        return answer

    def sync(self, given: Mapping[str, Mapping[str, Iterable[int]]]) -> None:
        self.synced.append(
            {name: {t: list(ps) for t, ps in topics.items()} for name, topics in given.items()}
        )

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
    return JoinResult(generation, "range", leads, skip, entries if leads else ())
