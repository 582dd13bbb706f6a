"""The gates of coverage by room."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from support import coverage_gate as gate
from support.coverage_gate import judge, modules_of, rooms


def one_at(room: str, percent: float) -> Callable[[str], float]:
    """This coverage of one room, and all of the others."""
    return lambda asked: percent if asked == room else 100.0


def below(found: dict[str, str]) -> list[str]:
    return [room for room, text in found.items() if text.endswith("below its gate")]


@pytest.mark.parametrize(("room", "least"), [("solver", 95), ("domain", 95), ("cli", 90)])
def test_a_room_below_its_gate_is_named(room: str, least: float) -> None:
    assert below(judge(one_at(room, least - 0.01))) == [room]
    assert below(judge(one_at(room, least))) == []


def test_without_java_some_gates_are_left_out() -> None:
    poor = {room: one_at(room, 10.0) for room in ("pipeline", "live", "solver")}
    assert below(judge(poor["live"])) == ["live"]
    found = judge(poor["live"], "no java")
    assert (below(found), found["live"]) == ([], " 10.00 % of 90  not checked: no java")
    assert below(judge(poor["solver"], "no java")) == ["solver"]


def test_every_room_of_the_package_has_its_modules() -> None:
    assert set(rooms()) >= gate.CORE.keys() | gate.ON_JAVA | {"heuristics", "report"}
    assert (modules_of("equilag"), modules_of("cli")) == ("equilag/*.py", "equilag/cli/**")
