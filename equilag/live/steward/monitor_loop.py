"""The thread that watches: looks at the group every so often and judges whether to rebalance."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Final

from equilag.adapters.kafka.group_reader import NoSuchGroup, NotNow
from equilag.errors import EquilagError
from equilag.live.rebalance.gain import Gain
from equilag.live.rebalance.joined_group import Assignment
from equilag.live.steward.observer import Outlook, Watch, spread_under
from equilag.live.steward.shared_state import Call, Desk, say
from equilag.live.steward.trigger import Trigger

_NO_GROUP: Final = "there is no such group"
_REPAIR_GAP_S: Final = 15.0
"""Seconds from one rebalance for partitions that nobody has to the next."""


class Look:
    """Looks with `watch`; `leads` says whether and for which generation we lead."""

    def __init__(self, desk: Desk, watch: Watch, leads: Callable[[], tuple[bool, int]]) -> None:
        self._desk = desk
        self._watch = watch
        self._leads = leads
        self._trigger = Trigger(desk.options.thresholds)
        self._members: set[str] = set()
        self._unowned_before = False
        self._repaired = -_REPAIR_GAP_S
        self._would_be: Assignment | None = None
        self._failing = ""
        self._remarks: set[str] = set()

    def run(self) -> None:
        """Until the desk says stop."""
        every = self._desk.options.look_every
        due = time.monotonic()
        while not self._desk.stop.is_set():
            self.once()
            due = max(due + every, time.monotonic())
            self._desk.stop.wait(due - time.monotonic())

    def once(self) -> None:
        """One look and what follows from it; never raises what a cluster can bring about."""
        before, (leads, generation) = self._desk.rebalances, self._leads()
        try:
            outlook = self._watch.look()
        except NotNow:
            self._desk.state.count("looks", "rebalancing")
            return
        except NoSuchGroup:
            self._nobody_there()
            return
        except EquilagError as error:
            self._failed(str(error))
            return
        if self._failing not in ("", _NO_GROUP):
            say(logging.INFO, "reading-again")
        self._failing = ""
        self._desk.state.count("looks", "done")
        self._desk.state.looked()
        if not self._desk.seen(outlook, before):
            return  # the group went on while the plan was made
        self._show(outlook)
        if outlook.kind == "consumer":
            self._desk.call(Call.RECONSIDER)
        elif outlook.members:
            self._judge(outlook, leads, generation)

    def _nobody_there(self) -> None:
        if self._failing != _NO_GROUP:
            say(logging.INFO, "no-group", reason="nobody has joined it and nothing is committed")
        self._failing = _NO_GROUP
        self._desk.gone()
        self._desk.call(Call.RECONSIDER)
        self._desk.state.count("looks", "no group")
        self._desk.state.looked()
        self._desk.state.set(members=0)
        if self._desk.options.dry_run:
            self._desk.state.set(role="dry-run", role_reason="there is no such group yet")

    def _failed(self, problem: str) -> None:
        self._desk.state.count("looks", "failed")
        if problem != self._failing:
            say(logging.WARNING, "cannot-read-the-group", problem=problem)
        self._failing = problem
        if self._desk.options.dry_run:
            self._desk.state.set(role="unreachable", role_reason=problem)

    def _show(self, outlook: Outlook) -> None:
        for remark in outlook.remarks:
            if remark not in self._remarks:
                say(logging.INFO, "remark", text=remark)
        self._remarks = set(outlook.remarks)
        gain = outlook.gain
        state = self._desk.state
        state.set(
            members=len(outlook.members),
            partitions=int(outlook.group.assignable.sum()),
            unowned_partitions=outlook.unowned,
            lag_total=int(outlook.group.lag.sum()),
            lag_spread=outlook.as_it_is.spread_now if outlook.members else None,
            lag_spread_planned=None if gain is None else gain.spread_then,
            moves_planned=None if gain is None else gain.moves,
        )
        if self._desk.options.dry_run:
            consumer = outlook.kind == "consumer"
            state.set(
                role="standby" if consumer else "dry-run",
                role_reason="the broker assigns in a group of KIP-848" if consumer else "",
                protocol=outlook.protocol,
            )

    def _judge(self, outlook: Outlook, leads: bool, generation: int) -> None:
        members = {member.id for member in outlook.members}
        if members != self._members:
            self._trigger.reset()
            self._would_be = None
            self._members = members
        if self._desk.options.dry_run:
            self._judge_gain(outlook, generation, would=True)
        elif leads:
            if not self._repair(outlook, generation):
                self._judge_gain(outlook, generation, would=False)
        elif self._desk.options.take_over and generation >= 0:
            self._desk.call(Call.TAKE_OVER, generation)

    def _repair(self, outlook: Outlook, generation: int) -> bool:
        """Rebalance for partitions that appeared or are gone: no member of the group will, as it
        is up to the leader to watch for that. Two looks have to see it."""
        seen = outlook.incomplete and not self._desk.on_the_way
        confirmed = seen and self._unowned_before
        self._unowned_before = seen
        now = time.monotonic()
        if not confirmed or now - self._repaired < _REPAIR_GAP_S or outlook.target is None:
            return seen
        self._repaired = now
        reason = (
            f"{outlook.unowned} partitions without an owner"
            if outlook.unowned
            else f"{outlook.group.dropped_claims} partitions are gone"
        )
        self._start(outlook, generation, "partitions", reason)
        return True

    def _judge_gain(self, outlook: Outlook, generation: int, would: bool) -> None:
        gain = outlook.gain
        if gain is None or outlook.decision is None:
            self._trigger.judge(outlook.ideal, time.monotonic())
            self._desk.state.set(verdict="no plan could be worth a rebalance")
            return
        if outlook.decision.doubt is not None:
            self._desk.state.set(verdict=f"no plan: {outlook.decision.doubt}")
            return
        time_has_come, why = self._trigger.judge(gain, time.monotonic())
        self._desk.state.set(verdict=f"{gain}: {why}")
        if self._would_be is not None:
            self._compare(outlook, gain)
        if not time_has_come:
            return
        if would:
            self._trigger.pulled(time.monotonic())
            self._would_be = outlook.decision.plan.assignment
            self._desk.state.count("would_trigger")
            say(logging.WARNING, "would-rebalance", gain=str(gain), **_fields(gain))
        else:
            self._start(outlook, generation, "gain", str(gain))

    def _start(self, outlook: Outlook, generation: int, kind: str, reason: str) -> None:
        target = outlook.target
        if target is None:
            return
        self._trigger.pulled(time.monotonic())
        self._desk.state.count("rebalances_triggered", kind)
        say(logging.WARNING, "rebalance", cause=kind, reason=reason)
        self._desk.aim(target)
        self._desk.call(Call.TRIGGER, generation, reason)

    def _compare(self, outlook: Outlook, gain: Gain) -> None:
        """In a dry run: the lag as it is now, under the plan that was not handed out."""
        if self._would_be is None:
            return
        spread = spread_under(outlook.group, self._would_be)
        self._desk.state.set(lag_spread_would_be=spread)
        if spread is not None:
            saved = gain.spread_now - spread
            say(logging.INFO, "would-be", spread=gain.spread_now, would_be=spread, saved=saved)


def _fields(gain: Gain) -> dict[str, int]:
    return {
        "spread_now": gain.spread_now,
        "spread_then": gain.spread_then,
        "saved": gain.saved,
        "moves": gain.moves,
    }
