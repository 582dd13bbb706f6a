"""What a stream can show, by the terminal, the options and the environment."""

from __future__ import annotations

import io

import pytest

from equilag.report.terminal import Screen

VARIABLES = ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "CLICOLOR", "TERM", "COLUMNS")


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


def colours(monkeypatch: pytest.MonkeyPatch, **variables: str) -> tuple[bool, bool]:
    """Whether a terminal and a file have colours."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    return Screen.of(Terminal()).colour, Screen.of(io.StringIO()).colour


def test_the_environment_decides_on_colours(monkeypatch) -> None:
    assert colours(monkeypatch) == (True, False)
    assert colours(monkeypatch, NO_COLOR="1") == (False, False)
    assert colours(monkeypatch, NO_COLOR="") == (True, False)
    assert colours(monkeypatch, FORCE_COLOR="1") == (True, True)
    assert colours(monkeypatch, CLICOLOR_FORCE="1") == (True, True)
    assert colours(monkeypatch, FORCE_COLOR="0") == (True, False)
    assert colours(monkeypatch, NO_COLOR="1", FORCE_COLOR="1") == (False, False)
    assert colours(monkeypatch, CLICOLOR="0") == (False, False)
    assert colours(monkeypatch, TERM="dumb") == (False, False)


def test_the_option_wins_over_the_environment(monkeypatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert Screen.of(None, color="always").colour
    monkeypatch.delenv("NO_COLOR")
    assert not Screen.of(Terminal(), color="never").colour


def test_the_width_is_that_of_the_option_or_of_the_terminal(monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "140")
    assert (Screen.of(None).width, Screen.of(None).prose) == (140, 120)
    assert Screen.of(None, 80).width == 80
    monkeypatch.setenv("COLUMNS", "20")
    assert Screen.of(None).width == Screen.of(None).prose == 50
