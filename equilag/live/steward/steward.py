"""The steward as a whole: its threads, from start to end."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from equilag.adapters.kafka.client_config import Config
from equilag.adapters.kafka.group_reader import GroupReader
from equilag.errors import EquilagError
from equilag.live.rebalance.decision import decide_within
from equilag.live.steward.commands import Command
from equilag.live.steward.event_log import log_event
from equilag.live.steward.group_membership import GroupMembership, HeartbeatResult
from equilag.live.steward.leader_loop import LeaderLoop
from equilag.live.steward.monitor_loop import MonitorLoop
from equilag.live.steward.observer import Observer
from equilag.live.steward.shared_state import SharedState
from equilag.live.steward.status import StewardStatus
from equilag.live.steward.steward_options import StewardOptions

_PER_SESSION: Final = 10
"""Heartbeats in the length of one session."""
_SLOWEST_S: Final = 3.0
_END_S: Final = 5.0
_LISTEN_S: Final = 0.5


class Steward:
    """Leads one group of the cluster that `config` names, or watches it (a dry run).

    Raises InputError if the cluster does not answer, MissingExtra without the clients.
    """

    def __init__(self, config: Config, options: StewardOptions) -> None:
        self._options = options
        self.state = StewardStatus(options.observe_every, options.session)
        self.state.set(group=options.group, instance=options.instance)
        self._shared = SharedState(options, self.state)
        self._reader = GroupReader(config, isolation=options.isolation)
        observer = Observer(
            self._reader,
            options.group,
            frozenset({options.instance}),
            options.reset,
            options.thresholds,
            lambda group, fallback_reason: decide_within(
                group, options.in_advance, fallback_reason
            ),
        )
        self._stop_requests: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._failure: EquilagError | None = None
        self._lead: LeaderLoop | None = None
        if not options.dry_run:
            membership = GroupMembership(
                config, options.group, options.instance, options.protocols, options.session
            )
            self._membership = membership
            self._quick_reader = GroupReader(config, isolation=options.isolation)
            self._lead = LeaderLoop(self._shared, membership, self._quick_reader)
        self._monitor = MonitorLoop(self._shared, observer, self._leads)

    def end(self) -> None:
        """Leave the group and end `run`; may be called from a signal handler."""
        self._stop_requests.put(None)  # takes no lock, unlike an event, that `run` might hold

    def run(self) -> None:
        """Until `end`. Raises EquilagError where it had to end by itself."""
        self._monitor.run_once()  # what everybody has, before anything is handed out
        if not self._stop_requests.empty():
            self._shared.stop_all()
        threads = [self._thread("look", self._monitor.run)]
        lead = self._lead
        if lead is not None:
            threads += [self._thread("lead", lead.run), self._thread("beat", self._beat)]
        log_event(
            logging.INFO, "started", group=self._options.group, instance=self._options.instance
        )
        # Each thread says when it ends, so this is as good as waiting for any of them.
        while not self._shared.stop.is_set():
            with suppress(queue.Empty):
                self._stop_requests.get(timeout=_LISTEN_S)
                self._shared.stop_all()
        if lead is not None:
            self._end_lead(threads[1])
        for thread in threads:
            thread.join(_END_S)
        self.state.set(role="stopped")
        log_event(logging.INFO, "stopped", group=self._options.group)
        self._reader.close()
        if lead is not None:
            self._quick_reader.close()
            self._failure = lead.failure or self._failure
        if self._failure is not None:
            raise self._failure

    def _end_lead(self, thread: threading.Thread) -> None:
        """Let it leave the group; a join that still waits for others is broken off."""
        thread.join(0.5)
        if thread.is_alive():
            if not self._options.keep_membership:
                self._membership.leave()
            self._membership.close()

    def _thread(self, name: str, run: Callable[[], None]) -> threading.Thread:
        def guarded() -> None:
            try:
                run()
            except Exception as error:  # the process must not live on without one of its threads
                logging.getLogger("equilag.steward").exception("%s failed", name)
                self._failure = EquilagError(f"{name}: {type(error).__name__}: {error}")
            finally:
                self._shared.stop_all()

        thread = threading.Thread(target=guarded, name=name, daemon=True)
        thread.start()
        return thread

    def _leads(self) -> tuple[bool, int]:
        lead = self._lead
        return (False, -1) if lead is None else (lead.leads, lead.generation)

    def _beat(self) -> None:
        lead, membership = self._lead, self._membership
        assert lead is not None
        pause = min(_SLOWEST_S, self._options.session / _PER_SESSION)
        heard = time.monotonic()
        while not self._shared.stop.wait(pause):
            if lead.joining:
                # The group waits for others, which may take long; or the connection is dead.
                if membership.heartbeat() is not HeartbeatResult.SILENT:
                    heard = time.monotonic()
                elif time.monotonic() - heard > self._options.session:
                    membership.abort_join()
                    heard = time.monotonic()
                continue
            heard = time.monotonic()
            if not membership.is_member:
                continue
            generation = lead.generation
            beat = membership.heartbeat()
            self.state.count("heartbeats", beat.value)
            if beat in (HeartbeatResult.FINE, HeartbeatResult.REBALANCE):
                self.state.heartbeat_answered()
            if beat is HeartbeatResult.REBALANCE:
                self._shared.send(Command.REBALANCE, generation)
            elif beat is HeartbeatResult.LOST:
                self._shared.send(Command.LOST, generation)
            elif beat is HeartbeatResult.FENCED:
                self._shared.send(Command.FENCED, generation)
