"""The steward in a KIP-848 group: looks at the members every second, and brings each answer."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from equilag.adapters.kafka.client_config import Config, kafka_python, plain_config
from equilag.adapters.kafka.described import Described, MissingRight, needs_describe, needs_right
from equilag.adapters.kafka.group_reader import WAIT_S, GroupReader
from equilag.adapters.kafka.plain.plain_client import PlainClient
from equilag.adapters.kafka.plain.plain_connection import describe_error
from equilag.adapters.kafka.plain.plain_requests import read_topics
from equilag.domain.errors import EquilagError
from equilag.domain.figures import plural
from equilag.live.carrier.carriers import ASSIGNOR, GroupCarriers
from equilag.live.carrier.plan_form import MAX_PIECES
from equilag.live.carrier.plug_in import NoPlugIn
from equilag.live.rebalance.assignments import JoinedMembers
from equilag.live.rebalance.joined_members import MemberAssignments
from equilag.live.status.status import PASSIVE_REASON, log_event
from equilag.live.status.steward_facts import PlanStep
from equilag.live.steward.answer_maker import AnswerMaker
from equilag.live.steward.membership_errors import Fenced, Refused, Unreachable
from equilag.live.steward.observer import members_with_topics
from equilag.live.steward.shared_state import Command, CommandMessage, SharedState

with kafka_python():
    from kafka.errors import KafkaError

_LOOK_S: Final = 1.0
"""Between two looks: so late it may notice that members came or left."""
_RETRY_S: Final = 0.3
"""Until the next look after one that failed, as at a coordinator that is about to have another
place."""
_PASSIVE_S: Final = 5.0
"""Between two looks at a group that cannot be led, for which somebody has to do something."""
_TAKEN_S: Final = 3.0
"""After so long a plan that the brokers have not assigned is brought again; from Kafka 4.3 on they
take a second by default (group.consumer.assignment.interval.ms)."""
_TRIES: Final = 3
"""Plans in a row after which they are taken for refused,"""
_REFUSED_S: Final = 300.0
"""and so long the group is left to its brokers then."""


_Workers = frozenset[tuple[str, tuple[str, ...], str | None]]
"""Id, topics and pattern of each member."""


class CarrierShell:
    """Leads the group of `shared` by carriers. Only the thread of the leader loop uses it, and
    `reader`; `permit` raises Fenced where another steward takes part in its place."""

    def __init__(
        self, shared: SharedState, config: Config, reader: GroupReader, permit: Callable[[], None]
    ) -> None:
        self._shared = shared
        self._config = plain_config(config)
        self._group = shared.options.group
        self._reader = reader
        self._permit = permit
        self._answers = AnswerMaker(shared, reader)
        self._carriers: GroupCarriers | None = None
        self._least = 1
        self.pause_s = _LOOK_S
        """Until the next turn, unless there is a message."""
        self._led: _Workers | None = None
        """The workers for which the plan was made that is in force."""
        self._outvoted_by = ""
        """The assignor that most members name that name one, if it is not the plug-in."""
        self._step: PlanStep = ""
        self._brought_at = 0.0
        self._tries = 0
        self._refused_until = float("-inf")
        """Seconds of the monotonic clock."""

    def turn(self, message: CommandMessage | None) -> int | None:
        """Bring an answer if the members have changed, or if this message asks for it; else keep
        the carriers alive. Return the group's epoch, or None if it is not led, which the status
        says."""
        triggered = message is not None and message.command is Command.TRIGGER
        if time.monotonic() < self._refused_until:
            return None
        try:
            self._permit()
            epoch = self._look(triggered)
        except (NoPlugIn, MissingRight, Refused) as error:
            why = "" if self._shared.options.convert else f"{PASSIVE_REASON}; "
            self._shared.become("passive", f"{why}{error}")
            self.pause_s = _PASSIVE_S
        except Fenced:  # the election has another holder, and the leader loop stands by
            pass
        except (EquilagError, KafkaError, OSError, RuntimeError) as error:
            self._shared.become("unreachable", describe_error(error))
            self.pause_s = _RETRY_S
        else:
            self.pause_s = _LOOK_S
            self._shared.state.heartbeat_answered()
            if self._outvoted_by:
                reason = f"its members name the assignor {self._outvoted_by!r}"
                more = len(self._led or ()) + 1
                if more > MAX_PIECES:
                    reason += f"; they are more than {MAX_PIECES} carriers can outvote"
                elif not self._shared.options.outvote:
                    reason += f"; --outvote would lead it with {plural(more, 'carrier')}"
                self._shared.become("passive", f"{PASSIVE_REASON}; {reason}")
                return None
            return epoch
        self.end(leave=False)
        return None

    def end(self, leave: bool) -> None:
        """Close the connection. With `leave` the carriers leave before; else whoever comes next
        goes on under their ids."""
        carriers, self._carriers, self._led = self._carriers, None, None
        self._tell("")
        if carriers is not None:
            self._least = carriers.number
            if leave:
                with suppress(EquilagError):
                    self._permit()
                    carriers.leave()
                    self._least = 1
            carriers.client.close()

    def _look(self, triggered: bool) -> int:
        options = self._shared.options
        if (carriers := self._carriers) is None:
            client = PlainClient(self._config, WAIT_S)
            carriers = GroupCarriers(client, self._group, options.plan_key, self._least)
            self._carriers = carriers
        carriers.check_brokers()
        kind = None if options.convert else True
        described = carriers.client.describe({self._group: kind})[self._group]
        if not isinstance(described, Described):
            if described.forbidden:
                raise MissingRight(needs_right(described, self._group))
            raise Unreachable(described.reason)
        workers = frozenset((one.id, one.topics, one.pattern) for one in described.members)
        outvoted = carriers.number and described.protocol != ASSIGNOR
        self._outvoted_by = described.protocol if outvoted else ""
        if not workers:  # a group of carriers alone would never be empty
            if carriers.number:
                self.end(leave=True)
        elif triggered or workers != self._led:
            self._tries = self._tries if workers == self._led else 0
            self._answer(carriers, described)
            self._led = workers
        else:
            carriers.keep()
            if not self._outvoted_by:
                self._confirm(carriers, described)
            elif options.outvote and carriers.number <= len(workers) < MAX_PIECES:
                carriers.outvote(len(workers))
                number = len(workers) + 1
                log_event(logging.WARNING, "outvotes", assignor=described.protocol, carriers=number)
                self._answer(carriers, described)
        return described.epoch or 0

    def _confirm(self, carriers: GroupCarriers, described: Described) -> None:
        """Follow the last plan until the members have it; bring it again where the brokers have
        not assigned it. Raises Refused where they refuse it: the plug-in holds the group, and new
        members would get nothing, so that the group is left to its brokers for a while."""
        if self._step in ("", "owned"):
            return
        step, now = carriers.step(), time.monotonic()
        if step == "owned":
            self._shared.control.confirm(now)
        elif step == "brought" and now - self._brought_at >= _TAKEN_S:
            self._tries += 1
            if self._tries >= _TRIES:
                self._refused_until = now + _REFUSED_S
                self.end(leave=True)
                raise Refused("its brokers refuse the plans: is --plan-key what they have?")
            self._answer(carriers, described)
            return
        if step != self._step:
            self._tries = 0
            log_event(logging.INFO, "plan", step=step, after_s=round(now - self._brought_at, 1))
            self._tell(step)

    def _tell(self, step: PlanStep) -> None:
        self._step = step
        self._shared.state.set(plan_step=step)

    def _answer(self, carriers: GroupCarriers, described: Described) -> None:
        self._shared.control.handouts.begin(now=time.monotonic())
        members = members_with_topics(self._reader.read(self._group))
        wanted = {topic for member in members for topic in member.topics}

        def bring(by_member: MemberAssignments) -> None:
            found = read_topics(carriers.client, wanted)
            if found.forbidden:
                raise MissingRight(needs_describe("Topic", found.forbidden))
            sizes = {topic: len(found.found[name]) for topic, name in found.ids.items()}
            shares = {one.id: by_member.get(one.id, {}) for one in described.members}
            assigned = {
                member: {topic: share.get(name, []) for topic, name in found.ids.items()}
                for member, share in shares.items()
            }
            carriers.bring(assigned, sizes, time.time_ns())

        joined = JoinedMembers(members, cooperative=False)
        self._answers.hand_out(joined, described.epoch or 0, ASSIGNOR, bring)
        self._brought_at = time.monotonic()
        self._shared.control.handouts.carried(self._brought_at)
        self._tell("brought")
