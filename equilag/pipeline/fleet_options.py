"""The settings of a fleet run, checked on construction, and of its groups.

Rules in TOML set those of groups by name; the first rule that matches applies.

[[rule]]
group = "^payments-"      # a regular expression, searched for in the group's name
policy = "fair-yet-sticky"
max_moves = 20
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, replace
from typing import Any, Final

from equilag.adapters.parse_json import parse_toml
from equilag.domain.errors import InputError, whole_number
from equilag.domain.group.lag import RESETS
from equilag.domain.policy.policy import SETTINGS, Policy
from equilag.pipeline.sources.history import END_OF_TIME
from equilag.pipeline.sources.signals import WEIGHTS
from equilag.planner.solving.run_settings import checked_seconds
from equilag.planner.worth.thresholds import VerdictLimits

KILL_AFTER: Final = 30.0
"""Seconds beyond twice its time limit after which a group's process is killed: building a model
and loading a large group are not interrupted by the limit."""
POLICY_SETTINGS: Final = tuple(name for name in SETTINGS if name != "name")
RUN_SETTINGS: Final = ("effort", "time_limit", "seed")
KEYS: Final = ("group", "policy", *POLICY_SETTINGS, *RUN_SETTINGS)
MAX_SEED: Final = 2**31
"""Seeds are below this, since CP-SAT takes a seed as a 32-bit integer."""


@dataclass(frozen=True, slots=True)
class GroupSettings:
    """How one group is planned: the arguments of `equilag.solve`."""

    policy: Policy
    effort: float
    """Counted effort in seconds, the same on every machine."""
    time_limit: float
    """Seconds by the clock, in case the effort takes longer than expected."""
    seed: int

    def to_json(self) -> str:
        return json.dumps(
            {
                "policy": self.policy.to_dict(),
                "effort": self.effort,
                "time_limit": self.time_limit,
                "seed": self.seed,
            }
        )

    @staticmethod
    def from_json(text: str) -> GroupSettings:
        fields = json.loads(text)
        return GroupSettings(**{**fields, "policy": Policy(**fields["policy"])})


@dataclass(frozen=True, slots=True)
class Rule:
    pattern: re.Pattern[str]
    settings: GroupSettings


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules in their order, and the settings of groups that match none."""

    default: GroupSettings
    rules: tuple[Rule, ...] = ()

    def settings_of(self, group: str) -> GroupSettings:
        for rule in self.rules:
            if rule.pattern.search(group):
                return rule.settings
        return self.default


def read_rules(text: str, default: GroupSettings) -> Rules:
    """Read rules from a TOML text. A setting that a rule leaves out is taken from `default`.

    A rule that names a policy starts from the defaults of that policy instead. Raises InputError.
    """
    document = parse_toml(text)
    unknown = sorted(set(document) - {"rule"})
    if unknown:
        raise InputError("unknown; a rule begins with [[rule]]", unknown[0])
    tables = document.get("rule", [])
    if not isinstance(tables, list):
        raise InputError("must be a list of tables; write [[rule]]", "rule")
    rules = tuple(_rule(table, f"rule[{n}]", default) for n, table in enumerate(tables))
    return Rules(default, rules)


def _rule(table: object, place: str, default: GroupSettings) -> Rule:
    if not isinstance(table, dict):
        raise InputError("must be a table", place)
    for key in table:
        if key not in KEYS:
            raise InputError(f"unknown; must be one of {', '.join(KEYS)}", f"{place}.{key}")
    if not isinstance(table.get("group"), str):
        raise InputError("must be a regular expression, as a string", f"{place}.group")
    try:
        pattern = re.compile(table["group"])
    except (re.error, RecursionError, OverflowError) as error:
        raise InputError(f"not a regular expression: {error}", f"{place}.group") from error
    try:
        return Rule(pattern, _settings(table, default))
    except InputError as error:
        raise InputError(error.problem, f"{place}.{error.place}") from error


def _settings(table: dict[str, Any], default: GroupSettings) -> GroupSettings:
    chosen = {key: table[key] for key in POLICY_SETTINGS if key in table}
    if "policy" in table:
        policy = Policy(table["policy"], **chosen)
    else:
        policy = replace(default.policy, **chosen)
    run: dict[str, Any] = {}
    for key in ("effort", "time_limit"):
        if key in table:
            run[key] = checked_seconds(table[key], key)
    if "seed" in table:
        run["seed"] = whole_number(table["seed"], "seed", 0, MAX_SEED - 1)
    return replace(default, policy=policy, **run)


@dataclass(frozen=True, slots=True)
class FleetOptions:
    """All settings of a run. Times are in milliseconds; if `at` is None, the newest sample is used.

    Raises InputError for a setting that is out of range or contradicts another one.
    """

    out: str
    rules: Rules
    offsets: tuple[str, ...] = ()
    members: tuple[str, ...] = ()
    racks: tuple[str, ...] = ()
    """Of a history; none where racks are unknown."""
    bootstrap: str | None = None
    """Read a live cluster instead of files."""
    client: dict[str, str] | None = None
    """More settings of the Kafka client."""
    at: int | None = None
    window: int = 3_600_000
    horizon: int = 600_000
    """Of the forecast; that of work is a setting of the policy."""
    stale: int | None = None
    weight: str | None = None
    """What is spread; None for work where the history has rates, else lag."""
    reset: str = "latest"
    tasks: int | None = None
    """Bins of groups; None for some on each core."""
    kill_after: float = KILL_AFTER
    """Seconds beyond twice its time limit after which a group's process is killed."""
    limits: VerdictLimits = field(default_factory=VerdictLimits)

    def __post_init__(self) -> None:
        if self.weight is not None and self.weight not in WEIGHTS:
            problem = f"must be one of {', '.join(WEIGHTS)}, not {self.weight!r}"
            raise InputError(problem, "weight")
        if self.reset not in RESETS:
            problem = f"must be one of {', '.join(RESETS)}, not {self.reset!r}"
            raise InputError(problem, "auto_offset_reset")
        if (self.bootstrap is None) == (not self.offsets or not self.members):
            problem = "either files of offsets and members or a live cluster is required"
            raise InputError(problem, "offsets")
        if self.bootstrap is not None and self.weight not in (None, "lag"):
            raise InputError(
                f"{self.weight} needs a history, as equilag collect records it; a live cluster"
                " gives only one sample",
                "weight",
            )
        if self.at is not None and not 0 <= self.at < END_OF_TIME:
            raise InputError("must be a time from 1970 to 9999", "at")
        for name in ("window", "horizon", "tasks"):
            value = getattr(self, name)
            if value is not None and value <= 0:
                raise InputError("must be more than 0", name)

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as they are written to the summary."""
        default = self.rules.default
        return {
            "offsets": list(self.offsets),
            "members": list(self.members),
            **({"racks": list(self.racks)} if self.racks else {}),
            "bootstrap_server": self.bootstrap,
            "window_s": self.window / 1000,
            "horizon_s": self.horizon / 1000,
            "stale_after_s": None if self.stale is None else self.stale / 1000,
            "weight": self.weight or "work",
            "auto_offset_reset": self.reset,
            "policy": default.policy.to_dict(),
            "effort": default.effort,
            "time_limit_s": default.time_limit,
            "seed": default.seed,
            "limits": self.limits.to_dict(),
            "rules": [rule.pattern.pattern for rule in self.rules.rules],
        }
