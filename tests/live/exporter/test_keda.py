"""KEDA's own scaler asks /scale/ by the trigger that stands in the packaging."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from support.exported_groups import Cluster, exporter_of, reading
from support.keda_scaler import build_keda, keda_says
from support.paths import CHECKOUT

from equilag.live.status import served_pages as pages_module
from equilag.live.status.http_server import serve
from equilag.live.status.served_pages import exporter_pages

pytestmark = pytest.mark.long
yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
SCALE = CHECKOUT / "packaging/kubernetes/scale.yaml"


@pytest.fixture
def address() -> Iterator[str]:
    """An exporter that knows a group of eight partitions with 500 records/s each; members read
    1,000."""
    build_keda()
    cluster = Cluster()
    exporter = exporter_of(cluster, 1_000.0)
    for _ in range(6):
        end = int(time.monotonic() * 500)
        cluster.groups = [reading("orders", [end] * 8, [end - 30] * 8, 2)]
        exporter.round()
        time.sleep(3)
    server = serve(exporter_pages(exporter), "127.0.0.1", 0)
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def test_keda_scales_to_the_number_and_keeps_it_where_there_is_none(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (trigger,) = next(yaml.safe_load_all(SCALE.read_text("utf-8")))["spec"]["triggers"]
    metadata = trigger["metadata"]

    def asked(group: str) -> dict[str, Any]:
        return keda_says({**metadata, "url": f"{address}/scale/{group}"})

    # The autoscaler runs value ÷ target members.
    assert asked("orders") == {
        "error": "", "type": "AverageValue", "target": 1, "value": 8, "active": True,
    }  # fmt: skip
    assert "404" in str(asked("none")["error"])
    monkeypatch.setattr(pages_module, "STALE_S", -1.0)
    assert "503" in str(asked("orders")["error"])
