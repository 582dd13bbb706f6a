"""``python -m equilag``: Ctrl-C while modules are loaded."""

from __future__ import annotations

import runpy

import pytest

import equilag.cli


def test_an_interruption_before_the_command_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted() -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(equilag.cli, "main", interrupted)
    with pytest.raises(SystemExit) as end:
        runpy.run_module("equilag", run_name="__main__")
    assert end.value.code == 130
