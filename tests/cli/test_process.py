"""In a process of its own: pipes that break, disks that are full, terminals, interruptions."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.commands import terminal_of
from support.paths import SAMPLES

from benchmarks.waiting import until
from equilag.cli import main
from equilag.cli.progress_line import WORDS, ProgressLine, describe
from equilag.domain.errors import ContradictedBound, MissingExtra
from equilag.planner import solve as solver
from equilag.planner.solving.run import POINTS, PROVING, SEARCHING
from equilag.planner.solving.stage import Progress
from equilag.planner.stages.counting_stages import COUNTING


def command(*argv: object) -> list[str]:
    return [sys.executable, "-m", "equilag", *map(str, argv)]


def test_bad_standard_input(spawn) -> None:
    status, out, err = spawn("plan", "-", text="{")
    assert (status, out) == (2, "")
    assert err.startswith("equilag: <stdin>: line 1 column 2: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize("json_flag", [[], ["--json"]])
def test_a_reader_that_went_away(process_environment, json_flag) -> None:
    argv = ["assign", SAMPLES / "audit.snapshot.json", "--assignor", "range", *json_flag]
    process = subprocess.Popen(
        command(*argv), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=process_environment
    )
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 141


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_behind_standard_output(process_environment) -> None:
    argv = ["assign", SAMPLES / "audit.snapshot.json", "--assignor", "range", "--json"]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            command(*argv),
            stdout=full,
            stderr=subprocess.PIPE,
            env=process_environment,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr == b"equilag: <stdout>: cannot be written: No space left on device\n"


def test_closed_standard_output(write, process_environment) -> None:
    line = " ".join(command("assign", write(), "--assignor", "range")) + " >&-"
    done = subprocess.run(line, shell=True, env=process_environment, capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")


def test_names_that_the_terminal_cannot_show(spawn, write) -> None:
    members = [{"id": "zoë\u202e\x1b[2J", "subscription": ["orders", "payments"]}]
    snapshot = write(members=members)
    out = spawn("assign", snapshot, "--assignor", "range", PYTHONIOENCODING="ascii").out
    assert out.isascii()
    assert "\x1b" not in out
    assert "zo\\xeb\\u202e\\x1b[2J" in out
    out = spawn("assign", snapshot, "--assignor", "range", PYTHONIOENCODING="utf-8").out
    assert "zoë\\u202e\\x1b[2J" in out


def on_terminal(argv: list[object], environment: dict[str, str], stream: str) -> str:
    """What a command writes to one stream that is a terminal."""
    other = "stdout" if stream == "stderr" else "stderr"
    pieces: list[bytes] = []
    with terminal_of(pieces) as slave:
        process = subprocess.Popen(
            command(*argv),
            env={"TERM": "xterm", **environment},
            **{stream: slave, other: subprocess.DEVNULL},
        )
        assert process.wait() == 0
    return b"".join(pieces).decode("utf-8")


HIDE, SHOW, ERASE_LINE = "\x1b[?25l", "\x1b[?25h", "\x1b[2K"


def test_progress_is_for_terminals_only(spawn, process_environment) -> None:
    argv: list[object] = ["plan", SAMPLES / "token-indexer.snapshot.json", "--time-limit", 0.3]
    assert spawn(*argv).err == ""
    environment = {k: v for k, v in process_environment.items() if k != "NO_COLOR"}
    shown = on_terminal(argv, environment, "stderr")
    assert "of 0.3 s, " in shown
    # Nothing is left of it: the cursor is back, on a line that is erased.
    assert shown.startswith(HIDE)
    assert shown.rstrip().endswith(ERASE_LINE)
    assert SHOW in shown


def test_colours_are_for_terminals_that_want_them(spawn, write, process_environment) -> None:
    argv: list[object] = ["assign", write(), "--assignor", "range"]
    environment = {k: v for k, v in process_environment.items() if k != "NO_COLOR"}
    assert "\x1b[1m" in on_terminal(argv, environment, "stdout")
    assert "\x1b" not in on_terminal(argv, {**environment, "NO_COLOR": "1"}, "stdout")
    assert "\x1b" not in spawn(*argv).out


STAGES = {stage.name for stage in COUNTING} | {
    stage.name for phase in (*SEARCHING, *POINTS, *PROVING) for stage in phase.stages
}


def test_every_stage_has_words_that_fit() -> None:
    assert WORDS.keys() == STAGES
    assert max(map(len, WORDS.values())) <= 28  # what the figures leave of 80 columns


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("NO_COLOR", raising=False)
    return Terminal()


def test_the_progress_line_writes_over_itself(terminal, monkeypatch) -> None:
    # So long that a busy machine does not reach it by itself.
    monkeypatch.setattr("equilag.cli.progress_line.PERIOD_S", 0.9)
    with ProgressLine(terminal) as line:
        line._last -= 1  # a second later
        line.show("window [red]search", 0.1, 2.0)
        line.show("too early", 0.11, 2.0)
        line._last -= 1
        line.show("end " * 30, 0.2, 2.0)
    text = terminal.getvalue()
    assert "window [red]search" in text
    assert "too early" not in text
    assert text.count("\n") == 1  # the last line is left, and erased from the next one
    assert "…" in text  # fits the 80 columns
    assert text.endswith(ERASE_LINE)


def test_the_time_goes_on_during_a_stage(terminal) -> None:
    with ProgressLine(terminal) as line:
        line(Progress("fast path", 1, 1, 1, 1.0, 0.001, 2.0))
    assert terminal.getvalue() == ""  # what is done at once shows no progress
    with ProgressLine(terminal) as line:
        line(Progress("cp-sat", 12_345, 3, 10, 100.0, 0.1, 2.0))
        until(lambda: len(set(re.findall(r"[\d.]+ of 2 s", terminal.getvalue()))) > 1)
    assert terminal.getvalue().endswith(ERASE_LINE)


@pytest.mark.parametrize(
    ("found", "words"),
    [
        ((None, None, None, 0.0), "x"),
        ((5, 1, None, 10.0), "spread 5, 1 move: x"),
        ((5, 2, 4, 10.0), "spread 5 (gap 10 %), 2 moves: x"),
        ((12_345, 2, 12_345, 10.0), "spread 12.3k (proved), 2 moves: x"),
        ((5, 2, 4, 0.0), "spread 5, 2 moves: x"),
    ],
)
def test_the_words_of_progress(found, words) -> None:
    text = describe(Progress("x", *found, 1.25, 0.5), 1.5)
    assert text == f"1.5 of 0.5 s{': ' if words == 'x' else ', '}{words}"


@pytest.mark.parametrize(
    ("stream", "environment"),
    [(io.StringIO, {}), (Terminal, {"NO_COLOR": "1"}), (Terminal, {"TERM": "dumb"})],
)
def test_the_progress_line_is_silent_elsewhere(terminal, monkeypatch, stream, environment) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    written = stream()
    with ProgressLine(written) as line:
        line._last -= 1
        line.show("sweeps", 0.1, 2.0)
        line(Progress("sweeps", 1, 1, 1, 1.0, 0.1, 2.0))
        assert line._ticker is None
    assert written.getvalue() == ""


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (KeyboardInterrupt(), 130, ""),
        (ContradictedBound("3 < 4"), 70, "equilag: internal error; please report it: 3 < 4\n"),
        (MissingExtra("needs the\npackage"), 2, "equilag: needs the\\npackage\n"),
    ],
)
def test_how_a_command_can_end(monkeypatch, capsys, write, error, status, said) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(solver, "solve", fail)
    assert main(["plan", str(write())]) == status
    assert capsys.readouterr() == ("", said)


def test_zstd_without_its_package(monkeypatch, run, tmp_path) -> None:
    path = tmp_path / "group.json.zst"
    path.write_bytes(b"\x28\xb5\x2f\xfd")
    monkeypatch.setitem(sys.modules, "zstandard", None)
    status, _, err = run("plan", path)
    assert status == 2
    assert err.startswith(f"equilag: {path}: zstd data needs the package zstandard")
    assert err.count("\n") == 1
