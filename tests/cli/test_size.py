"""`equilag size` on the command line."""

from __future__ import annotations

import pytest


def test_json(document, write) -> None:
    found = document("size", write(), "--capacity", "*=10", "--catch-up", "1m")
    assert found["format"] == "equilag/size/1"
    assert found["catch_up_s"] == 60
    sizes = [row["size"] for row in found["rows"]]
    assert sizes == list(range(1, len(sizes) + 1))


def test_text_and_ranges(run, document, write) -> None:
    status, out, err = run("size", write(), "--members", "2..3", "--deterministic")
    assert (status, err) == (0, "")
    assert out.startswith("Now: the heaviest of ")
    assert [row["size"] for row in document("size", write(), "--members", "2")["rows"]] == [2]


@pytest.mark.parametrize(
    ("argv", "problem"),
    [
        (["--threads", "0"], "--threads: 0 is not a whole number from 1 to 1,000"),
        (["--catch-up", "10m"], "--catch-up: needs to know what members can process"),
        (["--max-moves", "1"], "--max-moves: in a group of another size all"),
        (["--rack-aware"], "--rack-aware: the racks of new members are not known"),
    ],
)
def test_wrong_options(refused, write, argv, problem) -> None:
    assert refused("size", write(), *argv).startswith(problem)
