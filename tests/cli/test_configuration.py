"""Options by the command line, the environment and profiles: every one of every command."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from support.paths import SAMPLES

from equilag.cli.arguments.configuration import (
    FILE,
    OF_KUBERNETES,
    PREFIX,
    settable_options,
    variable,
)
from equilag.cli.arguments.options import METRICS, Option, options_of, parsers_of
from equilag.cli.parser import build_parser

TEXTS: Final = ("70", "110", "30s", "2m", "4..12", "8..9", "a=b", "c=d", "h:1", "h:2",
                "2026-11-21", "2026-11-22")  # fmt: skip
"""Texts of which every converter takes two at least."""
PARSERS: Final = {
    parser.prog: parser for parser in parsers_of(build_parser()) if any(options_of(parser))
}


def texts(declared: Option) -> list[str]:
    """Two texts that the option takes."""
    if not declared.metavar:
        return ["true", "false"]
    if declared.flag == METRICS:
        return ["http://a", "http://b"]
    taken = []
    for text in (*getattr(declared.type, "names", ()), *TEXTS):
        try:
            declared.type(text)
        except (argparse.ArgumentTypeError, ValueError):
            continue
        taken.append(text)
    return taken[:2]


@pytest.fixture
def parsed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., argparse.Namespace]:
    """Parse words beside variables and the TOML of a profile."""

    def call(words: list[str], profile: str = "", **variables: str) -> argparse.Namespace:
        file = tmp_path / "config.toml"
        file.write_text(f"[default]\n{profile}\n", "utf-8")
        with monkeypatch.context() as patch:
            patch.setenv(FILE, str(file))
            for name, value in variables.items():
                patch.setenv(name, value)
            return build_parser(words).parse_args(words)

    return call


def rounds(prog: str) -> Iterator[list[Option]]:
    """The options of a command; two that set the same are in two rounds."""
    left = [one.declared for one in settable_options(PARSERS[prog])]
    while left:
        chosen = {one.parameter or one.key: one for one in reversed(left)}
        left = [one for one in left if one not in chosen.values()]
        yield [*chosen.values()]


def typed(declared: Option, text: str) -> str:
    if declared.metavar:
        return f"{declared.flag}={text}"
    return declared.flag if text == "true" else f"--no-{declared.flag[2:]}"


@pytest.mark.parametrize("prog", PARSERS)
def test_every_option_by_all_ways(parsed: Callable[..., argparse.Namespace], prog: str) -> None:
    for chosen in rounds(prog):
        first, second = values(parsed, prog, chosen, 0), values(parsed, prog, chosen, 1)
        assert not [flag for flag, value in first.items() if value == second[flag]]
        # The option, the environment, the profile.
        for ways, expected in {
            (None, 0, None): first, (None, 1, None): second,
            (None, None, 0): first, (None, None, 1): second,
            (None, 0, 1): first, (None, 1, 0): second,
            (0, 1, 1): first, (1, 0, 0): second,
        }.items():  # fmt: skip
            assert values(parsed, prog, chosen, *ways) == expected


def values(
    parsed: Callable[..., argparse.Namespace],
    prog: str,
    chosen: list[Option],
    option: int | None = None,
    environment: int | None = None,
    profile: int | None = None,
) -> dict[str, Any]:
    """What these options become, by their first or second text in each place."""
    both = {one: texts(one) for one in chosen}
    words = prog.split()[1:]
    for action in PARSERS[prog]._actions:
        words += ["x"] if not action.option_strings and action.nargs is None else []
    words += [] if option is None else [typed(one, two[option]) for one, two in both.items()]
    words += [typed(one.declared, texts(one.declared)[0]) for one in options_of(PARSERS[prog])
              if one.required and one.declared not in chosen]  # fmt: skip
    lines = [] if profile is None else [
        f"{one.key} = '{two[profile]}'" for one, two in both.items()
    ]  # fmt: skip
    variables = () if environment is None else (
        (variable(one.key), two[environment]) for one, two in both.items()
    )  # fmt: skip
    found = parsed(words, "\n".join(lines), **dict(variables))
    return {one.flag: getattr(found, one.parameter or one.key) for one in chosen}


def test_values_of_repeated_options_and_truth_values(parsed) -> None:
    both = parsed(["plan", "x", "--capacity", "a=1", "--capacity=b=2"]).capacity
    assert both == ["a=1", "b=2"]
    assert parsed(["plan", "x"], EQUILAG_CAPACITY="a=1\nb=2\n").capacity == both
    assert parsed(["plan", "x"], "capacity = ['a=1', 'b=2']").capacity == both
    assert parsed(["plan", "x"], "capacity = ['c=1']", EQUILAG_CAPACITY="").capacity == ["c=1"]
    assert parsed(["plan", "x", "--capacity=d=1"], EQUILAG_CAPACITY="a=1").capacity == ["d=1"]
    for text in ("true", "'On'", "'1'", "'YES'"):
        assert parsed(["plan", "x"], f"fresh = {text}").fresh
    assert parsed(["fleet"], "at = 2026-11-21T09:00:00Z").at == 1795251600000
    assert parsed(["plan", "x"], "time_limit = 2.5\nmax_moves = 0").time_limit == 2.5


def test_names_and_places_of_what_is_wrong(refused, write, tmp_path: Path, monkeypatch) -> None:
    group, file = str(write()), tmp_path / "config.toml"
    monkeypatch.setenv(FILE, str(file))
    for text, problem in WRONG_FILES.items():
        file.write_text(text, "utf-8")
        assert refused("plan", group) == f"{file}: {problem}"
    monkeypatch.setenv(FILE, os.devnull)
    for name, (value, problem) in WRONG_VARIABLES.items():
        with monkeypatch.context() as patch:
            patch.setenv(name, value)
            assert refused("plan", group).startswith(f"{name}: {problem}")


WRONG_FILES: Final = {
    "[default": "not TOML: Expected ']' at the end of a table declaration (at end of document)",
    "[default]\nseed = 1\nseed = 2": "not TOML: Cannot overwrite a value (at end of document)",
    "max_moves = 1": "max_moves: an integer; settings stand below a profile, such as [default]",
    "[default]\nmax_move = 1": 'default.max_move: is no setting, did you mean "max_move_weight" or'
    ' "max_moves"?',
    "[default]\nmax-moves = 1": 'default.max-moves: is no setting, did you mean "max_moves"?',
    "[default]\nzzz = 'x'": "default.zzz: is no setting",
    "[default]\nmax_moves = 1.5": "default.max_moves: '1.5' is not a whole number, 0 or more",
    "[default]\nmax_moves = true": "default.max_moves: a boolean is neither a text nor a number",
    "[default]\nmax_moves = [1]": "default.max_moves: a list is neither a text nor a number",
    "[default]\nmax_moves = ''": "default.max_moves: '' is not a whole number, 0 or more",
    "[default]\nmax_moves = 0x"
    + 4000 * "f": "default.max_moves: Exceeds the limit (4300 digits) for"
    " integer string conversion; use sys.set_int_max_str_digits() to increase the limit",
    "[default]\ncapacity = {a = 1}": "default.capacity: an object is neither a text nor a number",
    "[default]\nfresh = 'maybe'": "default.fresh: 'maybe' is none of true, yes, on, 1, false, no,"
    " off, 0",
    "[default]\npolicy = 'kip'": "default.policy: 'kip' is none of lag-aware, kip-169,"
    ' fair-yet-sticky, sticky-yet-fair, did you mean "kip-169"?',
    "[default]\ncapacity = ['a']": 'default.capacity: "a" is not ID=N',
    "[default]\ntime_limit = inf": "default.time_limit: 'inf' is not a number of seconds, 0 or"
    " more",
    "[default]\nprofile = 'other'\n[other]": "default.profile: is no setting",
    "x = " + "[" * 9999: "not TOML: nested too deeply",
}
WRONG_VARIABLES: Final = {
    "EQUILAG_CHECK": ("2", "'2' is none of true"),
    "EQUILAG_CAPACITY": ("c-1=5\nc-2", '"c-2" is not ID=N'),
    "EQUILAG_OUTPUT": ("jsn", "unknown output 'jsn'"),
}


def test_files_that_cannot_be_read(refused, run, write, tmp_path: Path, monkeypatch) -> None:
    group, file = str(write()), tmp_path / "config.toml"
    file.symlink_to(file)
    monkeypatch.setenv(FILE, str(file))
    assert refused("plan", group) == f"{file}: cannot be read: Too many levels of symbolic links"
    assert run("plan", "--help").status == run("completion", "bash").status == 0
    monkeypatch.setenv(FILE, str(tmp_path))
    assert refused("plan", group) == f"{tmp_path}: a directory, not a file"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(FILE, "-")
    assert refused("plan", group) == f"{tmp_path / '-'}: cannot be read: No such file or directory"
    monkeypatch.setattr("equilag.cli.arguments.configuration.usual_file", lambda: file)
    monkeypatch.delenv(FILE)
    assert refused("plan", group) == f"{file}: cannot be read: Too many levels of symbolic links"
    file.unlink()
    assert run("plan", group, "--time-limit", 0.1).status == 0
    gone = f"{file}: cannot be read: No such file or directory"
    assert refused("plan", group, "--profile", "prod") == gone
    file.write_bytes(b"[\xff]")
    assert refused("plan", group) == f"{file}: line 1: not UTF-8: byte 0xff"
    file.write_text("['pröd\N{SNOWMAN}']\nseed = 'x'\n[prod]\n", "utf-8")
    assert run("plan", group, "--time-limit", 0.1).status == 0
    assert refused("plan", group, "--profile=prd") == (
        f'{file}: there is no profile "prd", did you mean "prod" or "pröd\N{SNOWMAN}"?'
    )
    monkeypatch.setenv("EQUILAG_PROFILE", "pröd\N{SNOWMAN}")
    assert refused("plan", group).startswith(f"{file}: \"pröd\N{SNOWMAN}\".seed: 'x' is not")
    assert run("plan", group, "--time-limit", 0.1, "--profile", "prod").status == 0


def test_unknown_variables_are_remarks_but_for_those_of_pods(run, write, monkeypatch) -> None:
    for name in ("PORT", "SERVICE_HOST", "SERVICE_PORT", "PORT_9478_TCP", "PORT_80_UDP_ADDR",
                 "STEWARD_SERVICE_PORT_HTTP", "STEWARD_PORT", "A_PORT_80_TCP_PROTO"):  # fmt: skip
        monkeypatch.setenv(PREFIX + name, "tcp://10.0.0.1:9478")
    monkeypatch.setenv("EQUILAG_BOOTSTRAP_SERVERS", "a:1")
    monkeypatch.setenv("EQUILAG_MASTER", "local")  # of another command
    monkeypatch.setenv("EQUILAG_json", "maybe")
    found = run("assign", write(), "--assignor", "range", "--json")
    assert found.status == 0
    assert found.err == (
        "equilag: EQUILAG_BOOTSTRAP_SERVERS is no setting, did you mean"
        ' "EQUILAG_BOOTSTRAP_SERVER"?\n'
        'equilag: EQUILAG_json is no setting, did you mean "EQUILAG_JSON"?\n'
    )
    for parser in PARSERS.values():
        for action in options_of(parser):
            assert not OF_KUBERNETES.fullmatch(variable(action.declared.key))


def test_what_was_typed_leaves_no_place_for_other_values(parsed, tmp_path: Path) -> None:
    profile = "bootstrap_server = 'b:1'\ngroup = 'g'\nsample = '30s'\nmax_moves = 3"
    alone = parsed(["plan"], profile)
    assert (alone.bootstrap_server, alone.group, alone.sample) == ("b:1", "g", 30.0)
    for words in (["plan", "x.json"], ["plan", "--from-describe", "x.txt", "--group", "h"]):
        found = parsed(words, profile)
        assert (found.bootstrap_server, found.sample, found.max_moves) == (None, None, 3)
        assert found.group == (words[4:] or [None])[0]
    by_text = parsed(["plan"], profile, EQUILAG_FROM_DESCRIBE="x.txt")
    assert (by_text.bootstrap_server, by_text.group) == (None, "g")
    # A group was asked for, so the file is a plan.
    assert parsed(["explain", "x.json", "--group", "h"], profile).bootstrap_server == "b:1"
    fleet = parsed(["fleet", "--history", "h"], "offsets = 'o'\nmembers = 'm'", EQUILAG_OUT="o")
    assert (fleet.history, fleet.offsets, fleet.members, fleet.out) == ("h", [], [], "o")
    shown = parsed(["fleet", "show", "run"], EQUILAG_TOP="3", EQUILAG_JSON="1", EQUILAG_OUT="x")
    assert (shown.top, shown.output) == (3, "json")


@pytest.mark.parametrize(
    ("words", "profile", "variables", "found"),
    [
        ("", "json = true", {"OUTPUT": "text"}, {"output": "text"}),
        ("", "json = false", {"OUTPUT": "json"}, {"output": "json"}),
        ("", "output = 'text'", {"JSON": "true"}, {"output": "json"}),
        ("--output=text", "", {"JSON": "true"}, {"output": "text"}),
        ("--fresh", "max_moves = 3\nmax_move_weight = 9", {}, {"fresh": True}),
        ("--fresh", "", {"MAX_MOVES": "3"}, {"fresh": True}),
        ("", "max_moves = 3\nmax_move_weight = 9", {"FRESH": "true"}, {"fresh": True}),
        ("--max-moves=5", "fresh = true\nmax_move_weight = 9", {},
         {"fresh": False, "max_moves": 5, "max_move_weight": 9}),
        ("", "fresh = true", {"MAX_MOVES": "5"}, {"fresh": False, "max_moves": 5}),
    ],
)  # fmt: skip
def test_the_better_one_of_two_counts(
    parsed, words: str, profile: str, variables: dict[str, str], found: dict[str, Any]
) -> None:
    """Of two options of one parameter, and of two that exclude each other."""
    named = {f"EQUILAG_{name}": value for name, value in variables.items()}
    args = vars(parsed(["plan", "x", *words.split()], profile, **named))
    usual = {"output": "text", "fresh": False, "max_moves": None, "max_move_weight": None}
    assert args.items() >= {**usual, **found}.items()


def test_errors_say_where_a_value_is_from(refused, write, tmp_path, monkeypatch) -> None:
    group, profiles = str(write()), tmp_path / "config.toml"
    profiles.write_text("[default]\nbootstrap_server = ''\ngroup = 'g'\n", "utf-8")
    monkeypatch.setenv(FILE, str(profiles))
    assert refused("plan") == f"{profiles}: default.bootstrap_server: is empty; expected host:port"
    said = refused("plan", "--from-describe", str(SAMPLES / "audit.describe.txt"))
    assert said == f'{profiles}: default.group: no group "g" in the text, but "audit"'
    monkeypatch.delenv(FILE)
    monkeypatch.setenv("EQUILAG_BOOTSTRAP_SERVER", "b:1")
    assert refused("plan") == (
        "--bootstrap-server needs --group (see equilag plan --help); --bootstrap-server is from"
        " EQUILAG_BOOTSTRAP_SERVER"
    )
    monkeypatch.setenv("EQUILAG_MAX_MOVES", "3")
    monkeypatch.setenv("EQUILAG_FRESH", "true")
    assert refused("plan", group).startswith("EQUILAG_MAX_MOVES: cannot be combined with fresh")


def test_settings_of_a_plan_do_not_disturb_a_plan_that_is_given(
    run, refused, write, tmp_path: Path, monkeypatch
) -> None:
    group, plan = str(write()), str(tmp_path / "plan.json")
    assert run("plan", group, "--time-limit", 0.1, "--out", plan).status == 0
    monkeypatch.setenv("EQUILAG_MAX_MOVES", "3")
    assert run("explain", group, plan, "--effort", 0.01).status == 0
    assert "with PLAN the options" in refused("explain", group, plan, "--max-moves", 3)


def test_config_shows_what_is_set_and_where(run, document, refused, tmp_path, monkeypatch) -> None:
    file = tmp_path / "config.toml"
    file.write_text(
        "[default]\nseed = 1\n[prod]\nmax_moves = 3\nfresh = true\ncapacity = ['a=1', 'b=2']\n"
        "command_property = ['client.id=x', 'sasl.password=pl4nted']\n", "utf-8",
    )  # fmt: skip
    monkeypatch.setenv(FILE, str(file))
    monkeypatch.setenv("EQUILAG_CAPACITY", "c=1\nd=2")
    monkeypatch.setenv("EQUILAG_PORT", "tcp://10.0.0.1:9478")
    monkeypatch.setenv("EQUILAG_MASTER", "spark://user:pl4nted@host")
    found = document("config", "--profile", "prod")
    assert (found["file"], found["profile"]) == (str(file), "prod")
    assert found["profiles"] == ["default", "prod"]
    assert {one["option"]: (one["value"], one["place"]) for one in found["settings"]} == {
        "--max-moves": ("3", "prod.max_moves"), "--fresh": ("true", "prod.fresh"),
        "--capacity": ("c=1\nd=2", "EQUILAG_CAPACITY"),
        "--command-property": ("client.id=x\nsasl.password=***", "prod.command_property"),
        "--master": ("spark://user:***@host", "EQUILAG_MASTER"),
    }  # fmt: skip
    of_plan = {one["option"]: one for one in document("config", "plan")["settings"]}
    assert [*of_plan] == [one.declared.flag for one in settable_options(PARSERS["equilag plan"])]
    assert of_plan["--seed"] == {
        "option": "--seed", "value": "1", "layer": "profile", "place": "default.seed",
    }  # fmt: skip
    assert {of_plan[flag]["layer"] for flag in ("--behind", "--policy", "--json")} == {"default"}
    assert (of_plan["--behind"]["value"], of_plan["--policy"]["value"]) == ("1m", "lag-aware")
    assert of_plan["--json"]["value"] is None
    assert "pl4nted" not in run("config").out + run("config", "fleet").out
    assert refused("config", "fleet", "shw") == (
        'COMMAND: "fleet shw" is no command with options, did you mean "fleet show" or "fleet"?'
    )
    monkeypatch.setenv("EQUILAG_MAX_MOVES", "many")
    assert refused("config", "plan").startswith("EQUILAG_MAX_MOVES: 'many' is not a whole number")
    assert run("config").status == 0


@pytest.mark.parametrize(
    "given",
    [
        "sasl_password=HUNTER2",
        "password=HUNTER2",
        "sasl.password: HUNTER2",
        "sasl.pasword=HUNTER2",
        "sasl.oauthbearer.config=HUNTER2",
        "basic.auth.user.info=u:HUNTER2",
        "=HUNTER2",
        "HUNTER2",
        "ssl.keystore.key=-----BEGIN\nHUNTER2\n-----END",
        "client.id=a\nsasl.password=HUNTER2",
        "sasl.jaas.config=x username='u'\n password='HUNTER2';",
    ],
)
def test_config_shows_no_secret_of_wrong_or_long_properties(
    run, tmp_path, monkeypatch, given: str
) -> None:
    profiles = tmp_path / "config.toml"
    monkeypatch.setenv("EQUILAG_CONFIG", str(profiles))
    text = json.dumps(given)
    for value, words in ((text, ()), (f"[{text}]", ("--json",)), (f"{{x = {text}}}", ())):
        profiles.write_text(f"[default]\ncommand_property = {value}", "utf-8")
        found = run("config", *words)
        assert "--command-property" in found.out
        assert "HUNTER2" not in found.out + found.err
    profiles.write_text("", "utf-8")
    monkeypatch.setenv("EQUILAG_COMMAND_PROPERTY", given)
    assert "HUNTER2" not in run("config").out


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("BOOTSTRAP_SERVER", "u:HUNTER2@h:9092"), ("BOOTSTRAP_SERVER", "a:1,u:HUNTER2@h:1"),
        ("BOOTSTRAP_SERVER", "x://u:HUNTER2@h:1"), ("PROMETHEUS", "https://HUNTER2@h:1"),
        ("PROMETHEUS", "http://h/?t=HUNTER2"), ("PROMETHEUS", "http://h/#HUNTER2"),
    ],
)  # fmt: skip
def test_config_shows_no_secret_of_an_address(run, monkeypatch, name: str, value: str) -> None:
    monkeypatch.setenv(f"EQUILAG_{name}", value)
    found = run("config")
    assert f"--{name.lower().replace('_', '-')}" in found.out
    said = run("groups").err
    assert name != "BOOTSTRAP_SERVER" or "has a login in it" in said
    assert "HUNTER2" not in found.out + found.err + said


def test_what_only_a_server_takes_is_left_out_of_a_profile_beside_a_text(parsed) -> None:
    profile = "prometheus = ['http://h']\nselector = 'a=\"b\"'\nwindow = '9m'"
    found = parsed(["plan", "--prometheus", "m.txt"], profile)
    assert (found.prometheus, found.selector, found.window) == (["m.txt"], None, 300.0)
    found = parsed(["plan", "--group", "g"], profile)
    assert (found.prometheus, found.selector, found.window) == (["http://h"], 'a="b"', 540.0)
