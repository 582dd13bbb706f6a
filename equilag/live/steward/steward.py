"""The steward as a whole: its threads, from start to end."""

from __future__ import annotations

import logging
import queue
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final
from uuid import uuid4

from equilag.adapters.kafka.client_config import Config
from equilag.adapters.kafka.group_kinds import STEWARDS
from equilag.adapters.kafka.group_reader import GroupReader
from equilag.domain.errors import EquilagError
from equilag.live.carrier.carrier_shell import CarrierShell
from equilag.live.rebalance.decision import decide_within, load_planner
from equilag.live.status.state_file import KeptState
from equilag.live.status.status import StewardStatus, log_event, recorded
from equilag.live.steward.election_loop import SESSION_S, ElectionLoop, election_group
from equilag.live.steward.group_membership import GroupMembership
from equilag.live.steward.heartbeat_loop import HeartbeatLoop
from equilag.live.steward.leader_loop import LeaderLoop
from equilag.live.steward.monitor_loop import MonitorLoop
from equilag.live.steward.observer import GroupObserver
from equilag.live.steward.shared_state import SharedState
from equilag.live.steward.steward_options import StewardOptions

_LEAVE_S: Final = 0.5
"""How long the leader loop may take to leave by itself; then its join is aborted."""
_END_S: Final = 5.0
"""How long each thread may take to end."""
_SWITCH_S: Final = 0.0005
"""Seconds after which a thread that plans lets another one run. A group waits for each of some ten
turns that an answer takes, of 5 ms each by Python's default."""
_POLL_S: Final = 0.5
"""How often the main thread checks whether a thread has ended."""
_HAND_OVER_S: Final = 6.0
"""How long another steward may take to replace this one: about a second, unless it is gone, too."""


class Steward:
    """Leads one group of the cluster that `config` names, or only observes it (dry run).

    Raises InputError if the cluster does not answer, MissingExtra without the clients.
    """

    def __init__(self, config: Config, options: StewardOptions) -> None:
        self._options = options
        self.state = StewardStatus(options.observe_every, options.session)
        self.state.set(group=options.group, instance=options.instance)
        self._shared = SharedState(options, self.state)
        self._reader = GroupReader(config, isolation=options.isolation)
        kept = KeptState(options.state_file, options.group)
        observer = GroupObserver(self._reader, options, kept, self._shared.together)
        self._stop_requests: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._failure: EquilagError | None = None
        self._leader: LeaderLoop | None = None
        if not options.dry_run:
            electing = GroupMembership(
                config, election_group(options.group), f"{options.instance}-{uuid4()}",
                (STEWARDS,), SESSION_S, STEWARDS,
            )  # fmt: skip
            self._election = ElectionLoop(self._shared, electing)
            membership = GroupMembership(
                config, options.group, options.instance, options.protocols, options.session
            )
            membership.permit = self._election.permit
            self._membership = membership
            self._leader_reader = GroupReader(config, isolation=options.isolation)
            self._leader = LeaderLoop(
                self._shared,
                membership,
                self._leader_reader,
                self._election,
                CarrierShell(self._shared, config, self._leader_reader, self._election.permit),
            )
            self._heartbeats = HeartbeatLoop(self._shared, membership, self._leader)
        self._monitor = MonitorLoop(self._shared, observer, decide_within, self._leads)

    def end(self) -> None:
        """Make `run` leave the group and return; may be called from a signal handler."""
        self._stop_requests.put(None)  # unlike an Event it takes no lock, which `run` might hold

    def run(self) -> None:
        """Run until `end`. Raises EquilagError if the steward had to stop by itself."""
        with recorded(self.state):
            self._run()

    def _run(self) -> None:
        load_planner()
        sys.setswitchinterval(_SWITCH_S)
        self._monitor.run_once()  # who owns what, before anything is assigned
        if not self._stop_requests.empty():
            self._shared.stop_all()
        threads = [self._thread("monitor", self._monitor.run)]
        leader = self._leader
        if leader is not None:
            threads += [
                self._thread("leader", leader.run),
                self._thread("heartbeat", self._heartbeats.run),
                self._thread("election", self._election.run),
            ]
        log_event(
            logging.INFO, "started", group=self._options.group, instance=self._options.instance
        )
        # Each thread stops the others when it ends, so waiting for one flag is enough.
        while not self._shared.stop.is_set():
            with suppress(queue.Empty):
                self._stop_requests.get(timeout=_POLL_S)
                self._hand_over()
                self._shared.stop_all()
        if leader is not None:
            self._end_leader(threads[1])
        for thread in threads:
            thread.join(_END_S)
        self.state.set(role="stopped")
        log_event(logging.INFO, "stopped", group=self._options.group)
        self._reader.close()
        if leader is not None:
            self._leader_reader.close()
        if (failure := self._shared.failure or self._failure) is not None:
            raise failure

    def _hand_over(self) -> None:
        """Where other stewards stand by, go on until one of them is in this one's place. A second
        request to stop ends that."""
        if self._leader is None or not self._election.resign():
            return
        give_up = time.monotonic() + _HAND_OVER_S
        while self._membership.is_member and time.monotonic() < give_up:
            with suppress(queue.Empty):
                self._stop_requests.get(timeout=_POLL_S)
                return

    def _end_leader(self, thread: threading.Thread) -> None:
        """Let the leader loop leave the group; abort a join that still waits for other members."""
        thread.join(_LEAVE_S)
        if thread.is_alive():
            if not self._options.keep_membership:
                self._membership.leave()
            self._membership.close()

    def _thread(self, name: str, run: Callable[[], None]) -> threading.Thread:
        def guarded() -> None:
            try:
                run()
            except Exception as error:  # without one of its threads the process must end
                logging.getLogger("equilag.steward").exception("%s failed", name)
                self._failure = EquilagError(f"{name}: {type(error).__name__}: {error}")
            finally:
                self._shared.stop_all()

        thread = threading.Thread(target=guarded, name=name, daemon=True)
        thread.start()
        return thread

    def _leads(self) -> tuple[bool, int]:
        leader = self._leader
        return (False, -1) if leader is None else (leader.leads, leader.generation)
