"""Durations as people write them."""

from __future__ import annotations

import argparse

import pytest

from equilag.cli.arguments.converters import duration


def test_numbers_with_units() -> None:
    assert [*map(duration, ("30s", "5m", "1.5h", "7d"))] == [30, 300, 5400, 604_800]
    assert [*map(duration, ("4 m 50 s", "1h30m", " 2m "))] == [290, 5400, 120]


def test_anything_else_is_refused() -> None:
    for text in ("", "30", "s", "0s", "-1s", "1h 30", "5 minutes", "1s1s1s1s1s", "20000d"):
        with pytest.raises(argparse.ArgumentTypeError, match="is not a duration such as 30s"):
            duration(text)
