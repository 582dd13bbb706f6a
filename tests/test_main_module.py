"""``equilag`` and ``python -m equilag``: Ctrl-C while modules are loaded."""

from __future__ import annotations

import runpy
import sys
import tomllib
from importlib.metadata import EntryPoint

import pytest
from support.paths import CHECKOUT

import equilag.cli


class InterruptedImport:
    """Finds no module: Ctrl-C comes first."""

    def find_spec(self, name: str, *_: object) -> None:
        if name == "equilag.cli":
            raise KeyboardInterrupt


def test_an_interruption_before_the_command_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted() -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(equilag.cli, "main", interrupted)
    with pytest.raises(SystemExit) as end:
        runpy.run_module("equilag", run_name="__main__")
    assert end.value.code == 130


def test_an_interruption_while_the_command_line_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]
    script = EntryPoint("equilag", project["scripts"]["equilag"], "console_scripts")
    monkeypatch.delitem(sys.modules, "equilag.cli")
    monkeypatch.setattr(sys, "meta_path", [InterruptedImport(), *sys.meta_path])
    assert script.load()() == 130
