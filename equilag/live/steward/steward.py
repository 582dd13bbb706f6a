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
from equilag.live.steward.group_membership import Beat, Seat
from equilag.live.steward.leader_loop import Lead
from equilag.live.steward.monitor_loop import Look
from equilag.live.steward.observer import Watch
from equilag.live.steward.shared_state import Call, Desk, Options, decide_within, say
from equilag.live.steward.status import State

_PER_SESSION: Final = 10
"""Heartbeats in the length of one session."""
_SLOWEST_S: Final = 3.0
_END_S: Final = 5.0
_LISTEN_S: Final = 0.5


class Steward:
    """Leads one group of the cluster that `config` names, or watches it (a dry run).

    Raises InputError if the cluster does not answer, MissingExtra without the clients.
    """

    def __init__(self, config: Config, options: Options) -> None:
        self._options = options
        self.state = State(options.look_every, options.session)
        self.state.set(group=options.group, instance=options.instance)
        self._desk = Desk(options, self.state)
        self._reader = GroupReader(config, isolation=options.isolation)
        watch = Watch(
            self._reader,
            options.group,
            frozenset({options.instance}),
            options.reset,
            options.thresholds,
            lambda group, doubt: decide_within(group, options.ahead, doubt),
        )
        self._asked_to_end: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._failure: EquilagError | None = None
        self._lead: Lead | None = None
        if not options.dry_run:
            seat = Seat(config, options.group, options.instance, options.protocols, options.session)
            self._seat = seat
            self._quick_reader = GroupReader(config, isolation=options.isolation)
            self._lead = Lead(self._desk, seat, self._quick_reader)
        self._look = Look(self._desk, watch, self._leads)

    def end(self) -> None:
        """Leave the group and end `run`; may be called from a signal handler."""
        self._asked_to_end.put(None)  # takes no lock, unlike an event, that `run` might hold

    def run(self) -> None:
        """Until `end`. Raises EquilagError where it had to end by itself."""
        self._look.once()  # what everybody has, before anything is handed out
        if not self._asked_to_end.empty():
            self._desk.end()
        threads = [self._thread("look", self._look.run)]
        lead = self._lead
        if lead is not None:
            threads += [self._thread("lead", lead.run), self._thread("beat", self._beat)]
        say(logging.INFO, "started", group=self._options.group, instance=self._options.instance)
        # Each thread says when it ends, so this is as good as waiting for any of them.
        while not self._desk.stop.is_set():
            with suppress(queue.Empty):
                self._asked_to_end.get(timeout=_LISTEN_S)
                self._desk.end()
        if lead is not None:
            self._end_lead(threads[1])
        for thread in threads:
            thread.join(_END_S)
        self.state.set(role="stopped")
        say(logging.INFO, "stopped", group=self._options.group)
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
            if not self._options.keep_seat:
                self._seat.leave()
            self._seat.close()

    def _thread(self, name: str, run: Callable[[], None]) -> threading.Thread:
        def guarded() -> None:
            try:
                run()
            except Exception as error:  # the process must not live on without one of its threads
                logging.getLogger("equilag.steward").exception("%s failed", name)
                self._failure = EquilagError(f"{name}: {type(error).__name__}: {error}")
            finally:
                self._desk.end()

        thread = threading.Thread(target=guarded, name=name, daemon=True)
        thread.start()
        return thread

    def _leads(self) -> tuple[bool, int]:
        lead = self._lead
        return (False, -1) if lead is None else (lead.leads, lead.generation)

    def _beat(self) -> None:
        lead, seat = self._lead, self._seat
        assert lead is not None
        pause = min(_SLOWEST_S, self._options.session / _PER_SESSION)
        heard = time.monotonic()
        while not self._desk.stop.wait(pause):
            if lead.joining:
                # The group waits for others, which may take long; or the connection is dead.
                if seat.beat() is not Beat.SILENT:
                    heard = time.monotonic()
                elif time.monotonic() - heard > self._options.session:
                    seat.break_off()
                    heard = time.monotonic()
                continue
            heard = time.monotonic()
            if not seat.taken:
                continue
            generation = lead.generation
            beat = seat.beat()
            self.state.count("heartbeats", beat.value)
            if beat in (Beat.FINE, Beat.REBALANCE):
                self.state.beaten()
            if beat is Beat.REBALANCE:
                self._desk.call(Call.REBALANCE, generation)
            elif beat is Beat.LOST:
                self._desk.call(Call.LOST, generation)
            elif beat is Beat.FENCED:
                self._desk.call(Call.FENCED, generation)
