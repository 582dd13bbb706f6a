"""Mixed clients, under a steward and alone, while members, stewards and the only broker fail."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import pytest

from benchmarks.kafka_broker import NoBroker
from benchmarks.live.run_faults import measured, missed

pytestmark = [pytest.mark.live, pytest.mark.broker]

SECONDS: Final = 12 * float(os.environ.get("LIVE_SOAK_S", "300"))
"""An hour, unless the other live tests are shortened too."""


def test_random_faults(tmp_path: Path) -> None:
    try:
        figures = measured(tmp_path, SECONDS)
    except NoBroker as error:
        pytest.skip(str(error))
    assert [*missed(figures)] == []
