"""Settings of a fleet run: which rule applies to a group, what is refused, and the summary."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from equilag.domain.errors import InputError
from equilag.domain.policy.policy import Policy
from equilag.pipeline.fleet_options import KEYS, FleetOptions, GroupSettings, read_rules
from equilag.pipeline.sources.history import END_OF_TIME

DEFAULT = GroupSettings(Policy("lag-aware", move_cost=7), effort=1.5, time_limit=9.0, seed=4)


def one(text: str, default: GroupSettings = DEFAULT) -> GroupSettings:
    """The settings of a single rule that matches every group."""
    return read_rules(f'[[rule]]\ngroup = ""\n{text}\n', default).settings_of("any")


def test_the_first_rule_that_fits_wins() -> None:
    rules = read_rules(
        """
        [[rule]]
        group = "^payments-"
        seed = 1
        [[rule]]
        group = "audit"
        seed = 2
        [[rule]]
        group = "^payments-eu$"
        seed = 3
        """,
        DEFAULT,
    )
    seeds = {
        group: rules.settings_of(group).seed
        for group in ("payments-eu", "payments-audit", "the-audit-log", "my-payments-x", "")
    }
    assert seeds == {
        "payments-eu": 1, "payments-audit": 1, "the-audit-log": 2, "my-payments-x": 4, "": 4,
    }  # fmt: skip
    assert rules.settings_of("other") is DEFAULT


OF_MEMBERS = """
    policy = 'kip-169'
    pin = ['t-1=c', ['u', 0, 'c']]
    co_partition = ['t,u']
    instances = 'host'
    max_partitions = 3
    max_cross_rack = 0
