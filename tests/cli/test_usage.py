"""Help, versions, and command lines that make no sense."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

import pytest

from equilag.cli import parser
from equilag.cli.arguments.conversions import duration
from equilag.domain.policy.policy import SETTINGS

COMMANDS = [one.name for one in parser.COMMANDS]


def test_help_names_every_command_and_exit_status(run) -> None:
    status, out, err = run("--help")
    assert (status, err) == (0, "")
    lines = out.splitlines()
    for command in COMMANDS:
        (line,) = [line for line in lines if line.startswith(f"  {command} ")]
        assert len(line.split()) > 4
    for number in (0, 1, 2, 70, 130):
        assert any(line.split()[:1] == [str(number)] for line in lines)
    assert "equilag plan snapshot.json" in out
    assert max(map(len, lines)) <= 80


def test_options_that_size_refuses(run, refused) -> None:
    settings = [one for one in SETTINGS.values() if "size" in one.refused]
    assert {one.option for one in settings} >= {"--pin", "--keep", "--fresh", "--move-cost"}
    words = run("size", "--help").out.split()
    for one in settings:
        assert one.option not in words
        values = {"--pin": ["t-0=m"], "--fresh": [], "--rack-aware": [], "--move-weight": ["lag"]}
        value = values.get(one.option, ["1"])
        assert one.refused["size"] in refused("size", "x.json", one.option, *value)


def test_version(run) -> None:
    status, out, err = run("--version")
    assert (status, err) == (0, "")
    assert out.startswith("equilag ")
    assert out.count("\n") == 1


LIVE_GROUP = ["--bootstrap-server", "b", "--group", "g"]
COLLECT = ["collect", "--bootstrap-server", "127.0.0.1:9", "--out", "history"]
FLEET = ["fleet", "--history", "h"]
ALONE = "give exactly one of --history, --offsets with --members, --prometheus and"
OLD_PLAN = "with PLAN the options that make a plan"

WRONG = [
    ([], "COMMAND is required: one of plan, explain"),
    (["pln", "x"], ', did you mean "plan"'),
    (["group.json"], ", did you mean equilag plan group.json? (see equilag --help)"),
    (["fleet", "shw", "x"], 'export, did you mean "show"'),
    (["--json", "plan", "x"], "unrecognized arguments: --json; put options after COMMAND (see"),
    (["plan"], "SNAPSHOT is required, or"),
    (["plan", "x", "y"], "unrecognized arguments: y (see equilag plan --help)"),
    (["plan", "x", "--pol", "kip-169"], 'arguments: --pol kip-169, did you mean "--policy"? (see'),
    (["plan", "x", "--max-move", "3"], 'arguments: --max-move 3, did you mean "--max-m'),
    (["plan", "x", "--no-such-thing"], "unrecognized arguments: --no-such-thing (see"),
    (["verify", "--from-describe", "t", "p"], "; first equilag snapshot --from-describe T"),
    (["steward", "--from-describe", "t"], "arguments: --from-describe t (see equilag steward"),
    (["groups", "x"], "x; give a text with --from-describe, and a snapshot to equilag plan (see"),
    (["plan", "x", "--Tolerence=3"], 'did you mean "--tolerance"'),
    (["plan", "x", "--policy", "fair"], ', did you mean "fair-yet-sticky"? (see equilag plan'),
    (["plan", "x", "--weight", "wrk"], 'none of lag, rate, work, given, did you mean "work"?'),
    (["assign", "x", "--assignor", "stiky"], ', did you mean "sticky"?'),
    (["plan", "x", "--output", "jsn"], ', did you mean "json"?'),
    (["plan", "x", "--time-limit", "-1"], "--time-limit: '-1' is not a number of seconds"),
    (["compare", "x", "--time-limit", "1e999"], "--time-limit: '1e999' is not"),
    (["plan", "x", "--seed", "-1"], "--seed: '-1' is not a whole number"),
    (["plan", "x", "--seed", str(2**31)], "from 0 to 2147483647"),
    (["plan", "x", "--seed", "9" * 9999], "--seed: '999"),
    (["plan", "x", "--move-cost", str(2**53)], "--move-cost: "),
    (["plan", "x", "--tolerance", "1e7"], "--tolerance: '1e7' is not a percentage"),
    (["plan", "x", "--capacity", "c-1"], '--capacity: "c-1" is not ID=N'),
    (["compare", "x", "--capacity", "c=-1"], '--capacity: the capacity of "c" is -1.0, not'),
    (["frontier", "x", "--max-partitions", "x"], '--max-partitions: "x" is not a whole number'),
    (["steward", *LIVE_GROUP, "--time-limit", "0"], "'0' is not a number of seconds from 0.01 to"),
    (["steward", *LIVE_GROUP, "--pin", "a"], '--pin: "a" is not TOPIC-PARTITION=ID'),
    (["steward"], "--bootstrap-server: is required"),
    (["steward", "--bootstrap-server", "b:1"], "--group: is required"),
    (["steward", "--listen", "nowhere"], "'nowhere' is not of the form HOST:PORT"),
    (["steward", "--listen", "h:70000"], "--listen: 70000 is no port; 65535 is the highest"),
    (["steward", *LIVE_GROUP, "--confirm", "0"], "--confirm: '0' is not a whole number, 1 or more"),
    (["steward", *LIVE_GROUP, "--instance-id", ""], "--instance-id: is empty"),
    (["steward", "--status", "--listen", "127.0.0.1:1"], "no steward answers at 127.0.0.1:1"),
    (["steward", "--json"], "--json needs --status"),
    (
        ["steward", *LIVE_GROUP, "--co-partition", "none", "--co-partition", "t,u"],
        "--co-partition: none does not go with another value",
    ),
    (
        ["steward", *LIVE_GROUP, "--policy", "kip-169", "--rack-aware"],
        "--balance: per-topic does not go with the settings of an extended group; total does",
    ),
    ([*FLEET, "--out", "o", "--keep", ""], '--keep: "" is no topic'),
    (["fleet"], ALONE),
    ([*FLEET, "--bootstrap-server", "b:1"], ALONE),
    ([*FLEET, "--offsets", "o"], ALONE),
    (["fleet", "--offsets", "o", "--out", "o"], "--members is required as well"),
    ([*FLEET, "--out", "o"], "h: cannot be read: no such directory"),
    ([*FLEET, "--command-config", "f"], "--command-config needs --bootstrap-server"),
    ([*FLEET, "--pin", "t=1"], "--pin: "),
    ([*FLEET, "--at", "1" * 5000], "--at: "),
    (["fleet", "forecast"], "'forecast'"),
    (["fleet", "report", "run"], "--out is required, or --json"),
    (["plan", "x", "--out", "-"], "--out: '-' is not a file name"),
    (["assign", "x"], "--assignor is required"),
    (["verify", "x"], "PLAN is required"),
    (["verify", "-", "-"], "only one of the inputs"),
    (["plan", "x", "--output", "html"], "--output: unknown output 'html'; one of text, json, or"),
    (["plan", "x", "--width", "49"], "--width: '49' is not a whole number from 50 to 1000"),
    (["compare", "x", "--output", "gone:f"], "--output: output 'gone:f' cannot be loaded"),
    (["plan", "x", *LIVE_GROUP], "either SNAPSHOT or --bootstrap-server"),
    (["compare", "--bootstrap-server", "b"], "--bootstrap-server needs --group"),
    (["frontier", "x", "--group", "g"], "--group needs --bootstrap-server or --from-describe"),
    (["plan", *LIVE_GROUP, "--from-describe", "d"], "give either --from-describe or --boot"),
    (["plan", "--from-describe", "d", "--isolation-level", "read_committed"], "needs --boot"),
    (["plan", *LIVE_GROUP, "--out", "f", "--save-snapshot", "f"], "also the file of --out"),
    (["compare", *LIVE_GROUP, "--sample", "30"], "--sample: '30' is not a duration such as 30s"),
    (["explain", "x", "plan.json", "--balance", "none"], OLD_PLAN),
    (["report", "x"], "--out is required, or --json"),
    (["report", "x", "-", "--out", "x", "--fresh"], OLD_PLAN),
    (["size", "x", "--members", "0..2"], "--members: '0..2' is not a range such as 4..12"),
    (["completion", "bsh"], "SHELL: 'bsh' is none of bash, zsh, fish, did you mean \"bash\""),
    (["collect"], "--bootstrap-server, --out are required"),
    ([*COLLECT, "--every", "0s"], "--every: '0s' is not a duration such as 30s, 5m or 1h"),
    ([*COLLECT, "--groups", "("], "--groups: '(' is not a regular expression: "),
    ([*COLLECT, "--command-config", "nowhere"], "nowhere: cannot be read"),
    (["groups"], "--from-describe is required, or --bootstrap-server"),
    (["groups", "--bootstrap-server", "b", "--watch=nan"], "is not a number of seconds from 0.5"),
    (["groups", "--bootstrap-server", "a:99999"], "--bootstrap-server: 'a:99999' has no port"),
    (["snapshot"], "--from-describe is required, or --bootstrap-server with --group"),
    (["snapshot", "--from-describe", "-", "--members", "-"], "only one of the inputs"),
    (["snapshot", "--from-describe", "x", "--subscribe", "a"], "'a' is not of the form ID=t1,t2"),
    (["snapshot", "--from-describe", "x", "--auto-offset-reset", "no"], "'no' is none of earliest"),
]


@pytest.mark.parametrize(("argv", "problem"), WRONG, ids=lambda value: str(value)[:40])
def test_wrong_usage_is_one_line_and_leaves_nothing(
    refused, tmp_path, monkeypatch, argv, problem
) -> None:
    monkeypatch.chdir(tmp_path)
    said = refused(*argv)
    assert problem in said
    assert len(said) < 240
    assert not list(tmp_path.iterdir())


def test_durations_are_numbers_with_units() -> None:
    assert [*map(duration, ("30s", "5m", "1.5h", "7d"))] == [30, 300, 5400, 604_800]
    assert [*map(duration, ("4 m 50 s", "1h30m", " 2m "))] == [290, 5400, 120]


def test_any_other_duration_is_refused() -> None:
    for text in ("", "30", "s", "0s", "-1s", "1h 30", "5 minutes", "1s1s1s1s1s", "20000d"):
        with pytest.raises(argparse.ArgumentTypeError, match="is not a duration such as 30s"):
            duration(text)


HEAVY = {"numpy", "networkx", "ortools", "pandas", "rich", "matplotlib"}


def loaded(environment: dict[str, str], tmp_path: Path, *commands: list[str]) -> set[str]:
    """The heavy packages that these commands load, one after the other in one process."""
    code = (
        "import json, sys; from equilag.cli import main;"
        " statuses = {main(argv) for argv in json.loads(sys.argv[1])};"
        f" print(*statuses, *({HEAVY!r} & sys.modules.keys()), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, json.dumps(commands)],
        capture_output=True,
        text=True,
        env=environment,
        check=True,
        cwd=tmp_path,
    )
    status, *packages = done.stderr.split()
    assert status == "0"
    return set(packages)


def test_help_loads_nothing_heavy(process_environment, tmp_path) -> None:
    commands = ["--help"], ["--version"], ["plan", "--help"]
    assert loaded(process_environment, tmp_path, *commands) == set()


def test_json_loads_nothing_for_the_screen(write, process_environment, tmp_path) -> None:
    snapshot = str(write())
    commands = (
        ["assign", snapshot, "--assignor", "range", "--json"],
        ["plan", snapshot, "--json", "--time-limit", "0.1"],
    )
    assert not loaded(process_environment, tmp_path, *commands) & {"rich", "matplotlib"}


def test_assign_and_verify_load_no_solver(run, write, process_environment, tmp_path) -> None:
    snapshot, plan = str(write()), str(tmp_path / "plan.json")
    run("plan", snapshot, "--time-limit", 1, "--out", plan)
    commands = ["assign", snapshot, "--assignor", "range"], ["verify", snapshot, plan]
    found = loaded(process_environment, tmp_path, *commands)
    assert "rich" in found
    assert not found & {"ortools", "pandas"}
