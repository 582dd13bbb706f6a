"""The exporter beside a broker with 200 groups of 50 partitions."""

from __future__ import annotations

from typing import Final

import pytest

from benchmarks.kafka_broker import Broker
from benchmarks.live.exporter_load import GROUPS, exporter, measured, scene
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
