"""Planners that misbehave, for groups of certain names; workers get them by value."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass, replace
from typing import Any

from equilag.pipeline.fleet_options import GroupSettings
from equilag.pipeline.group_result import GroupResult, PlanGroup


@dataclass(frozen=True)
class Misbehaving:
    """Plans as usual, but for the groups named here."""

    raising: str
    killed: str
    exiting: str
    hanging: str
    silly: str
    odd: str

    def __call__(self, problem: Any, settings: GroupSettings) -> Any:
        match problem["group"]:
            case self.raising:
                raise KeyError("no such\nthing")
            case self.killed:
                os.kill(os.getpid(), signal.SIGKILL)
            case self.exiting:
                os._exit(3)
            case self.hanging:
                time.sleep(600)  # its deadline is what is tested
            case self.silly:
                return "nonsense"
            case self.odd:
                return _odd(PlanGroup()(problem, settings))
        return PlanGroup()(problem, settings)


def _odd(answer: GroupResult) -> GroupResult:
    """An answer whose columns are of the wrong type."""
    return replace(answer, plan={**answer.plan, "moves": "many"})
