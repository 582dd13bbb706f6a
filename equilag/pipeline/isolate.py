"""A child process for work that may crash or hang: what it does to itself, its parent survives.

The child is forked, so that what the parent has imported need not be imported again.
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
from types import TracebackType
from typing import Any, Final, Literal

LONGEST: Final = 1e6
"""Seconds: what can be waited for; more does not fit the system's call."""
_PR_SET_PDEATHSIG: Final = 1
WATCH: Final = 1.0
"""Seconds between a child's looks at whether its parent still lives."""

FailureKind = Literal["input", "error", "crash", "timeout"]


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no answer: `kind`, and the reason in words."""

    kind: FailureKind
    reason: str


class ChildProcess:
    """A process that calls `function`; one that died or was killed is replaced when needed."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._process: Any = None
        self._pipe: Connection | None = None

    def __enter__(self) -> ChildProcess:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end()

    def call(self, arguments: tuple[Any, ...], seconds: float) -> Any:
        """What the function returns for picklable arguments, or a Failure.

        `timeout` if it takes longer than `seconds` (the child is killed), `crash` if the process
        ends under it, `input` for equilag's own errors, and `error` for all others.
        """
        if self._process is None or not self._process.is_alive():
            self._end()  # one that was killed while it waited is nobody's failure
            self._start()
        if not self._hand_over(arguments):  # killed while it waited, and not noticed in time
            self._end()
            self._start()
            self._hand_over(arguments)
        assert self._pipe is not None
        try:
            if not self._pipe.poll(min(seconds, LONGEST)):
                self._end()
                return Failure("timeout", f"gave no answer within {seconds:g} s and was killed")
            return self._pipe.recv()
        except (EOFError, OSError):
            self._process.join(WATCH)
            code = self._process.exitcode
            self._end()
            return Failure("crash", _how_it_ended(code))

    def _hand_over(self, arguments: tuple[Any, ...]) -> bool:
        """Did the child take the arguments."""
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
            # Nothing that other threads of this process may be holding is used in the child.
            warnings.simplefilter("ignore", DeprecationWarning)
            self._process = context.Process(
                target=_serve, args=(theirs, ours, self._function, os.getpid()), daemon=True
            )
            self._process.start()
        theirs.close()
        self._pipe = ours

    def _end(self) -> None:
        if self._pipe is not None:
            self._pipe.close()
        if self._process is not None:
            self._process.kill()
            self._process.join()
        self._process = self._pipe = None


def _how_it_ended(code: int | None) -> str:
    if code is not None and code < 0:
        with suppress(ValueError):
            return f"the process was ended by {signal.Signals(-code).name}"
    return f"the process ended with status {code}"


def _serve(
    pipe: Connection, parents: Connection, function: Callable[..., Any], parent: int
) -> None:
    gc.freeze()  # a collection would write to, and so copy, every page that is shared
    parents.close()  # else this process itself would keep the pipe open when its parent is gone
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _die_with_parent()
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()
    while True:
        try:
            arguments = pipe.recv()
            pipe.send(None)
        except (EOFError, OSError):
            os._exit(0)
        answer = _attempt(function, arguments)
        try:
            pipe.send(answer)
        except (TypeError, AttributeError, ValueError, pickle.PicklingError) as error:
            pipe.send(Failure("error", f"an answer that cannot be sent: {error}"))


def _die_with_parent() -> None:
    """Where there is Linux: the one way that also ends what never lets another thread run."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _watch(parent: int) -> None:
    """End with the parent, also in the middle of something that never ends."""
    while os.getppid() == parent:
        time.sleep(WATCH)
    os._exit(0)


def _attempt(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    from equilag.errors import EquilagError

    try:
        return function(*arguments)
    except EquilagError as error:
        return Failure("input", str(error))
    except MemoryError:
        return Failure("error", "MemoryError: not enough memory for this group")
    except Exception as error:  # noqa: BLE001 - a group that raises must not cost the others their plans
        return Failure("error", describe(error))


def describe(error: Exception) -> str:
    """An error in one line."""
    try:
        text = " ".join(str(error).split())[:500]
    except Exception:  # noqa: BLE001 - there are errors that cannot even be shown
        text = "(its text cannot be shown)"
    return f"{type(error).__name__}: {text}"
