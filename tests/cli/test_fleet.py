"""`equilag fleet` as a command: what is refused before Spark starts.

Where no Spark is needed there is none: the only `java` is a script that tells a version.
"""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from equilag.cli.arguments.fleet_arguments import moment
from equilag.pipeline import session

pytest.importorskip("pyarrow")
import pyarrow as pa
from support.made_fleets import AT, COLUMNS, OFFSETS, lines, parquet, write_history


@pytest.fixture
def history(tmp_path: Path) -> Path:
    """A good history; tests put something wrong in its place."""
    return write_history(tmp_path / "history")


@pytest.fixture
def java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Let a script that prints a version be the only `java`; without one there is none."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)

    def install(said: str, status: int = 0, where: Path = folder) -> Path:
        where.mkdir(parents=True, exist_ok=True)
        script = where / "java"
        script.write_text(f"#!/bin/sh\necho '{said}' >&2\nexit {status}\n", "utf-8")
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
        return script

    return install


@pytest.fixture
def refused(run, java, tmp_path) -> Callable[..., str]:
    """Run a command that must fail before Spark starts; the one line that is said."""
    if session.find_spec("pyspark") is None:
        pytest.skip("the extra equilag[spark] is not here")
    java('openjdk version "17.0.99"')

    def call(*argv: object) -> str:
        before = sorted(tmp_path.rglob("*"))
        status, out, err = run("fleet", *argv)
        assert (status, out) == (2, "")
        assert err.startswith("equilag: ")
        assert err.count("\n") == 1
        assert err.endswith("\n")
        assert "Traceback" not in err
        assert sorted(tmp_path.rglob("*")) == before
        return err.removeprefix("equilag: ").removesuffix("\n")

    return call


# Command lines.


@pytest.mark.parametrize(
    ("argv", "problem"),
    [
        ([], "give exactly one of --history, --offsets with --members, and --bootstrap"),
        (["--history", "H", "--bootstrap-server", "b:1"], "give exactly one of --history"),
        (["--history", "H", "--offsets", "o"], "give exactly one of --history"),
        (["--offsets", "o", "--out", "o"], "--members is required as well"),
        (["--members", "m", "--out", "o"], "--offsets is required as well"),
        (["--racks", "m", "--out", "o"], "--offsets is required as well"),
        (["--history", "H", "--racks", "o"], "give exactly one of --history"),
        (["--history", "H", "--pin", "t=1"], "--pin: "),
        (["--history", "H"], "--out is required: a new directory"),
        (["--history", "H", "--command-config", "f"], "--command-config needs --bootstrap-server"),
        (["--history", "H", "--at", "noon"], "--at: 'noon' is neither a time such as 2026-"),
        (["--history", "H", "--at", ""], "--at: '' is neither a time such as 2026-"),
        (["--history", "H", "--at", "2026-13-01"], "--at: '2026-13-01' is neither a time"),
        (["--history", "H", "--at", "1" * 5000], "--at: "),
        (["--history", "H", "--window", "5"], "--window: '5' is not a duration such as 30s"),
        (["--history", "H", "--horizon", "0s"], "--horizon: '0s' is not a duration"),
        (["--history", "H", "--stale-after", "-1s"], "--stale-after: "),
        (["--history", "H", "--kill-after", "x"], "--kill-after: 'x' is not a duration"),
        (["--history", "H", "--weight", "mass"], "--weight: 'mass' is none of work, lag, rate"),
        (["--history", "H", "--auto-offset-reset", "now"], "--auto-offset-reset: 'now' is none"),
        (["--history", "H", "--policy", "fair"], "--policy: "),
        (["--history", "H", "--effort", "-1"], "--effort: "),
        (["--history", "H", "--seed", "x"], "--seed: "),
        (["--history", "H", "--tasks", "many"], "--tasks: "),
        (["--history", "H", "--tasks", "0", "--out", "o"], "--tasks: must be more than 0"),
        (["--history", "H", "--at", "9" * 20, "--out", "o"], "--at: must be a time from 1970 to"),
        (["--history", "H", "--at", "1969-12-31", "--out", "o"], "--at: must be a time from 1970"),
        (["forecast"], "'forecast'"),
    ],
    ids=lambda value: " ".join(value)[:60] if isinstance(value, list) else "",
)  # fmt: skip
def test_command_lines_that_make_no_sense(
    refused, history, tmp_path, monkeypatch, argv, problem
) -> None:
    monkeypatch.chdir(tmp_path)
    assert problem in refused(*(str(history) if word == "H" else word for word in argv))


