"""Mixed clients, under a steward and alone, while members, stewards and the only broker fail."""

from __future__ import annotations

import os
import shutil
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import pytest
from support.paths import CHECKOUT

from benchmarks.broker_plugin import ASSIGNORS, plugged_jars
from benchmarks.kafka_broker import NoBroker, start_broker
from benchmarks.live.fault_group import FaultGroup
from benchmarks.live.processes import CLIENTS, KIP_848_SESSIONS
from benchmarks.live.random_faults import FAULTS, ONLY_OUTAGES, FaultScene
from benchmarks.live.run import keep

pytestmark = [pytest.mark.live, pytest.mark.broker]

SECONDS: Final = 12 * float(os.environ.get("LIVE_SOAK_S", "300"))
"""An hour, unless the other live tests are shortened too."""
FULL_S: Final = 900.0
"""Shorter runs are not for the documentation."""
ONLY: Final = os.environ.get("LIVE_FAULTS", "all")
"""`outages` for nothing but outages of the broker."""
SEED: Final = int(os.environ.get("LIVE_SEED", "1"))
GROUPS: Final = [one for one in os.environ.get("LIVE_GROUPS", "").split(",") if one]
"""Protocols; none for all of them."""
ROLES_S: Final = 15.0
"""After the broker is back, each steward must take part in its group again within this time."""
END_S: Final = 60.0


def test_random_faults(tmp_path: Path) -> None:
    kinds = ONLY_OUTAGES if ONLY == "outages" else tuple(FAULTS)
    case = "-".join(("faults", *GROUPS, *({ONLY} - {"all"})))
    logs = CHECKOUT / ".cache" / "live" / f"{case}-logs"
    shutil.rmtree(logs, ignore_errors=True)
    logs.mkdir(parents=True)
    try:
        lib = plugged_jars(tmp_path / "lib")
        broker = start_broker(tmp_path / "broker", {**ASSIGNORS, **KIP_848_SESSIONS}, lib)
    except NoBroker as error:
        pytest.skip(str(error))
    with ExitStack() as stack:
        stack.callback(broker.stop)
        strategies = GROUPS or list(CLIENTS)
        groups = [
            FaultGroup(broker, logs, strategy, stack, led=led)
            for led in (True, False)
            for strategy in strategies
        ]
        scene = FaultScene(broker, groups, SEED)
        scene.run(kinds, SECONDS, logs / "steps.jsonl")
        twice = scene.two_owners()
        complete = {group.name: group.complete_s(scene.began) for group in groups}
        for group in groups:
            group.flow.end()
        figures: dict[str, Any] = {
            "seconds": SECONDS,
            "full": SECONDS >= FULL_S,
            "only": ONLY,
            "seed": SEED,
            "steps": scene.steps,
            "groups": {
                group.name: {
                    "complete_s": complete[group.name],
                    "records": sum(group.flow.acked().values()),
                    "records_refused": group.flow.failed,
                    "records_read_in_all": group.read.records,
                    "records_not_read": group.all_read_within(END_S),
                    "processes_lost": group.lost,
                    "clients_stuck": group.stuck,
                    "two_owners": twice[group.name],
                    "plan_step": group.last_step_within(END_S),
                }
                for group in groups
            },
        }
        keep(case, figures)
    late = [
        (step["kind"], step["at_s"], strategy)
        for step in scene.steps
        for strategy, one in step["groups"].items()
        if step["kind"] in ONLY_OUTAGES and (one["role_s"] is None or one["role_s"] > ROLES_S)
    ]
    assert {one["records_not_read"] for one in figures["groups"].values()} == {0}
    assert not [name for name, times in twice.items() if times and "range" not in name]
    assert {one["plan_step"] for one in figures["groups"].values()} <= {"", "owned"}
    for strategy in strategies:
        assert complete[strategy] >= complete[f"{strategy}, alone"], complete
    assert not [
        one["processes_lost"] for one in figures["groups"].values() if one["processes_lost"]
    ]
    assert not late
