"""Blocks as a template shows them: bars, charts, flows and cells."""

from __future__ import annotations

from itertools import pairwise

import pytest

from equilag.planner.facts.moves import FlowFacts
from equilag.report import report_blocks as b
from equilag.report.charts import scales_of
from equilag.report.page.block_views import MAX_STRIPS, STATIC_ROWS, Views
from equilag.report.page.chart_view import MAX_FLOWS

VIEWS = Views({"indexer-1-8f": "indexer-1…"})


def test_a_member_has_its_short_name_with_the_full_one() -> None:
    assert VIEWS.label("<b>") == "<bdi>&lt;b&gt;</bdi>"
    assert VIEWS.label("indexer-1-8f") == '<bdi title="indexer-1-8f">indexer-1…</bdi>'
    assert "\u202e" not in VIEWS.label("a\u202eb")
    assert VIEWS.prose("relieves indexer-1-8f") == "relieves indexer-1…"


def test_cells_have_words_and_the_value_that_they_are_sorted_by() -> None:
    columns = (
        b.Column("member", "member"), b.Column("lag"), b.Column("kind", "text", filters=True),
        b.Column("", "bar", parts=b.BarParts(("a", "b"), mark=5.0, least=20.0)),
    )  # fmt: skip
    rows = tuple((f"m{n}", None if n == 1 else 1000.5 + n, "xy"[n % 2], (n, 5)) for n in range(6))
    view = VIEWS.view(b.Table(columns, rows * 50))
    first, second = view["rows"][:2]
    assert [cell["words"] for cell in first] == ["<bdi>m0</bdi>", "1,000", "x", ""]
    assert [cell["key"] for cell in first] == [None, 1000.5, None, None]
    assert (second[1]["words"], second[1]["key"]) == ("-", None)
    assert first[3]["bar"] == {"parts": [0.0, 25.0], "mark": 25.0, "is_whole": False}
    assert (len(view["rows"]), view["size"]) == (STATIC_ROWS, 300)
    assert view["filters"] == [("x", 150), ("y", 150)]
    assert view["columns"][3]["parts"] == ("a", "b")


def test_partitions_that_are_too_thin_are_drawn_as_one() -> None:
    many = (b.Part(1000.0, "stays", "big"), *[b.Part(1.0, "leaves", "small")] * 40)
    strips = (b.Strip("a", many, ()), b.Strip("b", (b.Part(520.0, "stays hot", "hot"),), many))
    table = b.Table((b.Column("member", "member"),), (("a",), ("b",)))
    view = VIEWS.view(b.Bars(table, strips, fair=520.0, unit="records"))
    now = view["strips"][0]["sides"][0]
    assert [part["words"] for part in now["parts"]] == ["big", "40 smaller partitions"]
    assert sum(part["width"] for part in now["parts"]) == pytest.approx(100, abs=0.1)
    assert (view["fair"], view["has_hot"], now["amount"]) == (50.0, True, "1,040")
    few = VIEWS.view(b.Bars(table, strips[:1] * (MAX_STRIPS + 9)))
    assert (len(few["strips"]), few["left_out"]) == (MAX_STRIPS, 9)


def chart(*ys: float | None, form: str = "number", style: str = "line", **more: object) -> b.Chart:
    points = tuple(b.ChartPoint(float(x), y) for x, y in enumerate(ys))
    series = (b.Series("now", points, style),)  # type: ignore[arg-type]
    return b.Chart("Lag", b.Axis("t", form), b.Axis("records"), series, **more)  # type: ignore[arg-type]


def test_a_line_is_a_path_with_gaps_where_nothing_is_known() -> None:
    view = VIEWS.view(chart(0.0, 50.0, None, 100.0))
    (line,) = view["series"]
    assert line["path"] == "M0.0 100.0L33.33 50.0M100.0 0.0"
    assert [hint[2] for hint in view["hints"]] == [
        "now: 0 records", "now: 50 records", "now: -", "now: 100 records",
    ]  # fmt: skip
    steps = VIEWS.view(chart(100.0, 50.0, style="step"))["series"][0]
    assert steps["path"] == "M0.0 0.0H100.0V50.0"
    assert [dot[:2] for dot in steps["dots"]] == [(0.0, 0.0), (100.0, 50.0)]
    assert VIEWS.view(chart())["series"] == []


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (chart(0.0, 2e6), ["0", "500k", "1M", "1.5M", "2M"]),
        (chart(1_898_334.0, 1_898_338.0, from_zero=False), [
            "1,898,334", "1,898,335", "1,898,336", "1,898,337", "1,898,338",
        ]),
        (chart(0.0, 0.4), ["0", "0.1", "0.2", "0.3", "0.4"]),
        (chart(5.0, 5.0), ["0", "1", "2", "3", "4", "5"]),
    ],
)  # fmt: skip
def test_ticks_of_an_axis_are_round_and_differ(made: b.Chart, words: list[str]) -> None:
    scales = scales_of(made)
    assert [tick.words for tick in scales[1].ticks] == words


@pytest.mark.parametrize(
    ("form", "span", "words"),
    [("seconds", 600, "2 min"), ("seconds", 36_000, "2 h"), ("clock", 3600, "00:10")],
)
def test_ticks_of_times_are_those_that_people_count_in(form: str, span: int, words: str) -> None:
    scales = scales_of(chart(*[1.0] * span, form=form))
    assert scales[0].ticks[1].words == words


def test_flows_are_wide_enough_to_be_seen_and_do_not_overlap() -> None:
    rows = tuple(FlowFacts(f"a{n % 3}", f"b{n % 4}", n, 10 ** (30 - n)) for n in range(25))
    view = VIEWS.view(b.Flows(rows))
    assert [*view["pictures"]] == ["records", "partitions"]
    assert len(view["pictures"]["records"]["ribbons"]) == MAX_FLOWS
    assert view["rest"].startswith("5 smaller flows are left out: 110 partitions, ")
    for side in ("left", "right"):
        nodes = view["pictures"]["records"][side]
        ends = [(top, top + size) for top, size, _ in nodes]
        assert all(a[1] < after[0] for a, after in pairwise(ends))
        assert ends[-1][1] == pytest.approx(100, abs=0.1)
        assert min(size for _, size, _ in nodes) > 1
