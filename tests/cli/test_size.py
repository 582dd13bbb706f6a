"""`equilag size` on the command line."""

from __future__ import annotations

import json

import pytest

SLOW = "samples/slow-member.snapshot.json"


def test_json(run, write) -> None:
    status, out, err = run("size", write(), "--json", "--capacity", "*=10", "--catch-up", "1m")
    assert (status, err) == (0, "")
    document = json.loads(out)
    assert document["format"] == "equilag/size/1"
    assert document["catch_up_s"] == 60
    sizes = [row["size"] for row in document["rows"]]
    assert sizes == list(range(1, len(sizes) + 1))


def test_text_and_ranges(run, write) -> None:
    status, out, err = run("size", write(), "--members", "2..3", "--deterministic")
    assert (status, err) == (0, "")
    assert out.startswith("Now: the heaviest of ")
    status, out, _ = run("size", write(), "--members", "2", "--json")
    assert [row["size"] for row in json.loads(out)["rows"]] == [2]


@pytest.mark.parametrize(
    ("argv", "problem"),
    [
        (["--members", "0..2"], "--members: '0..2' is not a range such as 4..12"),
        (["--members", "4..2"], "--members: '4..2' is not a range such as 4..12"),
        (["--threads", "0"], "--threads: 0 is not a whole number from 1 to 1,000"),
        (["--catch-up", "10"], "--catch-up: '10' is not a duration"),
        (["--catch-up", "10m"], "--catch-up: needs to know what members can process"),
        (
            ["--max-moves", "1"],
            "--max-moves: in a group of another size all",
        ),
        (["--rack-aware"], "--rack-aware: the racks of new members are not known"),
    ],
)
def test_wrong_options(run, write, argv, problem) -> None:
    status, out, err = run("size", write(), *argv)
    assert (status, out) == (2, "")
    assert err.startswith(f"equilag: {problem}")
