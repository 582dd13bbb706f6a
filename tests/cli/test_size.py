"""`equilag size` on the command line."""

from __future__ import annotations


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
