"""CP-SAT in a thread of its own, so that an interruption ends it.

CP-SAT runs outside the interpreter. Python handles signals in the main thread between two of its
own instructions, so a solve in that thread would hear of Ctrl-C when it is over. CP-SAT's own
handler (`catch_sigint_signal`) would take the signal from the caller, and leave the default action
behind.
"""

from __future__ import annotations

from threading import Event, Thread
from typing import Any, Final

from ortools.sat.python import cp_model

POLL_S: Final = 0.05
"""Between two looks at the stop signal: short for a person, and too rare to cost anything."""


def solve_until(
    solver: cp_model.CpSolver,
    model: cp_model.CpModel,
    stop: Event | None,
    callback: cp_model.CpSolverSolutionCallback | None = None,
) -> Any:
    """Solve until CP-SAT is done or `stop` is set; return the status, and raise what it raises.

    Any exception in the calling thread, such as KeyboardInterrupt, ends the search as well.
    """
    statuses: list[Any] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            statuses.append(solver.solve(model, callback))
        except BaseException as error:  # noqa: BLE001  raised again in the calling thread
            errors.append(error)

    thread = Thread(target=work, name="cp-sat", daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(POLL_S)
            if stop is not None and stop.is_set():
                solver.stop_search()
    except BaseException:
        while thread.is_alive():  # a search that has not begun yet does not hear of it
            solver.stop_search()
            thread.join(POLL_S)
        raise
    if errors:
        raise errors[0]
    return statuses[0]
