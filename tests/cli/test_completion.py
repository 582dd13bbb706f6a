"""Completion scripts, run by the shells that they are for."""

from __future__ import annotations

import os
import pty
import select
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

ASK_BASH: Final = """
source "$1"; shift
complete -p equilag >/dev/null || exit 1
COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 ))
_shtab_equilag equilag "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"
printf '%s\\n' "${COMPREPLY[@]}"
"""
PATIENCE_S: Final = 10.0
"""For a shell on a busy machine to answer a key."""

Ask = Callable[..., set[str]]


def needed(shell: str) -> str:
    """The shell's path, or a skip with the reason."""
    path = shutil.which(shell)
    if path is None:
        pytest.skip(f"{shell} is not installed")
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """With a file and a directory to be completed."""
    (tmp_path / "snap.json").write_text("{}")
    (tmp_path / "run-1").mkdir()
    return tmp_path


@pytest.fixture
def bash(run, folder: Path) -> Ask:
    shell = needed("bash")
    script = folder / "completion.bash"
    script.write_text(run("completion", "bash").out)

    def ask(*words: str) -> set[str]:
        command = [shell, "--norc", "-c", ASK_BASH, "bash", script, "equilag", *words]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
        assert not done.stderr
        return {*done.stdout.split()}

    return ask


def test_bash_completes_commands_options_values_and_files(bash: Ask) -> None:
    assert bash("p") == {"plan"}
    limits = {"--max-moves", "--max-move-weight", "--max-partitions", "--max-cross-rack"}
    assert bash("plan", "--max") == limits
    assert bash("plan", "x", "--policy", "s") == {"sticky-yet-fair"}
    assert {"range", "sticky", "lag-aware"} <= bash("assign", "x", "--assignor", "")
    assert bash("groups", "--auto-offset-reset", "ea") == {"earliest"}
    assert bash("plan", "--output", "") == {"text", "json"}
    assert bash("plan", "sn") == {"snap.json"}
    assert bash("plan", "--policy", "kip-169", "sn") == {"snap.json"}
    assert bash("fleet", "s") == {"show"}
    assert bash("fleet", "show", "r") == {"run-1"}
    assert bash("fleet", "show", "sn") == set()  # a file is no directory


def test_fish_completes_options_and_values(run, folder: Path) -> None:
    shell = needed("fish")
    script = folder / "equilag.fish"
    script.write_text(run("completion", "fish").out)

    def ask(line: str) -> set[str]:
        command = [shell, "--no-config", "-c", f"source {script}; complete -C '{line}'"]
        home = {**os.environ, "HOME": str(folder)}
        done = subprocess.run(
            command, cwd=folder, env=home, capture_output=True, text=True, check=True
        )
        return {answer.split("\t")[0] for answer in done.stdout.splitlines()}

    assert ask("equilag pl") == {"plan"}
    assert {"--max-moves", "--max-partitions"} <= ask("equilag plan --max")
    assert ask("equilag plan x --policy kip") == {"kip-169"}
    assert "snap.json" in ask("equilag plan sn")


def test_zsh_completes_options_and_values(run, folder: Path) -> None:
    shell = needed("zsh")
    (folder / "_equilag").write_text(run("completion", "zsh").out)
    (folder / ".zshrc").write_text(
        "PS1='ready> '; fpath=($ZDOTDIR $fpath); autoload -Uz compinit; compinit -u -D\n"
        "unsetopt beep; setopt no_always_last_prompt\n"
    )

    def ask(line: str, expected: str) -> None:
        """Type the line and Tab, as a user does."""
        process, terminal = pty.fork()
        if not process:
            os.chdir(folder)
            os.environ.update(ZDOTDIR=str(folder), TERM="dumb", COLUMNS="200")
            os.execv(shell, [shell, "-i"])
        try:
            shown = typed(terminal, "", "ready> ") + typed(terminal, f"{line}\t", expected)
            assert expected in shown
        finally:
            os.close(terminal)
            os.waitpid(process, 0)

    ask("equilag pl", "equilag plan")
    ask("equilag plan --max-mo", "--max-moves")
    ask("equilag plan x --policy kip", "kip-169")
    ask("equilag plan sn", "snap.json")


def typed(terminal: int, keys: str, expected: str) -> str:
    """What the terminal shows after the keys, until it shows what is expected."""
    os.write(terminal, keys.encode())
    shown, end = "", time.monotonic() + PATIENCE_S
    while expected not in shown and time.monotonic() < end:
        if select.select([terminal], [], [], 0.1)[0]:
            shown += os.read(terminal, 65536).decode("utf-8", "replace")
    return shown
