"""The monitor loop: observes the group at intervals and acts on what the controller says."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from equilag.adapters.kafka.described import NoSuchGroup, TemporarilyUnreadable, UnplannableGroup
from equilag.domain.errors import EquilagError
from equilag.domain.group.group import Group
from equilag.domain.plan.plan import Plan
from equilag.domain.policy.policy import Policy
from equilag.live.exporter.group_answer import answer_of
from equilag.live.exporter.group_scaler import GroupScaler
from equilag.live.rebalance.controller import Considered
from equilag.live.rebalance.decision import Decision, PlanSettings
from equilag.live.rebalance.fitting_policy import with_capacities
from equilag.live.rebalance.joined_members import group_of, member_key, speed_names, speeds_of
from equilag.live.rebalance.measured import shares_in_force
from equilag.live.rebalance.rebalance_limits import VerdictNews
from equilag.live.rebalance.sticky_plan import sticky_policy
from equilag.live.status.status import PASSIVE_REASON, log_event
from equilag.live.status.status_figures import (
    SpeedReport,
    decision_figures,
    lasting,
    observed_figures,
    shown_moves,
)
from equilag.live.steward.dry_run import DryRun
from equilag.live.steward.observer import GroupObserver, Observation
from equilag.live.steward.repair import Repair
from equilag.live.steward.shared_state import Command, SharedState
from equilag.planner.verdict.quick_verdict import quick_judgement

Decide = Callable[[Group, PlanSettings], Decision]
"""Plans within the time limit of the settings."""

_WOULD_BE_S: Final = 60.0
"""How often a dry run logs what would be; the status has it at any time."""
_SOON_S: Final = 60.0
"""For so long after a rebalance the group is looked at twice as often: the first rates and speeds,
or what the rebalance brought, are known sooner."""
_LEAST_S: Final = 2.0
"""But not more often than this."""
_CAUSES_S: Final = 30.0
"""How often causes are looked for, which takes up to 0.4 s for 1,000 members that fall behind."""
_NO_GROUP: Final = "there is no such group: it has no members and no commits; check its name"


class MonitorLoop:
    """Observes with `observer`; `leads` returns whether the steward leads, and the generation."""

    def __init__(
        self,
        shared: SharedState,
        observer: GroupObserver,
        decide: Decide,
        leads: Callable[[], tuple[bool, int]],
    ) -> None:
        self._shared = shared
        self._observer = observer
        self._decide = decide
        self._leads = leads
        self._repair = Repair()
        self._dry_run = DryRun(shared.options.policy) if shared.options.dry_run else None
        self._speeds = SpeedReport()
        self._scaler = GroupScaler(shared.options.scale, shared.options.threads)
        self._sizing: threading.Thread | None = None
        self._remarks: set[str] = set()
        self._news = VerdictNews()
        self._told_would_be = self._causes_at = float("-inf")
        self._without_assignment = 0
        """Consecutive observations in which the group was without a complete assignment."""

    def run(self) -> None:
        """Run until the shared state says stop."""
        next_at = time.monotonic()
        while not self._shared.stop.is_set():
            self.run_once()
            next_at = max(next_at + self.pause_s, time.monotonic())
            self._shared.stop.wait(next_at - time.monotonic())
        self._observer.close()

    @property
    def pause_s(self) -> float:
        """Seconds from one observation to the next."""
        every, at = self._shared.options.observe_every, self._shared.control.handouts.known.at
        soon = not self._without_assignment and time.monotonic() < at + _SOON_S
        return max(every / 2, min(every, _LEAST_S)) if soon else every

    def run_once(self) -> None:
        """Observe once and act on it. Never raises what a cluster can cause."""
        rebalances, (leads, generation) = (
            self._shared.control.handouts.known.rebalances,
            self._leads(),
        )
        try:
            observation = self._observer.observe(rebalances)
        except TemporarilyUnreadable:
            self._shared.state.count("observations", "rebalancing")
            self._count_without_assignment(True)
            return
        except NoSuchGroup:
            self._without_group("no group", "no-group", _NO_GROUP)
            self._count_without_assignment(False)
            self._shared.observation = None
            self._shared.send(Command.RECONSIDER)
            self._shared.state.observed()
            self._shared.state.set(members=0, by_member=())
            return
        except UnplannableGroup as error:  # the steward must not stay in it, or wait for it
            self._shared.fail("refused", error)
            return
        except EquilagError as error:
            self._without_group("failed", "cannot-read-the-group", str(error))
            return
        if self._shared.unread not in ("", _NO_GROUP):
            log_event(logging.INFO, "reading-again")
        self._shared.unread = ""
        self._shared.state.count("observations", "done")
        self._shared.state.observed()
        self._count_without_assignment(observation.unowned > 0)
        observation = self._repair.without_hopeless(observation)
        if not self._shared.record_observation(observation):
            return  # the group rebalanced meanwhile
        self._update_status(observation)
        if observation.kind == "consumer" and not leads:
            self._shared.send(Command.RECONSIDER)
        elif observation.members:
            self._evaluate(observation, leads, generation)
        self._shared.state.record_figures()

    def _count_without_assignment(self, without: bool) -> None:
        self._without_assignment = self._without_assignment + 1 if without else 0
        self._shared.state.set(observations_without_assignment=self._without_assignment)

    def _without_group(self, outcome: str, event: str, problem: str) -> None:
        """The group was not observed for this reason, which is logged as an event once."""
        self._shared.state.count("observations", outcome)
        if problem != self._shared.unread:
            log_event(logging.WARNING, event, problem=problem)
        self._shared.unread = problem
        if self._dry_run is not None:
            role = "dry-run" if problem == _NO_GROUP else "unreachable"
            self._shared.state.set(role=role, role_reason=problem)

    def _update_status(self, observation: Observation) -> None:
        for remark in observation.remarks:
            if remark not in self._remarks:
                log_event(logging.INFO, "remark", text=remark)
        self._remarks = set(observation.remarks)
        state = self._shared.state
        state.set(**observed_figures(observation))
        if observation.began >= self._causes_at + _CAUSES_S:
            self._judge(observation)
        measured = speeds_of(observation.members, observation.speeds)
        rate = float(observation.loads.rate.sum())
        self._speeds.report(observation.measured.capacities, measured, rate)
        if self._dry_run is not None:
            consumer = observation.kind == "consumer"
            state.set(
                role="passive" if consumer else "dry-run",
                role_reason=PASSIVE_REASON if consumer else "",
                protocol=observation.protocol,
            )

    def _judge(self, observation: Observation) -> None:
        """Show what is wrong with the group, and how many processes it needs."""
        group, options, at = observation.group, self._shared.options, observation.at
        scaler = self._scaler
        answer = answer_of(quick_judgement(group, options.limits, None, scaler.least(group)))
        is_due = group.n_members and scaler.staleness(group, at) >= 1
        if is_due and not (self._sizing and self._sizing.is_alive()):
            # 1,200 partitions take some seconds, for which the loop must not wait.
            self._sizing = threading.Thread(target=scaler.size, args=(group, at), daemon=True)
            self._sizing.start()
        answer = replace(answer, scale=scaler.facts(group, at))
        self._shared.state.set(causes=lasting(answer.causes))
        self._shared.state.answered(answer, at)
        if answer.scale is not None:  # else look again as soon as there are sizes
            self._causes_at = observation.began

    def _evaluate(self, observation: Observation, leads: bool, generation: int) -> None:
        if self._dry_run is not None:
            self._consider(observation, generation, self._dry_run)
        elif leads and self._shared.take_over is not None:
            self._shared.state.decide("", "a take-over waits for removed members")
        elif leads:
            if not self._repaired(observation, generation):
                self._consider(observation, generation)
        else:
            self._shared.state.decide("", "another member leads")
            if self._shared.options.take_over and generation >= 0:
                self._shared.send(Command.TAKE_OVER, generation)

    def _repaired(self, observation: Observation, generation: int) -> bool:
        """Rebalance for partitions that were added or deleted, which the members leave to the
        leader to notice, or that break a rule of the policy. Return True if there are any.

        Shares in force count: newly measured speeds move nothing.
        """
        pending, known = self._shared.rebalance_pending, self._shared.control.handouts.known
        sizes = {} if known.target is None else known.target.sizes
        if not self._repair.is_due(observation, pending, sizes, time.monotonic()):
            return self._repair.seen
        policy, measured = self._shared.options.policy, observation.measured
        shares = shares_in_force(observation.held, known.shares, measured.capacities)
        measured = replace(measured, capacities=shares)
        group = group_of(
            self._shared.options.group, observation.members, observation.sizes, measured
        )
        decision = self._plan(with_capacities(group, policy), sticky_policy(policy))
        if self._repair.helps(observation, decision, policy):
            target = observation.target(decision.plan, shares)
            reason = self._repair.reason(observation)
            handouts, now = self._shared.control.handouts, time.monotonic()
            if handouts.request(target, observation.rebalances, now):
                self._shared.send(Command.TRIGGER, generation, reason)
                self._note_rebalance("partitions", decision.plan, reason)
        return True

    def _consider(
        self, observation: Observation, generation: int, dry_run: DryRun | None = None
    ) -> None:
        """Ask the controller about the group: as it is, or as it would be in a dry run."""
        if dry_run is not None:
            observation = replace(observation, loads=dry_run.loads(observation))
        control = self._shared.control
        considered, starts = control.consider(observation, self._plan, dry_run is not None)
        if starts and (decision := considered.to_start) is not None:
            if dry_run is not None:
                dry_run.adopt(decision.plan)
            else:
                self._shared.send(Command.TRIGGER, generation, considered.case)
            kind = "gain" if dry_run is None else ""
            self._note_rebalance(kind, decision.plan, considered.case)
        self._show(considered, observation)
        if dry_run is not None:
            self._show_would_be(dry_run.figures(observation.loads), observation.at)

    def _plan(self, group: Group, policy: Policy) -> Decision:
        shared = self._shared
        settings = shared.options.in_advance(group.n_partitions)
        settings = replace(settings, policy=policy, together=shared.together)
        decision = self._decide(group, settings)
        for line in decision.left_out:
            if line not in self._remarks:
                log_event(logging.INFO, "remark", text=line)
                self._remarks.add(line)
        return decision

    def _note_rebalance(self, kind: str, plan: Plan, reason: str) -> None:
        """A rebalance was requested; without a kind it would have been."""
        state, moves = self._shared.state, shown_moves(plan)
        state.record_rebalance()
        if kind:
            state.count("rebalances_triggered", kind)
            log_event(logging.WARNING, "rebalance", cause=kind, reason=reason, moves=moves)
        else:
            state.count("would_trigger")
            log_event(logging.WARNING, "would-rebalance", reason=reason, moves=moves)

    def _show(self, considered: Considered, observation: Observation) -> None:
        """Report a decision: in the status and the metrics always, in the log when it is news."""
        now = time.monotonic()
        state, verdict = self._shared.state, considered.verdict
        state.count("decisions", verdict.ground)
        state.decide(verdict.ground, verdict.reason)
        by_key = speed_names(observation.members)
        names = {one.id: by_key[member_key(one)] for one in observation.members}
        state.set(
            **decision_figures(
                considered, self._shared.control.controller, observation.loads, names, now
            )
        )
        if considered.effect:
            log_event(logging.INFO, "effect", reason=considered.effect)
        if self._news.is_news(verdict, now):
            log_event(logging.INFO, "decision", decision=verdict.ground, reason=verdict.reason)

    def _show_would_be(self, figures: Mapping[str, Any], at: float) -> None:
        self._shared.state.set(**figures)
        if figures and at - self._told_would_be >= _WOULD_BE_S:
            self._told_would_be = at
            log_event(logging.INFO, "would-be", **figures)
