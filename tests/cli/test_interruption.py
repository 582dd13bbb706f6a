"""Ctrl-C during a run: the best plan so far, exit status 130, and nothing half written."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from threading import Thread
from typing import Any, Final

import numpy as np
import pytest
from support.commands import terminal_of
from support.groups import snapshot_of

import equilag
from benchmarks.waiting import until
from equilag.cli import main
from equilag.cli.stop_signals import Stop, stopping

LONG: Final = ("--time-limit", "120")
"""Nobody waits so long: a run that is not interrupted fails its test."""


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """A group with something to improve for minutes."""
    lags = np.random.default_rng(3).lognormal(10, 2, 1_200).astype(int)
    subscriptions = [[0, 1 + i % 7] for i in range(60)]
    path = tmp_path / "large.json"
    snapshot = snapshot_of([500, *[100] * 7], subscriptions, range(60), lags)
    path.write_text(json.dumps(snapshot), "utf-8")
    return path


def interrupted(argv: list[object], environment: dict[str, str]) -> tuple[int, str]:
    """Exit status and output of a command that gets SIGINT once its progress line is there."""
    written: list[bytes] = []
    environment = {k: v for k, v in environment.items() if k != "NO_COLOR"}
    with terminal_of(written) as slave:
        process = subprocess.Popen(
            [sys.executable, "-m", "equilag", *map(str, argv)],
            env={**environment, "TERM": "xterm"},
            stdout=subprocess.PIPE,
            stderr=slave,
            encoding="utf-8",
        )
        until(lambda: written)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
    return process.returncode, out


def test_plan(large: Path, tmp_path: Path, process_environment: dict[str, str]) -> None:
    target = tmp_path / "plan.json"
    status, out = interrupted(["plan", large, *LONG, "--out", target], process_environment)
    assert status == 130
    assert ", interrupted after " in out
    plan = json.loads(target.read_text("utf-8"))
    assert plan["interrupted"] is True
    assert plan["timing"]["wall_s"] < 60
    assert equilag.verify(equilag.load_snapshot(large), plan) == []


class ThisProcess:
    """An assignor that interrupts its own process, so that a run is over before it begins."""

    name = "this-process"

    def assign(self, group: Any) -> Any:
        signal.raise_signal(signal.SIGINT)
        return np.where(group.assignable, 0, -1)


def test_before_there_is_any_plan(write: Any, capsys: pytest.CaptureFixture[str]) -> None:
    own = f"{__name__}:ThisProcess"
    small = write()
    assert main(["compare", str(small), "--assignor", own, "--json"]) == 130
    rows = {row["assignor"]: row for row in json.loads(capsys.readouterr().out)["rows"]}
    assert rows[own]["status"] == "heuristic"
    assert rows["equilag"]["status"] == "fallback"


def test_the_second_interruption_ends_the_process() -> None:
    before = signal.getsignal(signal.SIGINT)
    with stopping() as stop:
        signal.raise_signal(signal.SIGINT)
        assert stop.is_set()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) == before


def test_a_process_that_ignores_interruptions_goes_on() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with stopping() as stop:
            signal.raise_signal(signal.SIGINT)
        assert not stop.is_set()
    finally:
        signal.signal(signal.SIGINT, before)


def test_no_handler_outside_the_main_thread() -> None:
    before, found = signal.getsignal(signal.SIGINT), []

    def run() -> None:
        with stopping() as stop:
            found.append((stop.is_set(), signal.getsignal(signal.SIGINT)))

    thread = Thread(target=run)
    thread.start()
    thread.join()
    assert found == [(False, before)]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_block_at_once_but_not_what_is_held(number: int) -> None:
    done = []
    before = signal.getsignal(number)
    with Stop() as stop:
        with stop.held():
            os.kill(os.getpid(), number)
            done.append("written")
        done.append("never")
    with Stop():
        os.kill(os.getpid(), number)
        done.append("never")
    assert done == ["written"]
    assert signal.getsignal(number) is before


def test_a_second_signal_does_not_break_off_the_tidying_up() -> None:
    done = []
    with Stop():
        try:
            os.kill(os.getpid(), signal.SIGTERM)
        finally:
            os.kill(os.getpid(), signal.SIGTERM)
            done.append("tidied up")
    assert done == ["tidied up"]
