"""A child process for calls that may crash or hang; the parent survives both.

The child is forked, so it need not import again what the parent has imported.
"""

from __future__ import annotations

import ctypes
import gc
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, Final, Literal

from equilag.domain.errors import describe_error

MAX_WAIT_S: Final = 1e6
"""Longest wait in seconds; `poll(2)` takes milliseconds as a 32-bit integer, at most 2.1e6 s."""
_PR_SET_PDEATHSIG: Final = 1
"""The option of `prctl(2)` that names the signal a process gets when its parent ends."""
WATCH: Final = 1.0
"""Seconds between a child's checks that its parent is alive: a check costs microseconds."""

FailureKind = Literal["input", "error", "crash", "timeout"]


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a call has no result: a `kind`, and the reason as text."""

    kind: FailureKind
    reason: str


class ChildProcess:
    """A process that calls `function`, until it is closed. One that ended is replaced at the next
    call."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._process: Any = None
        self._pipe: Connection | None = None

    def call(self, arguments: tuple[Any, ...], seconds: float) -> Any:
        """Call the function with picklable arguments; return its result or a Failure.

        The kind of a Failure is `timeout` if the call takes longer than `seconds` (the child is
        killed), `crash` if the process ends during the call, `input` for an EquilagError, and
        `error` for all other exceptions.
        """
        if self._process is None or not self._process.is_alive():
            self.close()  # a process killed between two calls is not a failure of either
            self._start()
        if not self._send(arguments):  # killed after the check above
            self.close()
            self._start()
            self._send(arguments)
        assert self._pipe is not None
        try:
            if not self._pipe.poll(min(seconds, MAX_WAIT_S)):
                self.close()
                return Failure("timeout", f"no result within {seconds:g} s; process killed")
            return self._pipe.recv()
        except (EOFError, OSError):
            self._process.join(WATCH)
            code = self._process.exitcode
            self.close()
            return Failure("crash", _exit_text(code))

    def _send(self, arguments: tuple[Any, ...]) -> bool:
        """Send the arguments. Returns True once the child has confirmed that it received them."""
        assert self._pipe is not None
        try:
            self._pipe.send(arguments)
            return self._pipe.recv() is None
        except (EOFError, OSError):
            return False

    def _start(self) -> None:
        context = multiprocessing.get_context("fork")
        ours, theirs = context.Pipe()
        with warnings.catch_warnings():
            # Python warns of forking with threads; the child uses no lock that a thread may hold.
            warnings.simplefilter("ignore", DeprecationWarning)
            self._process = context.Process(
                target=_serve, args=(theirs, ours, self._function, os.getpid()), daemon=True
            )
            self._process.start()
        theirs.close()
        self._pipe = ours

    def close(self) -> None:
        """End the process, if one runs."""
        if self._pipe is not None:
            self._pipe.close()
        if self._process is not None:
            self._process.kill()
            self._process.join()
        self._process = self._pipe = None


def _exit_text(code: int | None) -> str:
    if code is not None and code < 0:
        with suppress(ValueError):
            return f"the process was ended by {signal.Signals(-code).name}"
    return f"the process ended with status {code}"


def _serve(
    pipe: Connection, parents: Connection, function: Callable[..., Any], parent: int
) -> None:
    gc.freeze()  # a garbage collection would write to every shared page, and so copy it
    parents.close()  # otherwise this process would keep the pipe open after its parent has ended
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _die_with_parent()
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()
    while True:
        try:
            arguments = pipe.recv()
            pipe.send(None)
        except (EOFError, OSError):
            os._exit(0)
        result = _attempt(function, arguments)
        try:
            pipe.send(result)
        except (TypeError, AttributeError, ValueError, pickle.PicklingError) as error:
            pipe.send(Failure("error", f"the result cannot be pickled: {error}"))


def _die_with_parent() -> None:
    """Have Linux kill this process when its parent ends, even if no other thread ever runs."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _watch(parent: int) -> None:
    """End this process when its parent has ended, even during an endless call."""
    while os.getppid() == parent:
        time.sleep(WATCH)
    os._exit(0)


def _attempt(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    from equilag.domain.errors import EquilagError

    try:
        return function(*arguments)
    except EquilagError as error:
        return Failure("input", str(error))
    except MemoryError:
        return Failure("error", "MemoryError: not enough memory for this group")
    except Exception as error:  # noqa: BLE001 - one group's error must not stop the other groups
        return Failure("error", describe_error(error))
