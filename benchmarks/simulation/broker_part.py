"""The part `broker`: what is measured and forecast of a real group, and what comes."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import numpy as np

import equilag
from benchmarks.kafka_broker import NoBroker, start_broker
from benchmarks.simulation.broker_group import GROUP, RESET, TOPIC, LiveGroup, live_group
from equilag.adapters.kafka.client_config import kafka_config
from equilag.adapters.kafka.group_reader import GroupReader
from equilag.domain.columns import Floats
from equilag.domain.group.group import Group

ASSIGNOR: Final = "range"
"""librdkafka's default, beside roundrobin."""
START_S: Final = 10
"""Seconds from the first assignment to the first sample."""
SAMPLED_S: Final = 60
MINUTES: Final = 5
EFFORT: Final = 0.1
"""Of the plan that `simulate` makes beside the current assignment; it is not used here."""


def measure() -> dict[str, Any]:
    """Run the group for some seven minutes. Without Java or Maven only the reason is returned."""
    with tempfile.TemporaryDirectory(prefix="bench-simulation-") as folder:
        try:
            broker = start_broker(Path(folder))
        except NoBroker as reason:
            return {"left_out": str(reason)}
        try:
            with live_group(broker.bootstrap, ASSIGNOR) as group:
                return _figures(group, Path(folder) / "group.json")
        finally:
            broker.stop()


def _figures(live: LiveGroup, snapshot: Path) -> dict[str, Any]:
    time.sleep(START_S)
    began, group = _sampled(live, snapshot)
    seconds = [60.0 * minute for minute in range(MINUTES + 1)]
    forecast = equilag.simulate(group, times=seconds, effort=EFFORT, time_limit=10.0)
    came, by_commits = [], []
    with closing(GroupReader(kafka_config(live.bootstrap))) as reader:
        for moment in seconds:
            time.sleep(max(0.0, began + moment - time.monotonic()))
            came.append(int(live.lag().sum()))
            by_commits.append(lag_by_commits(reader))
    return {
        "sampled_s": SAMPLED_S,
        "speeds": _pairs([member.speed for member in live.members], measured_speeds(group)),
        "rates": _pairs(live.rates.tolist(), group.rates),
        "minutes": list(range(MINUTES + 1)),
        "forecast": forecast.current.total.round().astype(int).tolist(),
        "came": came,
        "by_commits": by_commits,
    }


def _sampled(live: LiveGroup, snapshot: Path) -> tuple[float, Group]:
    """Run the command that users run. Return when it had read the group, and what it wrote."""
    command = [
        *(sys.executable, "-m", "equilag", "snapshot", "--bootstrap-server", live.bootstrap),
        *("--group", GROUP, "--sample", f"{SAMPLED_S}s", "--out", str(snapshot)),
        *("--auto-offset-reset", RESET),
    ]
    subprocess.run(command, check=True)
    return time.monotonic(), equilag.load_snapshot(snapshot)


def measured_speeds(group: Group) -> Floats:
    """[M] by member id, which begins with the client id; NaN for unknown."""
    speeds = [np.nan if one.capacity is None else one.capacity for one in group.members]
    return np.array(speeds, np.float64)


def lag_by_commits(reader: GroupReader) -> int:
    """Records between the commits and the log ends."""
    offsets = reader.lags(GROUP, [TOPIC])
    pairs = zip(offsets.log_end[TOPIC], offsets.committed[TOPIC], strict=True)
    return sum((end or 0) - (commit or 0) for end, commit in pairs)


def _pairs(truth: list[float], found: Floats | None) -> dict[str, list[float | None]]:
    values = np.full(len(truth), np.nan) if found is None else found
    return {
        "truth": [round(one, 2) for one in truth],
        "measured": [None if np.isnan(one) else round(float(one), 2) for one in values],
    }
