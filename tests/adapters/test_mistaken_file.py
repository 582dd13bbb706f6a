"""A file given in place of another one is recognised, and the right command is named."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from support.paths import SAMPLES

from equilag.adapters.mistaken_file import PLAN_KIND, mistaken_format
from equilag.adapters.snapshot.read_input import load_snapshot
from equilag.domain.errors import InputError

DESCRIBED = "the output of kafka-consumer-groups: use --from-describe, as in equilag snapshot"
REQUIRED = "a snapshot is required: equilag snapshot makes one"
TOOL_ERROR = "$ tool --describe\nError while executing consumer group command x\n"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ((SAMPLES / "stats.describe.txt").read_text("utf-8"), DESCRIBED),
        ((SAMPLES / "stats.members.txt").read_text("utf-8"), DESCRIBED),
        ("orders 0 10 25 15\n", DESCRIBED),
        ('{"format": "equilag/plan/1", "group": "g"}', "a plan; give it after the snapshot"),
        ('{"format": "equilag/size/1"}', "what equilag size --json prints; a snapshot is"),
        ("<!DOCTYPE html>\n<html>", f"an HTML page; {REQUIRED}"),
        ("<!-- saved -->\n<HTML lang=en>", f"an HTML page; {REQUIRED}"),
        ("", f"empty; {REQUIRED}"),
        (" \n", f"empty; {REQUIRED}"),
        ("what is this", f"not JSON; {REQUIRED}"),
        ("import os\n", f"not JSON; {REQUIRED}"),
        (TOOL_ERROR, DESCRIBED),
        ("7", "integer"),
        ('{"format": "equilag/odd/1"}', "is not"),
        ('{"format": 1}', "1 is an integer"),
        ("[" * 100_000, "nested too deeply"),
        ("{" * 100_000, "not valid JSON"),
    ],
)  # fmt: skip
def test_a_text_in_place_of_a_snapshot(text: str, problem: str) -> None:
    with pytest.raises(InputError) as caught:
        load_snapshot(io.StringIO(text))
    assert problem in caught.value.problem


def test_documents_say_what_they_are() -> None:
    assert mistaken_format("equilag/plan/2", PLAN_KIND) is None
    found = mistaken_format("equilag/snapshot/1", PLAN_KIND)
    assert found == "a snapshot; a plan is required: equilag plan --out makes one"


def problem_of(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        load_snapshot(path)
    assert caught.value.source == str(path)
    return caught.value.problem


def test_files_that_are_no_text(tmp_path: Path) -> None:
    table = tmp_path / "part-0.parquet"
    table.write_bytes(b"PAR1\x15\x04")
    assert problem_of(table).startswith("a Parquet file, not text; equilag fleet --history")
    assert problem_of(tmp_path) == "a directory, not a file"
    run = tmp_path / "run"
    run.mkdir()
    for name in ("summary.json", "_SUCCESS"):
        (run / name).touch()
    assert problem_of(run).startswith("the directory of a fleet run; equilag fleet show")
    for name in ("offsets", "members"):
        (tmp_path / name).mkdir()
    assert problem_of(tmp_path) == "the directory of a history; equilag fleet --history takes it"
