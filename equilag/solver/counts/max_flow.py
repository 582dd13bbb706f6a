"""Maximum flows: OR-Tools' solver, which says what went wrong by a status."""

from __future__ import annotations

from typing import Any

from equilag.domain.errors import EquilagError


def new_graph() -> Any:
    """An empty `SimpleMaxFlow`; OR-Tools' graphs are loaded when the first one is made."""
    from ortools.graph.python.max_flow import SimpleMaxFlow

    return SimpleMaxFlow()


def maximum(graph: Any, source: int, sink: int) -> int:
    """Units of a maximum flow, which the graph holds afterwards. Raises EquilagError."""
    if graph.solve(source, sink) != graph.OPTIMAL:
        raise EquilagError("the maximum flow solver failed")
    return int(graph.optimal_flow())
