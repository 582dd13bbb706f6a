"""`equilag fleet` as a command: what is refused before Spark starts.

Where no Spark is needed there is none: the only `java` is a script that tells a version.
"""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from equilag.cli.commands.fleet import moment
from equilag.pipeline import session

pytest.importorskip("pyarrow")
from support.made_fleets import AT, write_history


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
def said(refused, java, tmp_path) -> Callable[..., str]:
    """Run a command that must fail before Spark starts, and leave no file; what it says."""
    if session.find_spec("pyspark") is None:
        pytest.skip("the extra equilag[spark] is not here")
    java('openjdk version "17.0.99"')

    def call(*argv: object) -> str:
        before = sorted(tmp_path.rglob("*"))
        problem: str = refused("fleet", *argv)
        assert sorted(tmp_path.rglob("*")) == before
        return problem

    return call


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


def test_what_makes_no_sense(said, history, tmp_path, out) -> None:
    given, path = ("--history", history), tmp_path / "rules.toml"
    assert said(*given) == "--out is required: a new directory for the results"
    problem = said(*given, "--out", out, "--at", "1969-12-31")
    assert problem.startswith("--at: must be a time from 1970")
    argv = *given, "--out", out, "--rules", path
    assert said(*argv).startswith(f"{path}: cannot be read: ")
    path.write_text("[[rule]]\ngroup = 'a'\nseed = -1", "utf-8")
    assert said(*argv).startswith(f"{path}: rule[0].seed: -1 is not a whole number")


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


# What the checks of pipeline/ find is said before Spark starts.


def test_racks_are_checked_where_they_are(said, history, out) -> None:
    (history / "racks").mkdir()
    path = history / "racks" / "a.jsonl"
    path.write_text('{"topic": "orders", "partition": 0, "racks": "r"}\n', "utf-8")
    expected = f'{path}: line 1: column racks: must be a list of strings, not "r"'
    assert said("--history", history, "--out", out) == expected
    tables = ["--offsets", history / "offsets", "--members", history / "members"]
    assert said(*tables, "--racks", path, "--out", out) == expected


# Java and packages.


@pytest.mark.parametrize(
    ("printed", "problem"),
    [
        ('openjdk version "11.0.2" 2019-01-15', "the java on PATH is version 11"),
        ('java version "1.8.0_292"', "the java on PATH is version 8"),
        (None, "there is no java on PATH"),
        ('openjdk version "17.0.9"', None),
        ('java version "21"', None),
        ('x version "25"', None),
    ],
)
def test_which_java_will_do(java, tmp_path, printed, problem) -> None:
    java(printed or "")
    if printed is None:
        (tmp_path / "bin" / "java").unlink()
    told = problem and f"Spark needs Java 17 or newer; {problem}"
    assert session.java_problem() == told


def test_spark_takes_the_java_in_java_home(said, java, history, tmp_path, out, monkeypatch) -> None:
    """So the good one on PATH is of no use."""
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "jdk"))
    wrong = "Spark needs Java 17 or newer; the java in JAVA_HOME does not"
    assert said("--history", history, "--out", out) == f"{wrong} run"
    java("who knows", where=tmp_path / "jdk" / "bin")
    assert said("--history", history, "--out", out) == f"{wrong} print its version"


@pytest.mark.parametrize("package", ["pyspark", "pyarrow", "pandas"])
def test_a_missing_package(said, history, out, monkeypatch, package) -> None:
    real = session.find_spec
    monkeypatch.setattr(session, "find_spec", lambda name: None if name == package else real(name))
    problem = f"fleets need the package {package}: pip install 'equilag[spark]'"
    assert said("--history", history, "--out", out) == problem
