"""The assignors that are compared: name, command, and the reason if one cannot be run."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Literal

from benchmarks.assignors.exchange import PeerFailure, write_answer
from benchmarks.assignors.native import HERE, NoRunner, go_runner, java_runner
from benchmarks.assignors.runner_process import run_watched

Family = Literal["java", "go", "python", "own"]

_PYTHON_PEER: Final = "benchmarks.assignors.python_peer"
_CHECKOUT: Final = HERE.parent.parent


@dataclass(frozen=True)
class CallBudget:
    """Seconds of the warm-up and of the measurement, see `exchange`, and at most per call."""

    warm_s: float = 0.4
    measure_s: float = 0.6
    limit_s: float = 60.0
    other_s: float = 120.0
    """Limit for everything between calls: start, reading the case, building inputs, writing."""


@dataclass(frozen=True)
class Peer:
    """An assignor that is run in a separate process."""

    name: str
    family: Family
    command: Callable[[], tuple[str, ...]]
    """Returns the runner's command, built if necessary; raises NoRunner."""

    @cached_property
    def _runner(self) -> tuple[str, ...] | NoRunner:
        try:
            return self.command()
        except NoRunner as error:
            return error

    def missing(self) -> str | None:
        """Return why it cannot be run here, or None. The first call may build the runner."""
        return str(self._runner) if isinstance(self._runner, NoRunner) else None

    def run(self, case_file: Path, out: Path, budget: CallBudget) -> None:
        """Write a result or a failure to `out`, see `exchange.read_answer`.

        Raises TimeoutExpired if a call takes longer than the limit of the budget, and NoRunner if
        the runner is missing.
        """
        if isinstance(self._runner, NoRunner):
            raise self._runner
        out.unlink(missing_ok=True)
        times = [str(budget.warm_s), str(budget.measure_s)]
        arguments = [str(case_file.resolve()), self.name, str(out.resolve()), *times]
        command = [*self._runner, *arguments]
        problem = run_watched(command, _CHECKOUT, budget.limit_s, budget.other_s)
        if problem is None and not out.exists():
            problem = "wrote no result"
        if problem is not None:
            write_answer(PeerFailure(problem), out)


def python_runner(package: str) -> Callable[[], tuple[str, ...]]:
    """Return a function that returns the command of the Python runner if `package` is installed."""

    def command() -> tuple[str, ...]:
        if find_spec(package) is None:
            raise NoRunner(f"the Python package {package} is not installed")
        return (sys.executable, "-m", _PYTHON_PEER)

    return command


PEERS: Final = (
    Peer("range", "java", java_runner),
    Peer("round-robin", "java", java_runner),
    Peer("sticky", "java", java_runner),
    Peer("cooperative-sticky", "java", java_runner),
    Peer("uniform", "java", java_runner),
    Peer("franz-go-sticky", "go", go_runner),
    Peer("franz-go-cooperative-sticky", "go", go_runner),
    Peer("kafka-python-sticky", "python", python_runner("kafka")),
    Peer("kip-169", "own", python_runner("equilag")),
    Peer("equilag", "own", python_runner("equilag")),
)
"""In the order of the tables."""
RACK_PEERS: Final = (
    Peer("range", "java", java_runner),
    Peer("franz-go-range", "go", go_runner),
    Peer("franz-go-cooperative-sticky", "go", go_runner),
)
"""Those that know racks."""
