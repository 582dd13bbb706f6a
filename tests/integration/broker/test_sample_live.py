"""`--sample` at a real broker: what it measures against what was produced and consumed."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
from support.commands import environment
from support.kafka_broker import Broker
from support.live_members import RdMember
from support.live_topics import Traffic, admin_of, fill, make_topic, uneven
from support.waiting import until

from benchmarks.live.assignment_log import Log
from equilag.adapters.snapshot.read_input import load_snapshot

pytestmark = [pytest.mark.broker, pytest.mark.long]

GROUP: Final = "sampled"
TOPIC: Final = "sampled-orders"
SPEEDS: Final = {"a": 200.0, "b": 600.0, "c": None}
SECONDS: Final = 8
"""Of which the members' last commits, once a second, miss one at most."""


class Busy(NamedTuple):
    """A group at work: `a` and `b` have a backlog, `c` has none, and can do more than it gets."""

    options: tuple[str, ...]
    members: list[RdMember]
    traffic: Traffic

    def counts(self) -> list[int]:
        """Records that each member has read."""
        return [one.read.records for one in self.members]

    def produced(self) -> list[int]:
        """Records of each partition."""
        acked = self.traffic.acked()
        return [acked[TOPIC, number] for number in range(6)]


@pytest.fixture(scope="module")
def busy(broker: Broker) -> Iterator[Busy]:
    with ExitStack() as stack:
        admin = admin_of(broker.bootstrap)
        make_topic(admin, TOPIC, 6)
        log = Log()
        members = []
        for name, speed in SPEEDS.items():
            how = {"auto_commit_interval_ms": 1000, "queued_min_messages": 1000}
            one = RdMember(log, name, broker.bootstrap, GROUP, [TOPIC], speed, **how)
            stack.callback(one.stop)
            members.append(one)
        until(lambda: sorted(map(len, log.held().values())) == [2, 2, 2])
        # Now, since the member without a limit may have held everything until here.
        fill(broker.bootstrap, TOPIC, [4000, 4000, 12_000, 12_000, 10, 10])
        traffic = Traffic(broker.bootstrap, TOPIC, 6, uneven(300.0, 100.0, 1000.0, seed=4))
        stack.enter_context(traffic)
        until(lambda: len(traffic.acked()) == 6)
        options = ("--bootstrap-server", broker.bootstrap, "--group", GROUP)
        yield Busy(options, members, traffic)


def test_rates_and_capacities(run: Callable[..., Any], busy: Busy) -> None:
    read, produced, began = busy.counts(), busy.produced(), time.monotonic()
    done = run("snapshot", *busy.options, "--sample", f"{SECONDS}s")
    took = time.monotonic() - began
    document = json.loads(done.out)
    rates = [(end - start) / took for start, end in zip(produced, busy.produced(), strict=True)]
    # A producer that sends every 0.2 s may be one time ahead.
    assert document["rates"][TOPIC] == pytest.approx(rates, rel=0.05, abs=0.5)
    capacity = {one["client_id"]: one.get("capacity") for one in document["members"]}
    consumed = [(late - early) / took for early, late in zip(read, busy.counts(), strict=True)]
    assert capacity["a"] == pytest.approx(consumed[0], rel=0.1)
    assert capacity["b"] == pytest.approx(consumed[1], rel=0.1)
    assert capacity["c"] is None
    assert " 6 rates, " in done.err
    assert "2 capacities, " in done.err
    assert "equilag: 1 member did not always have a backlog: its speed is unknown\n" in done.err
    assert load_snapshot(document).rates is not None


def is_connected(pid: int) -> bool:
    """True once a process has an established connection."""
    established = {
        line.split()[9]
        for line in Path(f"/proc/{pid}/net/tcp").read_text("ascii").splitlines()[1:]
        if line.split()[3] == "01"
    }
    links = []
    for file in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):  # closed since
            links.append(str(file.readlink()))
    return any(link.removeprefix("socket:[").removesuffix("]") in established for link in links)


def test_ctrl_c_writes_nothing(busy: Busy, tmp_path: Path) -> None:
    out = tmp_path / "plan.json"
    options = [
        *busy.options,
        "--sample",
        "1m",
        "--out",
        str(out),
        "--save-snapshot",
        str(out) + "2",
    ]
    # Also where the tests run in the background, with SIGINT ignored.
    code = "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)"
    code += "; from equilag.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", code, "plan", *options]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
    ) as process:
        until(lambda: is_connected(process.pid))
        process.send_signal(signal.SIGINT)
        written, said = process.communicate(timeout=20)
    assert (process.returncode, written, said) == (130, b"", b"")
    assert not list(tmp_path.iterdir())
