"""The shell commands that show one group of a run: its export, and its plan made again."""

from __future__ import annotations

import hashlib
import json
import re
import shlex
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from equilag.domain.plan.plan import REPEATABLE
from equilag.domain.policy.policy import ALWAYS, SETTINGS, Policy
from equilag.report.facts.fleets.fleet_run import GroupCommands
from equilag.report.wording.words import shorten

if TYPE_CHECKING:
    from equilag.domain.plan.plan import Plan

MAX_STEM: Final = 100
"""Characters of a file name: with its ending far below the 255 bytes that file systems allow."""
_ODD: Final = re.compile(r"^[.-]|[^A-Za-z0-9._-]")


class PlannedWith(NamedTuple):
    """How a group was planned, as the column `policy` of `plans/` says."""

    policy: Policy
    seed: int
    effort: float | None
    repeatable: bool


@lru_cache(maxsize=256)
def planned_with(column: str) -> PlannedWith:
    """Read the column. Few are different in a run. Raises ValueError, TypeError and KeyError."""
    settings = dict(json.loads(column))
    policy = Policy(**{key: settings[key] for key in SETTINGS if key in settings or key in ALWAYS})
    repeatable = settings["run"] == REPEATABLE
    return PlannedWith(policy, settings["seed"], settings.get("effort"), repeatable)


def group_commands(
    path: str, group: str, planned: PlannedWith, time_limit: float | None
) -> GroupCommands:
    """The commands for a group of the run in the directory `path`."""
    words = ["equilag", "fleet", "export"]
    if path.startswith("-") or group.startswith("-"):
        words.append("--")
    snapshot = plain_word(f"{file_stem(group)}.snapshot.json")
    again = plan_words(snapshot, planned, time_limit)
    return GroupCommands(shlex.join([*words, path, group]), again)


def file_stem(group: str) -> str:
    """The front of the names of the files that `equilag fleet export` writes.

    No two groups share one, unless the file system ignores case.
    """
    safe = shorten(_ODD.sub("_", group), MAX_STEM, "")
    if safe == group and safe:
        return safe
    digest = hashlib.sha256(group.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{safe}-{digest[:8]}"


def plain_word(path: Path | str) -> str:
    """The path as a word of a command line that cannot be taken for an option."""
    text = str(path)
    return f"./{text}" if text.startswith("-") else text


def plan_command(plan: Plan, snapshot: str) -> str:
    """Return the shell command that finds this plan again from the snapshot file `snapshot`.

    A plan that was cut short by the time limit may differ.
    """
    planned = PlannedWith(plan.policy or Policy(), plan.seed, plan.effort, plan.repeatable)
    return plan_words(snapshot, planned, plan.time_limit)


def plan_words(snapshot: str, planned: PlannedWith, time_limit: float | None) -> str:
    """Return the shell command that plans a snapshot file in this way."""
    words = ["equilag", "plan", snapshot, *planned.policy.option_words()]
    words += ["--seed", str(planned.seed)]
    if planned.effort is not None:
        words += ["--effort", f"{planned.effort!r}"]
    if time_limit is not None:
        words += ["--time-limit", f"{time_limit!r}"]
    return shlex.join(words)
