"""The monitor loop: observes the group at intervals and decides whether to rebalance."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Final

from equilag.adapters.kafka.group_reader import NoSuchGroup, TemporarilyUnreadable
from equilag.errors import EquilagError
from equilag.live.rebalance.gain import Gain
from equilag.live.rebalance.member_assignments import MemberAssignments
from equilag.live.steward.commands import Command
from equilag.live.steward.event_log import log_event
from equilag.live.steward.observer import GroupObserver, Observation, imbalance_under
from equilag.live.steward.shared_state import SharedState
from equilag.live.steward.status import PASSIVE_REASON
from equilag.live.steward.trigger import Trigger

_NO_GROUP: Final = "there is no such group"
_REPAIR_GAP_S: Final = 15.0
"""Seconds between two rebalances for unowned or deleted partitions: longer than such a rebalance
takes, so that a repair that did not help is not repeated at once."""


class MonitorLoop:
    """Observes with `observer`; `leads` returns whether the steward leads, and the generation."""

    def __init__(
        self, shared: SharedState, observer: GroupObserver, leads: Callable[[], tuple[bool, int]]
    ) -> None:
        self._shared = shared
        self._observer = observer
        self._leads = leads
        self._trigger = Trigger(shared.options.thresholds)
        self._members: set[str] = set()
        self._unowned_before = False
        self._repaired_at = -_REPAIR_GAP_S
        self._dry_run_plan: MemberAssignments | None = None
        self._failing = ""
        self._remarks: set[str] = set()

    def run(self) -> None:
        """Run until the shared state says stop."""
        every = self._shared.options.observe_every
        next_at = time.monotonic()
        while not self._shared.stop.is_set():
            self.run_once()
            next_at = max(next_at + every, time.monotonic())
            self._shared.stop.wait(next_at - time.monotonic())

    def run_once(self) -> None:
        """Observe once and act on it. Never raises what a cluster can cause."""
        before, (leads, generation) = self._shared.rebalances, self._leads()
        try:
            observation = self._observer.observe()
        except TemporarilyUnreadable:
            self._shared.state.count("observations", "rebalancing")
            return
        except NoSuchGroup:
            self._handle_no_group()
            return
        except EquilagError as error:
            self._handle_failure(str(error))
            return
        if self._failing not in ("", _NO_GROUP):
            log_event(logging.INFO, "reading-again")
        self._failing = ""
        self._shared.state.count("observations", "done")
        self._shared.state.observed()
        if not self._shared.record_observation(observation, before):
            return  # the group rebalanced while the plan was made
        self._update_status(observation)
        if observation.kind == "consumer":
            self._shared.send(Command.RECONSIDER)
        elif observation.members:
            self._evaluate(observation, leads, generation)

    def _handle_no_group(self) -> None:
        if self._failing != _NO_GROUP:
            log_event(logging.INFO, "no-group", reason="it has no members and no commits")
        self._failing = _NO_GROUP
        self._shared.record_no_group()
        self._shared.send(Command.RECONSIDER)
        self._shared.state.count("observations", "no group")
        self._shared.state.observed()
        self._shared.state.set(members=0)
        if self._shared.options.dry_run:
            self._shared.state.set(role="dry-run", role_reason=_NO_GROUP)

    def _handle_failure(self, problem: str) -> None:
        self._shared.state.count("observations", "failed")
        if problem != self._failing:
            log_event(logging.WARNING, "cannot-read-the-group", problem=problem)
        self._failing = problem
        if self._shared.options.dry_run:
            self._shared.state.set(role="unreachable", role_reason=problem)

    def _update_status(self, observation: Observation) -> None:
        left_out = () if observation.decision is None else observation.decision.left_out
        remarks = [*observation.remarks, *left_out]
        for remark in remarks:
            if remark not in self._remarks:
                log_event(logging.INFO, "remark", text=remark)
        self._remarks = set(remarks)
        gain, now = observation.gain, observation.unchanged.now
        state = self._shared.state
        state.set(
            members=len(observation.members),
            partitions=int(observation.group.assignable.sum()),
            unowned_partitions=observation.unowned,
            lag_total=int(observation.group.lag.sum()),
            lag_excess=now.excess if observation.members else None,
            lag_excess_planned=None if gain is None else gain.planned.excess,
            lag_spread=now.spread if observation.members else None,
            lag_spread_planned=None if gain is None else gain.planned.spread,
            moves_planned=None if gain is None else gain.moves,
        )
        if self._shared.options.dry_run:
            consumer = observation.kind == "consumer"
            state.set(
                role="passive" if consumer else "dry-run",
                role_reason=PASSIVE_REASON if consumer else "",
                protocol=observation.protocol,
            )

    def _evaluate(self, observation: Observation, leads: bool, generation: int) -> None:
        members = {member.id for member in observation.members}
        if members != self._members:
            self._trigger.reset()
            self._dry_run_plan = None
            self._members = members
        if self._shared.options.dry_run:
            self._evaluate_gain(observation, generation, dry_run=True)
        elif leads:
            if not self._repair(observation, generation):
                self._evaluate_gain(observation, generation, dry_run=False)
        elif self._shared.options.take_over and generation >= 0:
            self._shared.send(Command.TAKE_OVER, generation)

    def _repair(self, observation: Observation, generation: int) -> bool:
        """Rebalance for partitions that were added or deleted, which the members leave to the
        leader to notice, or that break a rule of the policy. Two observations must agree."""
        seen = observation.to_repair and not self._shared.rebalance_pending
        confirmed = seen and self._unowned_before
        self._unowned_before = seen
        now = time.monotonic()
        if not confirmed or now - self._repaired_at < _REPAIR_GAP_S or observation.target is None:
            return seen
        self._repaired_at = now
        self._start(observation, generation, "partitions", _repair_reason(observation))
        return True

    def _evaluate_gain(self, observation: Observation, generation: int, dry_run: bool) -> None:
        gain = observation.gain
        if gain is None or observation.decision is None:
            self._trigger.evaluate(observation.ideal, time.monotonic())
            self._shared.state.set(verdict="no plan could be worth a rebalance")
            return
        if observation.decision.fallback_reason is not None:
            self._shared.state.set(verdict=f"no plan: {observation.decision.fallback_reason}")
            return
        worth_it, reason = self._trigger.evaluate(gain, time.monotonic())
        self._shared.state.set(verdict=f"{gain}: {reason}")
        if self._dry_run_plan is not None:
            self._compare(observation, gain)
        if not worth_it:
            return
        if dry_run:
            self._trigger.record_rebalance(time.monotonic())
            self._dry_run_plan = observation.decision.plan.assignment
            self._shared.state.count("would_trigger")
            log_event(logging.WARNING, "would-rebalance", gain=str(gain), **_gain_fields(gain))
        else:
            self._start(observation, generation, "gain", str(gain))

    def _start(self, observation: Observation, generation: int, kind: str, reason: str) -> None:
        target = observation.target
        if target is None:
            return
        self._trigger.record_rebalance(time.monotonic())
        self._shared.state.count("rebalances_triggered", kind)
        log_event(logging.WARNING, "rebalance", cause=kind, reason=reason)
        self._shared.set_target(target)
        self._shared.send(Command.TRIGGER, generation, reason)

    def _compare(self, observation: Observation, gain: Gain) -> None:
        """In a dry run: log the imbalance now under the plan that was not handed out."""
        if self._dry_run_plan is None:
            return
        would_be = imbalance_under(observation.group, self._dry_run_plan)
        self._shared.state.set(
            lag_excess_would_be=None if would_be is None else would_be.excess,
            lag_spread_would_be=None if would_be is None else would_be.spread,
        )
        if would_be is not None:
            log_event(
                logging.INFO,
                "would-be",
                excess=round(gain.now.excess),
                excess_would_be=round(would_be.excess),
                saved=round(gain.now.excess - would_be.excess),
                spread=gain.now.spread,
                would_be=would_be.spread,
            )


def _count(number: int, one: str, several: str) -> str:
    return f"{number:,} {one if number == 1 else several}"


def _repair_reason(observation: Observation) -> str:
    if observation.unowned:
        one, several = "partition without an owner", "partitions without an owner"
        return _count(observation.unowned, one, several)
    if observation.group.dropped_claims:
        one, several = "owned partition is gone", "owned partitions are gone"
        return _count(observation.group.dropped_claims, one, several)
    one, several = "partition breaks a rule", "partitions break rules"
    return f"{_count(observation.broken, one, several)} of the policy"


def _gain_fields(gain: Gain) -> dict[str, int]:
    return {
        "excess_now": round(gain.now.excess),
        "excess_then": round(gain.planned.excess),
        "saved": round(gain.saved),
        "spread_now": gain.now.spread,
        "spread_then": gain.planned.spread,
        "moves": gain.moves,
    }
