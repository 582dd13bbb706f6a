"""Random faults in live groups, for as long as wanted.

    python -m benchmarks.live.run_faults [--seconds 3600] [--only outages] [--groups KIP-848 …]
        [--seed 1]

Writes .cache/live/faults.json, with what it was limited to in the name, and prints what is missed;
exits with 1 then.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

from benchmarks.broker_plugin import ASSIGNORS, plugged_jars
from benchmarks.kafka_broker import start_broker
from benchmarks.live.fault_group import RATE, FaultGroup
from benchmarks.live.processes import CLIENTS, KIP_848, KIP_848_SESSIONS
from benchmarks.live.random_faults import FAULTS, ONLY_OUTAGES, FaultScene
from benchmarks.live.run import OUT, keep

FULL_S: Final = 900.0
"""Shorter runs are not for the documentation."""
ROLES_S: Final = 15.0
"""After the broker is back, each steward must take part in its group again within this time."""
OWNED: Final = {KIP_848: 0.99}
"""Protocol -> part of the time in which every partition of the twin had an owner; else all of it.
A plan for new members comes after them, and moves what the brokers' own assignor would not."""
END_S: Final = 60.0
FLOWED: Final = 0.98
"""So many of the records that were due are in the log at the end, as a share: without records
nothing can stay unread."""


def measured(
    folder: Path, seconds: float, only: str = "all", groups: Sequence[str] = (), seed: int = 1
) -> dict[str, Any]:
    """The figures of a run, which are kept. `only` is `outages` for nothing but those of the
    broker; `groups` are protocols, none for all of them.

    Raises NoBroker.
    """
    case = "-".join(("faults", *groups, *({only} - {"all"})))
    logs = OUT / f"{case}-logs"
    shutil.rmtree(logs, ignore_errors=True)
    logs.mkdir(parents=True)
    lib = plugged_jars(folder / "lib")
    broker = start_broker(folder / "broker", {**ASSIGNORS, **KIP_848_SESSIONS}, lib)
    with ExitStack() as stack:
        stack.callback(broker.stop)
        pairs = [
            FaultGroup(broker, logs, strategy, stack, led=led)
            for led in (True, False)
            for strategy in groups or CLIENTS
        ]
        scene = FaultScene(broker, pairs, seed)
        scene.run(
            ONLY_OUTAGES if only == "outages" else tuple(FAULTS), seconds, logs / "steps.jsonl"
        )
        twice = scene.two_owners()
        complete = {group.name: group.complete_s(scene.began) for group in pairs}
        for group in pairs:
            group.flow.end()
        figures: dict[str, Any] = {
            "seconds": seconds,
            "full": seconds >= FULL_S,
            "only": only,
            "seed": seed,
            "steps": scene.steps,
            "groups": {
                group.name: {
                    "complete_s": complete[group.name],
                    "records": sum(group.flow.acked().values()),
                    "records_refused": group.flow.failed,
                    "producers_stuck": group.flow.renewed,
                    "records_read_in_all": group.read.records,
                    "records_not_read": group.all_read_within(END_S),
                    "processes_lost": group.lost,
                    "clients_stuck": group.stuck,
                    "two_owners": twice[group.name],
                    "plan_step": group.last_step_within(END_S),
                }
                for group in pairs
            },
        }
        keep(case, figures)
    return figures


def missed(figures: dict[str, Any]) -> Iterator[str]:
    """What is not as it has to be, a line each."""
    for name, one in figures["groups"].items():
        if one["records_not_read"]:
            yield f"{name}: {one['records_not_read']} records not read"
        if one["records"] < FLOWED * RATE * figures["seconds"]:
            yield f"{name}: only {one['records']} records"
        if one["two_owners"] and "range" not in name:
            yield f"{name}: two owners: {one['two_owners']}"
        if one["plan_step"] not in ("", "owned"):
            yield f"{name}: the last plan is {one['plan_step']}"
        if one["processes_lost"]:
            yield f"{name}: lost {one['processes_lost']}"
        alone = figures["groups"].get(f"{name}, alone", one)
        if one["complete_s"] < OWNED.get(name, 1.0) * alone["complete_s"]:
            yield f"{name}: complete for {one['complete_s']} s, alone for {alone['complete_s']} s"
    for step in figures["steps"]:
        for name, one in step["groups"].items():
            role_s = one["role_s"]
            if step["kind"] in ONLY_OUTAGES and (role_s is None or role_s > ROLES_S):
                yield f"{name}: {step['kind']} at {step['at_s']} s: a role after {role_s} s"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.live.run_faults")
    parser.add_argument("--seconds", type=float, default=3600.0)
    parser.add_argument("--only", choices=("all", "outages"), default="all")
    parser.add_argument("--groups", nargs="*", default=[], metavar="PROTOCOL")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="live-faults-") as folder:
        found = [*missed(measured(Path(folder), args.seconds, args.only, args.groups, args.seed))]
    sys.stdout.write("".join(f"MISSED {line}\n" for line in found))
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
