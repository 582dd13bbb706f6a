"""How each kind of block looks on a screen, and that no line of any report is wider than it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from support.orders_service import orders_group
from support.reports import agrees, text_of

from equilag.domain.figures import Change
from equilag.domain.group.group import Group
from equilag.planner.assign import assign
from equilag.planner.facts.moves import FlowFacts
from equilag.report import report_blocks as b
from equilag.report.reports.groups import GroupsReport, LiveGroupFacts
from equilag.report.reports.plan import PlanReport
from equilag.report.terminal import MIN_WIDTH

FOLDER: Final = Path(__file__).with_name("screens")
LONG: Final = "payments-consumer-prod-eu-west-1-worker-{}-a03f91c2-7d1e-4b52-8c33-5e0f6d7a8b9c"
NAMES: Final = tuple(LONG.format(n) for n in range(3))
SENTENCE: Final = f"{NAMES[0]} has 12 % more than the others and reads for 3 min 20 s. " * 2
MEMBERS: Final = b.Table(
    (
        b.Column("member", "member"), b.Column("lag"), b.Column("", "bar", optional=True),
        b.Column("speed used", "share", "of what it reads", optional=True),
        b.Column("reason", "text"),
    ),
    tuple(
        (name, Change(n * 1000, 700), (n * 1000.0,), 0.25, f"relieves {NAMES[0]}")
        for n, name in enumerate(NAMES)
    ),
)  # fmt: skip
LINE: Final = tuple(b.ChartPoint(n, 100.0 - n) for n in range(60))
BLOCKS: Final[tuple[b.Block, ...]] = (
    b.Headline("Move 2 partitions: heaviest 8 → 7", "act", "Worth it", (SENTENCE, "And more.")),
    b.Title("orders", ("3 members", "total lag 12")),
    b.Facts((b.Fact("moves", "3", "5", "of 9"), b.Fact("a label that is long", SENTENCE))),
    b.Breakdown((b.Share("rebalance", 12, "act", "a note"), b.Share("none", 0, "good"))),
    MEMBERS,
    b.Bars(MEMBERS),
    b.Flows((FlowFacts(NAMES[0], NAMES[1], 2, 1234), FlowFacts(NAMES[2], "2 members", 1, 5))),
    b.Chart("Lag", b.Axis("", "seconds"), b.Axis("records"), (b.Series("now", LINE),)),
    b.Notes((SENTENCE, "short")),
    b.Lines((SENTENCE,)),
    b.Commands((("Then:", f"equilag plan {NAMES[0]} --fresh --a-long-option"), (SENTENCE, ""))),
    b.Section("Title", (b.Notes(("inside",), "text"), MEMBERS, MEMBERS), ", and the rest"),
)


class Given(b.Report):
    """A report of given blocks."""

    kind = "plan"
    names = NAMES

    def __init__(self, *blocks: b.Block) -> None:
        self._blocks = blocks

    def parts(self) -> Iterator[b.Block]:
        yield from self._blocks


@pytest.mark.parametrize("block", BLOCKS, ids=lambda one: type(one).__name__)
def test_the_screen_of_a_block(block: b.Block) -> None:
    path = FOLDER / f"{type(block).__name__}.txt"
    agrees(path, "\n".join(text_of(Given(block), width) for width in (100, 60)))


def test_every_kind_of_block_has_a_screen() -> None:
    kinds = {one.__name__ for one in get_args(b.Block)}
    assert {type(one).__name__ for one in BLOCKS} == kinds == {p.stem for p in FOLDER.iterdir()}


def test_what_belongs_together_has_no_blank_line_between() -> None:
    shown = text_of(Given(*BLOCKS[:2], b.Notes(("note",)), b.Notes(("text",), "text")))
    assert "records\n" not in shown
    assert shown.endswith("\norders: 3 members, total lag 12\n  note\n\ntext\n")


def test_colours_are_those_of_tones() -> None:
    words = {
        tone: text_of(Given(b.Headline("A: b", tone)), colour=True) for tone in get_args(b.Tone)
    }
    assert words["bad"] == "\x1b[1;31mA:\x1b[0m b\n"
    assert words["good"] == "\x1b[1;32mA:\x1b[0m b\n"
    assert words["act"] == words["neutral"] == "\x1b[1mA:\x1b[0m b\n"


WIDTHS = st.integers(MIN_WIDTH, 200)
LONG_FRONT = "payments-consumer-prod-eu-west-1-worker"
FRONTS = st.sampled_from(["c", LONG_FRONT, "订单服务", "🚀", "a b", "x" * 90, "[red]", "[/]"])
LAGS = st.sampled_from([0, 1, 999, 10_000, 123_456_789, 2**52])


def widest(text: str) -> int:
    plain = re.sub("\x1b[^m]*m", "", text)
    return max(map(cell_len, plain.splitlines()), default=0)


@st.composite
def groups(draw: st.DrawFn) -> Group:
    fronts, n_members = draw(st.lists(FRONTS, min_size=1, max_size=3)), draw(st.integers(1, 60))
    ids = list(dict.fromkeys(f"{fronts[i % len(fronts)]}-{i}" for i in range(n_members)))
    topics = {f"{draw(FRONTS)}.{i}": draw(st.integers(0, 30)) for i in range(2)}
    lags = {topic: [draw(LAGS) for _ in range(size)] for topic, size in topics.items()}
    owned: list[dict[str, list[int]]] = [{} for _ in ids]
    if draw(st.booleans()):
        for topic, size in topics.items():
            for partition in range(size):
                owned[partition * 7 % len(ids)].setdefault(topic, []).append(partition)
    capacity = draw(st.sampled_from([None, 1000, 0.25]))
    idle = draw(st.integers(0, 2))
    members = [
        {"id": one, "subscription": ["none"] if i < idle else [*topics], "owned": held}
        | ({} if capacity is None else {"capacity": capacity + i})
        for i, (one, held) in enumerate(zip(ids, owned, strict=True))
    ]
    fields = {"members": members, "topics": topics, "lags": lags, "group": draw(FRONTS)}
    return orders_group(**fields)


@given(groups(), WIDTHS, st.booleans(), st.booleans(), st.booleans())
def test_a_plan_keeps_to_the_screen(
    group: Group, width: int, plain: bool, verbose: bool, colour: bool
) -> None:
    report = PlanReport(assign(group, "range"), verbose=verbose)
    text = text_of(report, width, ascii=plain, colour=colour)
    assert [line for line in text.splitlines() if widest(line) > width] == []
    assert text.isascii() or not plain
    assert not {"nan", "None"} & {*text.split()}


@given(st.lists(st.tuples(FRONTS, LAGS, st.booleans()), max_size=30), WIDTHS)
def test_a_list_of_groups_keeps_to_the_screen(rows: list[tuple[Any, ...]], width: int) -> None:
    found = tuple(
        LiveGroupFacts(
            f"{front}-{i}", "CompletingRebalance", "classic", lag, lag, lag, lag, "c", 99.99,
            int(unknown), [],
        )
        for i, (front, lag, unknown) in enumerate(rows)
    )  # fmt: skip
    assert widest(text_of(GroupsReport(found, {}), width)) <= width


def test_markup_in_a_name_is_a_name() -> None:
    topics = {"[red]orders[/red]": 2, "[/]": 1, ":smile:": 1}
    owner = {"id": "[link=x]b", "subscription": [*topics], "owned": {one: [0] for one in topics}}
    members = [{"id": "[bold]a\x1b[2J", "subscription": [*topics], "owned": {}}, owner]
    group = orders_group(group="[blink]g", topics=topics, lags={}, members=members)
    for colour in (False, True):
        text = text_of(PlanReport(assign(group, "range")), 300, colour=colour)
        assert "[blink]g" in text
        assert "[bold]a\\x1b[2J" in text
        assert "[red]orders[/red]" in text