@pytest.mark.parametrize(
    ("text", "ms"),
    [
        ("1795251600123", AT + 123),
        ("2026-11-21T09:00:00Z", AT),
        ("2026-11-21T09:00:00", AT),
        ("2026-11-21 10:30:00.250+01:30", AT + 250),
        ("2026-11-21", AT - 9 * 3_600_000),
        ("2038-08-15T15:00:50.430Z", 2_165_497_250_430),  # in doubles a millisecond less
        ("0", 0),
    ],
)
def test_times(text: str, ms: int) -> None:
    assert moment(text) == ms


# Sources.


def test_a_directory_that_is_not_there(refused, tmp_path) -> None:
    where = tmp_path / "nowhere"
    said = refused("--history", where, "--out", tmp_path / "out")
    assert said == f"{where}: cannot be read: no such directory"


@pytest.mark.parametrize("table", ["offsets", "members"])
def test_an_empty_directory(refused, history, tmp_path, table) -> None:
    (history / table / "a.jsonl").rename(history / table / "notes.txt")
    said = refused("--history", history, "--out", tmp_path / "out")
    assert said == (
        f"{history / table}: this directory holds no parquet or JSON-lines files of {table}"
    )


def test_racks_are_checked_where_they_are(refused, history, tmp_path) -> None:
    (history / "racks").mkdir()
    path = history / "racks" / "a.jsonl"
    path.write_text('{"topic": "orders", "partition": 0, "racks": "r"}\n', "utf-8")
    expected = f'{path}: line 1: column racks: must be a list of strings, not "r"'
    assert refused("--history", history, "--out", tmp_path / "out") == expected
    tables = ["--offsets", history / "offsets", "--members", history / "members"]
    assert refused(*tables, "--racks", path, "--out", tmp_path / "out") == expected


# Columns.


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"group": 5}, "column group: must be a string, not 5"),
        ({"log_end": "12"}, 'column log_end: must be a whole number, not "12"'),
        ({"partition": 1.5}, "column partition: must be a whole number, not 1.5"),
        ({"ts_ms": None}, "column ts_ms: must be a whole number, not null"),
        ({"offset": 1}, f"column offset: unknown; the columns of offsets are {COLUMNS}"),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)  # fmt: skip
def test_a_wrong_value_in_json_lines(refused, history, tmp_path, change, problem) -> None:
    path = history / "offsets" / "b.jsonl"
    path.write_text(lines([OFFSETS[0], {**OFFSETS[1], **change}]), "utf-8")
    said = refused("--history", history, "--out", tmp_path / "out")
    assert said == f"{path}: line 2: {problem}"


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"topic": None}, "column topic: missing"),
        (
            {"lag": pa.array([1] * len(OFFSETS))},
            f"column lag: unknown; the columns of offsets are {COLUMNS}",
        ),
        (
            {"log_end": pa.array([1.0] * len(OFFSETS))},
            "column log_end: must be of type int64 (or int32), not double",
        ),
        (
            {"ts_ms": pa.array([AT] * len(OFFSETS), pa.timestamp("ms"))},
            "column ts_ms: must be of type int64 (or int32) (milliseconds since 1970), not times",
        ),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_a_parquet_file_of_another_schema(refused, history, tmp_path, change, problem) -> None:
    path = parquet(history / "offsets" / "b.parquet", **change)
    said = refused("--history", history, "--out", tmp_path / "out")
    assert said.startswith(f"{path}: {problem}")


# Where to.


def test_a_directory_with_something_in_it(refused, history, tmp_path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "thesis.tex").touch()
    said = refused("--history", history, "--out", out)
    assert said == f"{out}: is not empty; each run needs its own directory"
    (out / "_SUCCESS").touch()
    said = refused("--history", history, "--out", out)
    assert said == f"{out}: already holds a run; each run needs its own directory"


