"""The page of live groups."""

from __future__ import annotations

from dataclasses import replace

import pytest
from equilag.report.facts.live_groups import LiveGroupFacts, LiveGroupsFacts
from equilag.report.text.tables.pages import text_for
from rich.cells import cell_len

from equilag.report.terminal import Screen

GROUP = LiveGroupFacts("orders", "Stable", "classic", 3, 48, 12_345, 678, "c-1", 62.5, 0, [])
HUGE = replace(
    GROUP, group="team-" * 40, state="CompletingRebalance", kind="consumer", members=10**5,
    partitions=10**6, lag=2**52, lag_spread=2**52, worst_share_percent=99.99, unknown_lags=7,
)  # fmt: skip


def text_of(*groups: LiveGroupFacts, width: int = 100, plain: bool = False) -> str:
    return text_for(LiveGroupsFacts(groups, {}), Screen(width, ascii=plain))


def test_no_group() -> None:
    assert text_of().startswith("no groups: the cluster has none")


@pytest.mark.parametrize("width", [80, 100, 120])
@pytest.mark.parametrize("plain", [False, True])
def test_it_fits_the_screen(width: int, plain: bool) -> None:
    wide = replace(HUGE, group="\u6ce8\u6587" * 60)
    text = text_of(HUGE, wide, GROUP, width=width, plain=plain)
    assert max(map(cell_len, text.splitlines())) <= width
    assert "4.50P" in text  # a figure is never cut


def test_nothing_reaches_the_terminal_as_it_is() -> None:
    text = text_of(
        replace(GROUP, group="[red]x[/red]\x1b[2J", state="\x07"), replace(GROUP, group="")
    )
    assert "[red]x[/red]\\x1b[2J" in text
    assert "(a group without a name)" in text
    assert all(line.isprintable() for line in text.split("\n"))
