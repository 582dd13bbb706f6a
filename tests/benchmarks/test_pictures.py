"""The picture of the README: what it shows is what the plan says, and the README's text of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.paths import CHECKOUT

import equilag
from benchmarks.pictures.draw import EFFORT, SAMPLE, TIME_LIMIT, main
from benchmarks.pictures.group_picture import DARK, LIGHT, alternative_text, group_picture


def test_the_pictures_of_the_readme_are_those_of_a_run_now(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--out", str(tmp_path)]) == 0
    text = capsys.readouterr().out.strip()
    assert f'alt="{text}"' in (CHECKOUT / "README.md").read_text("utf-8")
    for name in ("token-indexer-light.svg", "token-indexer-dark.svg"):
        kept = (CHECKOUT / "docs/pictures" / name).read_text("utf-8")
        assert (tmp_path / name).read_text("utf-8") == kept, "make pictures draws it anew"


def test_a_picture_has_the_lag_of_every_member() -> None:
    group = equilag.load_snapshot(SAMPLE)
    plan = equilag.solve(group, effort=EFFORT, time_limit=TIME_LIMIT)
    light, dark = (group_picture(group, plan, palette).decode() for palette in (LIGHT, DARK))
    for lag in plan.to_dict()["lag"]["by_member"].values():
        assert f">{lag:,}<" in light
    assert "of 48 partitions moved" in light
    assert LIGHT.paper in light
    assert DARK.paper in dark
    assert "61,979 to 62,584 records" in alternative_text(group, plan)