def test_a_file_in_the_way(refused, history, tmp_path) -> None:
    (tmp_path / "file").touch()
    said = refused("--history", history, "--out", tmp_path / "file")
    assert said == f"{tmp_path / 'file'}: cannot be written: not a directory"
    said = refused("--history", history, "--out", tmp_path / "file" / "out")
    assert said.startswith(f"{tmp_path / 'file' / 'out'}: cannot be written: ")


# Rules.


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("rule =", "not TOML: "),
        ("policy = 'x'", "policy: unknown; a rule begins with [[rule]]"),
        ("[[rule]]\npolicy = 'lag-aware'", "rule[0].group: must be a regular expression"),
        ("[[rule]]\ngroup = '('", "rule[0].group: not a regular expression: "),
        ("[[rule]]\ngroup = 'a'\n[[rule]]\ngroup = 'b'\npolicy = 'c'", "rule[1].policy: "),
        ("[[rule]]\ngroup = 'a'\nlimit = 3", "rule[0].limit: unknown; must be one of group"),
        ("[[rule]]\ngroup = 'a'\nseed = -1", "rule[0].seed: -1 is not a whole number"),
        ("[[rule]]\ngroup = 'a'\neffort = 'x'", "rule[0].effort: 'x' is not a number of seconds"),
    ],
)
def test_a_bad_rules_file(refused, history, tmp_path, text, problem) -> None:
    path = tmp_path / "rules.toml"
    path.write_text(text, "utf-8")
    said = refused("--history", history, "--out", tmp_path / "out", "--rules", path)
    assert said.startswith(f"{path}: {problem}")


def test_a_rules_file_that_is_not_there(refused, history, tmp_path) -> None:
    path = tmp_path / "rules.toml"
    said = refused("--history", history, "--out", tmp_path / "out", "--rules", path)
    assert said.startswith(f"{path}: cannot be read: ")


# Java and packages.


def test_no_java(refused, java, history, tmp_path) -> None:
    (tmp_path / "bin" / "java").unlink()
    said = refused("--history", history, "--out", tmp_path / "out")
    assert said == "Spark needs Java 17 or newer; there is no java on PATH"


@pytest.mark.parametrize(
    ("said", "version"),
    [
        ('openjdk version "11.0.2" 2019-01-15', 11),
        ('java version "1.8.0_292"', 8),
        ('openjdk version "16" 2021-03-16', 16),
    ],
)
def test_a_java_that_is_too_old(refused, java, history, tmp_path, said, version) -> None:
    java(said)
    line = refused("--history", history, "--out", tmp_path / "out")
    assert line == f"Spark needs Java 17 or newer; the java on PATH is version {version}"


def test_a_java_that_says_nothing(refused, java, history, tmp_path, monkeypatch) -> None:
    java("who knows", where=tmp_path / "jdk" / "bin")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "jdk"))
    line = refused("--history", history, "--out", tmp_path / "out")
    assert line == (
        "Spark needs Java 17 or newer; the java in JAVA_HOME does not print its version"
    )


@pytest.mark.parametrize(
    "said", ['openjdk version "17.0.9"', 'java version "21"', 'x version "25"']
)
def test_a_java_that_will_do(java, said) -> None:
    java(said)
    assert session.java_problem() is None


@pytest.mark.parametrize("package", ["pyspark", "pyarrow", "pandas"])
def test_a_missing_package(refused, history, tmp_path, monkeypatch, package) -> None:
    real = session.find_spec
    monkeypatch.setattr(session, "find_spec", lambda name: None if name == package else real(name))
    said = refused("--history", history, "--out", tmp_path / "out")
    assert said == f"fleets need the package {package}: pip install 'equilag[spark]'"


def test_a_java_home_without_java(refused, history, tmp_path, monkeypatch) -> None:
    """Spark looks there first, so the good one on PATH is of no use."""
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "jdk"))
    said = refused("--history", history, "--out", tmp_path / "out")
    assert said == "Spark needs Java 17 or newer; the java in JAVA_HOME does not run"
