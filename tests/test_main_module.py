"""``equilag`` and ``python -m equilag``: Ctrl-C while modules are loaded, and defects."""

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


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [(KeyboardInterrupt(), 130, ""), (MemoryError("a defect"), 70, "MemoryError: a defect\n")],
)
def test_how_a_command_can_end_early(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: BaseException,
    status: int,
    said: str,
) -> None:
    def fail() -> int:
        raise error

    monkeypatch.setattr(equilag.cli, "main", fail)
    with pytest.raises(SystemExit) as end:
        runpy.run_module("equilag", run_name="__main__")
    assert end.value.code == status
    shown = capsys.readouterr().err
    assert shown.endswith(said)
    assert bool(shown) == bool(said)


def test_an_interruption_while_the_command_line_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]
    script = EntryPoint("equilag", project["scripts"]["equilag"], "console_scripts")
    monkeypatch.delitem(sys.modules, "equilag.cli")
    monkeypatch.setattr(sys, "meta_path", [InterruptedImport(), *sys.meta_path])
    assert script.load()() == 130