"""


@pytest.mark.parametrize(
    ("text", "change"),
    [
        ("effort = 0.25", {"effort": 0.25}),
        ("effort = 0", {"effort": 0.0}),
        ("time_limit = 1e2", {"time_limit": 100.0}),
        ("seed = 0", {"seed": 0}),
        ("seed = 2147483647", {"seed": 2**31 - 1}),
        ("", {}),
        ("move_cost = 0", {"policy": Policy("lag-aware")}),
        ("tolerance = 2.5", {"policy": Policy("lag-aware", move_cost=7, tolerance=2.5)}),
        ("fresh = true", {"policy": Policy("lag-aware", move_cost=7, fresh=True)}),
        # A policy that is named starts from its own settings, without the default's move_cost.
        ("policy = 'kip-169'", {"policy": Policy("kip-169")}),
        (
            "capacity = {'c-*' = 2, c-1 = 0.5}\nkeep = ['t']\nrack_aware = true",
            {"policy": Policy(move_cost=7, capacity=["c-*=2", "c-1=0.5"], keep=["t"],
                              rack_aware=True)},
        ),
        (
            OF_MEMBERS,
            {"policy": Policy("kip-169", pin={("t", 1): "c", ("u", 0): "c"}, max_partitions=3,
                              co_partition=[["t", "u"]], instances="host", max_cross_rack=0)},
        ),
        (
            "policy = 'fair-yet-sticky'\nmax_moves = 20\nseed = 8",
            {"policy": Policy("fair-yet-sticky", max_moves=20), "seed": 8},
        ),
    ],
)  # fmt: skip
def test_every_setting(text: str, change: dict[str, object]) -> None:
    settings = one(text)
    assert settings == replace(DEFAULT, **change)  # type: ignore[arg-type]
    assert isinstance(settings.effort, float)
    assert isinstance(settings.time_limit, float)


def test_the_defaults_policy_is_kept_where_a_rule_names_none() -> None:
    default = replace(DEFAULT, policy=Policy("kip-169", "both", 3, 1.0, 5))
    assert one("max_moves = 6", default).policy == Policy("kip-169", "both", 3, 1.0, 6)
    assert one("policy = 'kip-169'", default).policy == Policy("kip-169")
    default = replace(DEFAULT, policy=Policy(keep=["t"], capacity={"a": 1}, rack_aware=True))
    assert one("capacity = ['b=2']", default).policy == Policy(
        keep=["t"], capacity={"b": 2}, rack_aware=True
    )


@pytest.mark.parametrize(
    "policy",
    [
        Policy(),
        Policy("kip-169", "both", 5, 0.1, 3),
        Policy("lag-aware", fresh=True),
        Policy(capacity={"c-*": 2}, pin={("t-x", 1): "c"}, co_partition=["a,b"], keep=["t"],
               rack_aware=True, max_cross_rack=2, instances="host", max_partitions=9),
    ],
)  # fmt: skip
def test_settings_there_and_back_again(policy: Policy) -> None:
    settings = GroupSettings(policy, 0.1, 1 / 3, 2**31 - 1)
    assert GroupSettings.from_json(settings.to_json()) == settings


WRONG = [
    ("group = 'x'", "group", "unknown; a rule begins with [[rule]]"),
    ("b = 1\na = 1", "a", "unknown; a rule begins with [[rule]]"),
    ("[rule]\ngroup = 'x'", "rule", "must be a list of tables"),
    ("rule = 5", "rule", "must be a list of tables"),
    ("rule = [5]", "rule[0]", "must be a table"),
    ("rule = [{group = ''}, 'x']", "rule[1]", "must be a table"),
    ("[[rule]]", "rule[0].group", "must be a regular expression"),
    ("[[rule]]\ngroup = 5", "rule[0].group", "must be a regular expression"),
    ("[[rule]]\ngroup = '('", "rule[0].group", "not a regular expression: missing )"),
    ("[[rule]]\ngroup = ''\n[[rule]]\ngroup = '*'", "rule[1].group", "not a regular expression"),
    (
        "[[rule]]\ngroup = ''\ngroups = ''",
        "rule[0].groups",
        f"unknown; must be one of {', '.join(KEYS)}",
    ),
    ("[[rule]]\ngroup = ''\n[rule.policy]\nname = 'x'", "rule[0].policy", "unknown policy"),
    ("[[rule]]\ngroup = 'a{99999999999999999999}'", "rule[0].group", "not a regular"),
    ("[[rule]]\ngroup = '" + "(" * 5000 + ")" * 5000 + "'", "rule[0].group", "not a regular"),
    ("[[rule]\n", "", "at line 1, "),
    ("[[rule]]\ngroup = ^x\n", "", "at line 2, "),
    ("[[rule]]\nseed = 1\nseed = 2\n", "", "at line 3, "),
    ("[[rule]]\ngroup = ''\nseed = " + "1" * 5000, "", "not TOML"),
    ("[[rule]]\ngroup = " + "[" * 5000 + "]" * 5000, "", "not TOML"),
]
WRONG_VALUES = [
    ("policy = 'best'", "policy", "unknown policy 'best'; one of lag-aware, "),
    ("move_cost = -1", "move_cost", "-1 is not a whole number from 0 to 2^53 - 1"),
    ("fresh = true\nmax_moves = 1", "max_moves", "cannot be combined with fresh"),
    ("effort = -1", "effort", "-1 is not a number of seconds, 0 or more"),
    ("effort = '2'", "effort", "'2' is not a number of seconds"),
    ("time_limit = nan", "time_limit", "nan is not a number of seconds"),
    ("time_limit = 10:00:00", "time_limit", "is not a number of seconds"),
    ("seed = -1", "seed", "-1 is not a whole number from 0 to 2,147,483,647"),
    ("seed = 2147483648", "seed", "2147483648 is not a whole number"),
]


@pytest.mark.parametrize(
    ("text", "place", "problem"),
    WRONG + [(f"[[rule]]\ngroup = 'x'\n{t}", f"rule[0].{p}", why) for t, p, why in WRONG_VALUES],
    ids=lambda value: value[:40],
)
def test_what_is_wrong_and_where(text: str, place: str, problem: str) -> None:
    with pytest.raises(InputError) as caught:
        read_rules(text, DEFAULT)
    assert caught.value.place == place
    assert problem in caught.value.problem
    assert "\n" not in str(caught.value)


def test_a_limit_on_moves_where_the_default_is_fresh() -> None:
    default = replace(DEFAULT, policy=Policy(fresh=True))
    with pytest.raises(InputError, match=r"^rule\[0\]\.max_moves: cannot be combined"):
        one("max_moves = 3", default)
    assert one("max_moves = 3\nfresh = false", default).policy == Policy(max_moves=3)


RULES = read_rules("[[rule]]\ngroup = '^a'\n[[rule]]\ngroup = 'b$'\nmax_moves = 3\n", DEFAULT)
FILES = FleetOptions("out", RULES, offsets=("o1", "o2"), members=("m",))
LIVE = FleetOptions("out", RULES, bootstrap="kafka:9092")


SOURCE = "either files of offsets and members or a live cluster is required"
TIME = "must be a time from 1970 to 9999"


@pytest.mark.parametrize(
    ("base", "changes", "place", "problem"),
    [
        (FILES, {"weight": "mass"}, "weight",
         "must be one of work, lag, rate, forecast, bytes, not 'mass'"),
        (FILES, {"reset": "now"}, "auto_offset_reset",
         "must be one of earliest, latest, none, not 'now'"),
        (FILES, {"offsets": ()}, "offsets", SOURCE),
        (FILES, {"members": ()}, "offsets", SOURCE),
        (FILES, {"bootstrap": "kafka:9092"}, "offsets", SOURCE),
        (LIVE, {"bootstrap": None}, "offsets", SOURCE),
        (LIVE, {"weight": "rate"}, "weight", "rate needs a history"),
        (LIVE, {"weight": "forecast"}, "weight", "forecast needs a history"),
        (LIVE, {"weight": "bytes"}, "weight", "bytes needs a history"),
        (FILES, {"at": -1}, "at", TIME),
        (FILES, {"at": END_OF_TIME}, "at", TIME),
        (FILES, {"window": 0}, "window", "must be more than 0"),
        (FILES, {"horizon": 0}, "horizon", "must be more than 0"),
        (FILES, {"tasks": 0}, "tasks", "must be more than 0"),
    ],
)  # fmt: skip
def test_settings_that_make_no_sense(
    base: FleetOptions, changes: dict[str, Any], place: str, problem: str
) -> None:
    with pytest.raises(InputError) as caught:
        replace(base, **changes)
    assert caught.value.place == place
    assert caught.value.problem.startswith(problem)


def test_the_settings_in_the_summary() -> None:
    options = replace(FILES, window=90_000, horizon=1_500, stale=2_500)
    assert options.to_dict() == {
        "offsets": ["o1", "o2"],
        "members": ["m"],
        "bootstrap_server": None,
        "window_s": 90.0,
        "horizon_s": 1.5,
        "stale_after_s": 2.5,
        "weight": "work",
        "auto_offset_reset": "latest",
        "policy": DEFAULT.policy.to_dict(),
        "effort": 1.5,
        "time_limit_s": 9.0,
        "seed": 4,
        "limits": {"gain": 10.0, "min_gain": None, "min_lag": 10_000, "behind": 60.0},
        "rules": ["^a", "b$"],
    }
    assert FILES.to_dict()["stale_after_s"] is None
    assert replace(FILES, weight="lag").to_dict()["weight"] == "lag"
    assert LIVE.to_dict()["bootstrap_server"] == "kafka:9092"
