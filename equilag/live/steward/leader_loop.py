"""The thread that has the seat: joins, hands out, waits for what comes, joins again."""

from __future__ import annotations

import logging
import queue
import time
from collections.abc import Mapping, Sequence
from typing import Final

from equilag.adapters.kafka.group_reader import GroupReader, MissingRight, TopicOffsets
from equilag.errors import EquilagError, InputError
from equilag.group import Group
from equilag.live.rebalance.joined_group import Decision
from equilag.live.steward.assignments import Arrival, Handout, allot, arrival
from equilag.live.steward.group_membership import Joined, Seat
from equilag.live.steward.membership_errors import Fenced, Refused, SeatLost, Unreachable
from equilag.live.steward.observer import known_share, lags_of
from equilag.live.steward.shared_state import Call, Desk, Message, decide_within, say

_AGAIN_S: Final = 0.3
"""Before the coordinator is asked again that did not answer."""
_STANDBY_S: Final = 5.0
_KNOWN: Final = 0.9
"""Share of partitions whose lag has to be known for a plan."""


class _TopicsUnknown(Unreachable):
    """Without the topics' sizes nothing can be handed out."""


class Lead:
    """Has the seat. `reader` is used by this thread only."""

    def __init__(self, desk: Desk, seat: Seat, reader: GroupReader) -> None:
        self._desk = desk
        self._seat = seat
        self._reader = reader
        self._reason = "equilag steward starts"
        self._generation = -1
        self._leads = False
        self._took_over = False
        self._failing_since: float | None = None
        """When the first of the rebalances was that we could hand out nothing in."""
        self.failure: EquilagError | None = None
        self.joining = False
        """While a JoinGroup waits no heartbeat is due."""

    @property
    def generation(self) -> int:
        return self._generation

    @property
    def leads(self) -> bool:
        return self._leads

    def run(self) -> None:
        """Until the desk says stop; then leaves the group."""
        try:
            while not self._desk.stop.is_set():
                if self._stands_by():
                    self._leave_for_standby()
                    self._next(_STANDBY_S)
                else:
                    self._turn()
        except Fenced as error:
            self._fail("fenced", error)
            self._seat.forget()
        except MissingRight as error:  # whoever cannot see the topics must not lead
            self._fail("missing-right", error)
        finally:
            if self.failure is not None or not self._desk.options.keep_seat:
                self._seat.leave()
            self._seat.close()

    def _fail(self, event: str, error: EquilagError) -> None:
        self.failure = error
        say(logging.ERROR, event, problem=str(error))
        self._desk.end()

    def _stands_by(self) -> bool:
        outlook = self._desk.outlook
        return outlook is not None and outlook.kind == "consumer" and bool(outlook.members)

    def _leave_for_standby(self) -> None:
        reason = "the group uses the protocol of KIP-848, where the broker assigns"
        if self._desk.state.figures.role != "standby":
            say(logging.WARNING, "standby", reason=reason)
        self._desk.state.set(role="standby", role_reason=reason)
        self._leads = False
        self._seat.leave()

    def _turn(self) -> None:
        """Join once, see to the rebalance, and wait until the next one."""
        try:
            self.joining = True
            joined = self._seat.join(self._reason)
            self.joining = False
            self._generation, self._leads = joined.generation, joined.leads
            self._desk.rebalanced()
            self._desk.state.beaten()
            if joined.leads and not joined.skip:
                self._hand_out(joined)
            else:
                self._seat.sync({})
        except SeatLost:
            self._seat.forget()
        except _TopicsUnknown as error:
            self._topics_unknown(str(error))
        except Unreachable as error:
            self._unreachable(str(error))
        except Refused as error:
            self._refused(error)
        else:
            self._failing_since = None
            self._settled(joined)
            while not self._desk.stop.is_set() and not self._stands_by():
                if self._act_on(self._next(_STANDBY_S)):
                    break
        finally:
            self.joining = False

    def _act_on(self, message: Message | None) -> bool:
        """Do what is asked; True if we have to join again."""
        if message is None or message.generation not in (-1, self._generation):
            return False
        if message.call is Call.REBALANCE:
            self._reason = "rebalance"
        elif message.call is Call.TRIGGER:
            if not self._leads:
                return False
            self._reason = f"equilag steward: {message.reason}"[:200]
        elif message.call is Call.LOST:
            self._seat.forget()
            self._reason = "equilag steward was expelled"
        elif message.call is Call.TAKE_OVER:
            return not (self._leads or self._took_over) and self._take_over()
        elif message.call is Call.FENCED:
            raise Fenced(f"another process has joined as {self._seat.instance!r}")
        else:
            return False
        return True

    def _take_over(self) -> bool:
        outlook = self._desk.outlook
        members = [member.id for member in outlook.members] if outlook is not None else []
        if not members:
            return False
        try:
            self._seat.remove(members)
        except (Refused, Unreachable) as error:
            say(logging.ERROR, "take-over-failed", problem=str(error))
            return False
        self._took_over = True  # in one step, and never again
        say(logging.WARNING, "take-over", removed=len(members))
        self._desk.state.count("rebalances_triggered", "take-over")
        self._reason = "equilag steward takes over"
        return True

    def _next(self, seconds: float) -> Message | None:
        try:
            return self._desk.messages.get(timeout=seconds)
        except queue.Empty:
            return None

    def _settled(self, joined: Joined) -> None:
        state = self._desk.state
        role = "leader" if joined.leads else "follower"
        reason = ""
        if not joined.leads and self._desk.options.take_over and not self._took_over:
            reason = "another member leads, and is about to lose that"
        elif not joined.leads:
            reason = "another member leads; --take-over, or restart the members"
        if state.figures.role != role:
            level = logging.INFO if joined.leads else logging.WARNING
            say(level, role, generation=joined.generation, protocol=joined.protocol, reason=reason)
        state.set(
            role=role,
            role_reason=reason,
            generation=joined.generation,
            protocol=joined.protocol,
        )

    def _unreachable(self, problem: str) -> None:
        if self._desk.state.figures.role != "unreachable":
            say(logging.WARNING, "coordinator-unreachable", problem=problem)
        self._desk.state.set(role="unreachable", role_reason=problem)
        self._desk.stop.wait(_AGAIN_S)

    def _topics_unknown(self, problem: str) -> None:
        """Try again; but the group must not wait for us for ever."""
        say(logging.WARNING, "topics-unknown", problem=problem)
        self._desk.state.set(role="unreachable", role_reason=problem)
        now = time.monotonic()
        if self._failing_since is None:
            self._failing_since = now
        if now - self._failing_since < self._desk.options.session:
            self._desk.stop.wait(_AGAIN_S)
            return
        say(logging.ERROR, "leaves", problem=problem)
        self._seat.leave()
        self._failing_since = None
        self._desk.stop.wait(_STANDBY_S)

    def _refused(self, error: Refused) -> None:
        if error.passing:
            return
        if self._desk.state.figures.role_reason != str(error):
            say(logging.ERROR, "refused", problem=str(error))
        self._desk.state.set(role="unreachable", role_reason=str(error))
        self._desk.stop.wait(_STANDBY_S)

    def _hand_out(self, joined: Joined) -> None:
        """Decide and sync. Raises what the seat raises."""
        began = time.monotonic()
        here = arrival(
            joined.protocol,
            [(one.id, one.instance_id, one.metadata) for one in joined.members],
            self._desk.held,
        )
        handout = self._handout(here)
        self._seat.sync({**handout.given, self._seat.member: {}})
        self._desk.handed(handout.target, complete=not handout.withheld)
        state = self._desk.state
        state.count("handouts", handout.origin)
        for doubt in handout.doubts:
            state.count("doubts")
            state.set(last_doubt=doubt)
        fields = {
            "generation": joined.generation,
            "protocol": joined.protocol,
            "members": len(here.members),
            "origin": handout.origin,
            "withheld": handout.withheld,
            "ms": round(1000 * (time.monotonic() - began)),
        }
        state.set(last_handout=f"{handout.origin} to {len(here.members)} members")
        level = logging.WARNING if handout.doubts else logging.INFO
        say(level, "handed-out", **fields, doubt="; ".join(handout.doubts))

    def _handout(self, here: Arrival) -> Handout:
        topics = sorted({topic for member in here.members for topic in member.topics})
        sizes, lags, doubt = self._sizes_and_lags(topics)
        sizes = {topic: sizes[topic] for topic in topics if topic in sizes}

        def decide(group: Group, why: str | None) -> Decision:
            return decide_within(group, self._desk.options.at_once, why)

        target = self._desk.target
        try:
            return allot(self._seat.group, here, sizes, lags, target, decide, doubt)
        except EquilagError as error:  # such as lags that add up to more than there can be
            return allot(self._seat.group, here, sizes, {}, None, decide, str(error))

    def _sizes_and_lags(
        self, topics: list[str]
    ) -> tuple[Mapping[str, int], Mapping[str, Sequence[int | None]], str | None]:
        """Of the topics, and a doubt where their lag is not known or not fresh."""
        if not topics:
            return {}, {}, None
        options = self._desk.options
        outlook = self._desk.outlook
        try:
            offsets = self._reader.lags(options.group, topics, options.at_once.time_limit)
        except MissingRight:
            raise
        except EquilagError as error:
            seen = set() if outlook is None else {t for m in outlook.members for t in m.topics}
            if outlook is not None and seen.issuperset(topics):
                fresh = time.monotonic() - outlook.at <= options.lag_age
                doubt = None if fresh else f"no fresh lag: {error}"
                return outlook.sizes, outlook.lags, doubt
            return self._sizes(topics), {}, f"no lag: {error}"
        return self._with_lags(offsets)

    def _sizes(self, topics: list[str]) -> Mapping[str, int]:
        """Without them nothing can be handed out, so they may take half of the session."""
        try:
            return self._reader.sizes(topics, self._desk.options.session / 2)
        except MissingRight:
            raise
        except EquilagError as error:
            raise _TopicsUnknown(f"the topics are not known: {error}") from error

    def _with_lags(
        self, offsets: TopicOffsets
    ) -> tuple[Mapping[str, int], Mapping[str, Sequence[int | None]], str | None]:
        try:
            lags = lags_of(offsets, self._desk.options.reset)
        except InputError as error:
            return offsets.sizes, {}, f"no lag that makes sense: {error}"
        known, total = known_share(lags)
        doubt = f"the lag of {total - known} of {total} partitions is not known"
        return offsets.sizes, lags, doubt if known < _KNOWN * total else None
