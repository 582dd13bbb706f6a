"""Planning settings per group from a rules file in TOML; the first rule that matches applies.

[[rule]]
group = "^payments-"      # a regular expression, searched for in the group's name
policy = "fair-yet-sticky"
max_moves = 20
"""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass, replace
from typing import Any, Final

from equilag.domain.errors import InputError
from equilag.domain.policy.policy import SETTINGS, Policy
from equilag.planner.solving.run_settings import checked_seconds

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
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"not TOML: {error}") from error
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
        seed = table["seed"]
        if type(seed) is not int or not 0 <= seed < MAX_SEED:
            raise InputError(f"{seed!r} is not a whole number from 0 to {MAX_SEED - 1}", "seed")
        run["seed"] = seed
    return replace(default, policy=policy, **run)
