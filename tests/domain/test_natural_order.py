"""Names in the order that people expect."""

from __future__ import annotations

from equilag.domain.figures import natural_key


def test_numbers_in_names_order_by_their_value() -> None:
    names = ["worker-10", "worker-2", "worker-1", "w", "10", "9", "a1b10", "a1b9", ""]
    assert sorted(names, key=natural_key) == [
        "", "9", "10", "a1b9", "a1b10", "w", "worker-1", "worker-2", "worker-10",
    ]  # fmt: skip


def test_names_that_differ_have_an_order() -> None:
    assert sorted(["a1", "a01", "a001"], key=natural_key) == ["a001", "a01", "a1"]
    assert natural_key("9" * 5000) < natural_key("1" + "0" * 5000)
