"""The exporter: reads groups again and again with a bounded share of a core, and joins nothing."""

from __future__ import annotations

import logging
import random
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from equilag.adapters.kafka.reading import Reading
from equilag.domain.errors import EquilagError, describe_error
from equilag.live.exporter.group_answer import GroupAnswer
from equilag.live.exporter.group_scaler import GroupScaler
from equilag.live.exporter.watched_group import MISSED, JudgeSettings, WatchedGroup
from equilag.live.status.status import log_event

CORE_SHARE: Final = 0.04
"""Part of a core that rounds may take on average; the interval grows for it. Answers to Prometheus
bring it to 0.05 with hundreds of groups."""
MORE: Final = 0.4
"""What plans and sizes may add to a round: hundreds of groups have theirs within some minutes, and
no answer is much older for that."""
FRESH_S: Final = 45.0
"""Interval that they do not lengthen: so no answer is older than a minute."""
ASKED_S: Final = 600.0
"""For so long a group counts as one whose number of processes somebody asks for."""
JITTER: Final = 0.1
"""Part of the interval by which rounds come earlier or later, so that several exporters do not ask
brokers at once."""


class GroupsRead(NamedTuple):
    """Groups at one moment."""

    groups: list[Reading]
    left_out: Mapping[str, str]
    """Group -> why it could not be read now."""
    age_s: float = 0.0
    """Seconds since the offsets were measured."""


ReadGroups = Callable[[], GroupsRead]
"""Reads all groups that are wanted. Raises EquilagError."""


@dataclass(frozen=True, slots=True)
class ExporterFacts:
    """How the exporter does."""

    up: bool = False
    """1 if the last round read the groups."""
    problem: str = "no round has ended yet"
    """Why not; empty if it did."""
    groups: int = 0
    """Groups with an answer."""
    left_out: int = 0
    """Groups that could not be read in the last round; they keep their last answer."""
    rounds: int = 0
    """Rounds so far."""
    failed_rounds: int = 0
    """Rounds that read nothing."""
    interval_s: float = 0.0
    """Seconds between the starts of two rounds."""
    round_s: float = 0.0
    """Seconds that the last round took."""
    core_s: float = 0.0
    """Seconds of a core that the last round took."""
    last_read_age_s: float | None = None
    """Seconds since groups were read."""


@dataclass(slots=True)
class Exporter:
    """Reads with `read` every `every_s` seconds or less often; `scaler` makes that of a group by
    its name. One thread runs it, others ask for answers."""

    read: ReadGroups
    judge: JudgeSettings
    scaler: Callable[[str], GroupScaler]
    every_s: float = 15.0
    seed: int = 0
    stop: threading.Event = field(default_factory=threading.Event)
    _known: dict[str, WatchedGroup] = field(default_factory=dict)
    _facts: ExporterFacts = field(default_factory=ExporterFacts)
    _read_at: float | None = None
    _logged: str = ""
    _refused: Mapping[str, str] = field(default_factory=dict)

    def run(self) -> None:
        """Run rounds until `stop` is set."""
        chance = random.Random(self.seed)
        while not self.stop.is_set():
            begun = time.monotonic()
            wait = self.round() * (1 + JITTER * (2 * chance.random() - 1))
            self.stop.wait(max(0.0, begun + wait - time.monotonic()))

    def round(self) -> float:
        """Read and judge all groups once; seconds until the next round. Never raises what a cluster
        or a server can cause."""
        begun, core = time.monotonic(), time.thread_time()
        problem, left_out = "", 0
        try:
            found = self.read()
        except EquilagError as error:
            problem = str(error)
        else:
            self._read_at = time.monotonic() - found.age_s
            left_out = self._take(found, self._read_at)
            taken = time.thread_time() - core
            most = min((1 + MORE) * taken, FRESH_S * CORE_SHARE)
            self._compute(core + max(most, self.every_s * CORE_SHARE))
        empty = "" if problem or self._known or left_out else "there is no such group"
        if (news := problem or empty) != self._logged:
            event = "cannot-read-groups" if problem else "no-groups" if empty else "reading-again"
            log_event(logging.WARNING if news else logging.INFO, event, problem=news)
            self._logged = news
        used = time.thread_time() - core
        interval = max(self.every_s, used / CORE_SHARE)
        self._facts = ExporterFacts(
            not problem, problem, len(self._known), left_out, self._facts.rounds + 1,
            self._facts.failed_rounds + bool(problem), interval, time.monotonic() - begun, used,
        )  # fmt: skip
        return interval

    def _take(self, found: GroupsRead, at: float) -> int:
        """Judge what was read, and forget what is gone; how many groups could not be read."""
        known, refused = dict(self._known), dict[str, str]()
        for reading in found.groups:
            if self.stop.is_set():
                return 0
            try:
                if (one := known.get(reading.group)) is None:
                    one = WatchedGroup(self.judge, self.scaler(reading.group))
                if one.loses(reading):
                    continue
                known[reading.group], one.missed = one, 0
                one.add(reading, at)
            except Exception as error:  # noqa: BLE001  one group must not end the others' answers
                refused[reading.group] = f"group {reading.group}: {describe_error(error)}"
                continue
            one.tell(time.monotonic())
        for problem in sorted({*refused.values()} - {*self._refused.values()}):
            log_event(logging.WARNING, "no-verdict", problem=problem)
        self._refused, failed = refused, found.left_out.keys() | refused.keys()
        read = {one.group for one in found.groups}
        for name in list(known):
            if name in read or name in failed:
                continue
            known[name].missed += 1
            if known[name].missed >= MISSED:
                del known[name]
        self._known = known
        return len(failed)

    def _compute(self, until: float) -> None:
        """Search for the plans and sizes that are needed most, as far as the thread's time allows;
        for one at least. A group that somebody scales by comes first."""
        now = time.monotonic()
        due = [
            (one.asked_at > now - ASKED_S, staleness, name)
            for name, one in self._known.items()
            if (staleness := one.staleness(now)) >= 1
        ]
        for _, _, name in sorted(due, key=lambda row: row[:2], reverse=True):
            if self.stop.is_set():
                return
            one = self._known[name]
            try:
                one.compute(now)
            except Exception as error:  # noqa: BLE001  as above
                problem = f"group {name}: {describe_error(error)}"
                log_event(logging.WARNING, "not-computed", problem=problem)
            one.tell(now)
            if time.thread_time() >= until:
                return

    @property
    def facts(self) -> ExporterFacts:
        age = None if self._read_at is None else time.monotonic() - self._read_at
        return replace(self._facts, last_read_age_s=age)

    def answers(self) -> list[GroupAnswer]:
        """The last answers of all groups, with their age."""
        now = time.monotonic()
        aged = [one.aged(now) for _, one in sorted(self._known.items())]
        return [answer for answer in aged if answer is not None]

    def answer(self, name: str) -> GroupAnswer | None:
        """The last answer of a group, with its age; None for a group that is not known."""
        one, now = self._known.get(name), time.monotonic()
        if one is None:
            return None
        one.asked_at = now
        return one.aged(now)
