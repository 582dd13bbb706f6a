"""Completion scripts, run by the shells that they are for."""

from __future__ import annotations

import shutil
import subprocess
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


def test_zsh_offers_an_option_again_that_can_be_repeated(run) -> None:
    lines = run("completion", "zsh").out.splitlines()
    found = {line.split("[")[0].strip() for line in lines if "--capacity[" in line}
    assert found == {'"*--capacity'}
    assert not [line for line in lines if '"*--max-moves[' in line]
