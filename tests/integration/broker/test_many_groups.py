"""Many groups on one broker: what the exporter takes for 200 of 50 partitions, and that 500 of 100
are listed within 10 seconds."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import Final

import pytest

from benchmarks.kafka_broker import Broker
from benchmarks.live.exporter_load import GROUPS, exporter, groups_of_two, measured, scene
from benchmarks.waiting import until

pytestmark = [pytest.mark.broker, pytest.mark.long]

CORE_SHARE: Final = 0.05
MAX_MIB: Final = 300
MAX_AGE_S: Final = 60.0
MAX_PAGE_MS: Final = 50.0


def test_two_hundred_groups_take_a_twentieth_of_a_core(broker: Broker) -> None:
    """While all keep up, and while they fall behind, from before their sizes are known."""
    with scene(broker.bootstrap) as load, exporter(broker.bootstrap) as (address, pid):
        load.turn(1.0)
        until(lambda: measured(load, address, pid, 1.0, 0.1).groups == GROUPS, 60)
        calm = measured(load, address, pid, 1.0, 30.0)
        behind = measured(load, address, pid, 0.5, 90.0)
    for found in (calm, behind):
        assert found.core_share <= CORE_SHARE
        assert found.mib <= MAX_MIB
        assert found.age_s <= MAX_AGE_S
        assert found.page_ms <= MAX_PAGE_MS
    assert calm.behind == 0
    assert behind.behind > GROUPS // 2


LISTED: Final = 500
LISTED_PARTITIONS: Final = 100
LIST_S: Final = 10.0


def test_all_groups_in_ten_seconds(broker: Broker) -> None:
    servers = broker.bootstrap
    argv = ["groups", "--bootstrap-server", servers, "--groups", "listed-.*", "--json"]
    with groups_of_two(servers, "listed", LISTED, 25, LISTED_PARTITIONS):
        begun = time.monotonic()
        done = subprocess.run(
            [sys.executable, "-m", "equilag", *argv], capture_output=True, text=True, check=False
        )
        assert time.monotonic() - begun < LIST_S
    assert done.stderr == ""
    assert done.returncode in (0, 10)
    rows = json.loads(done.stdout)["groups"]
    assert len(rows) == LISTED
    assert {(row["members"], row["partitions"]) for row in rows} == {(2, LISTED_PARTITIONS)}
