"""The import paths from before the move to `equilag.live.consumers` still work."""

from __future__ import annotations

from importlib import import_module

import pytest


@pytest.mark.parametrize(
    ("module", "names"),
    [
        ("kafka_python", ["CooperativeEquilagAssignor", "EquilagAssignor"]),
        ("aiokafka", ["EquilagAssignor"]),
        ("listener", ["ConfluentListener", "aiokafka_listener", "kafka_python_listener"]),
        ("lag_source", ["Background", "LagSample", "LagSource", "LiveLag", "StaticLag"]),
        ("options", ["Rejoin"]),
    ],
)
def test_old_path(module: str, names: list[str]) -> None:
    old = import_module(f"equilag.adapters.consumers.{module}")
    new = import_module(f"equilag.live.consumers.{module}")
    assert old.__all__ == names
    for name in names:
        assert getattr(old, name) is getattr(new, name)
