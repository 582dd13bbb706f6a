"""The parts of a run with one table each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple, Protocol

from benchmarks.assignors import (
    capacity_groups,
    move_limits,
    perfect_lists,
    rack_groups,
    streams,
    topic_balance,
)

Rows = list[dict[str, Any]]


class PartModule(Protocol):
    """What measures a part and writes its table."""

    @property
    def HEAD(self) -> Sequence[str]: ...  # noqa: N802  a constant of a module

    @property
    def SHORT(self) -> Any: ...  # noqa: N802

    @property
    def FULL(self) -> Any: ...  # noqa: N802

    def measure(self, scope: Any, /) -> Rows:
        """The rows of a run, for `SHORT` or `FULL`."""

    def rows(self, found: Rows, /) -> Sequence[Sequence[str]]:
        """The table, with the columns of `HEAD`."""


class Part(NamedTuple):
    title: str
    module: PartModule

    def measure(self, mode: str) -> Rows:
        """All rows of a ``full`` run, or of a short one."""
        return self.module.measure(self.module.FULL if mode == "full" else self.module.SHORT)


PARTS: Final = {
    "perfect": Part("Perfectly even plans, equilag alone", perfect_lists),
    "few moves": Part("Few moves, equilag alone", move_limits),
    "topics": Part("Topics that count one by one, equilag alone", topic_balance),
    "racks": Part("Racks", rack_groups),
    "streams": Part("Speeds that change, beside published autoscalers", streams),
    "capacities": Part("Capacities, equilag alone", capacity_groups),
}
