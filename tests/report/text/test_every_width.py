"""No line of any report is wider than the screen, and nothing is cut that tells names apart."""

from __future__ import annotations

from typing import Any

from equilag.report.facts.live_groups import LiveGroupFacts, LiveGroupsFacts
from equilag.report.facts.plans.plan import plan_facts
from equilag.report.text.tables.pages import text_for
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from support.orders_service import orders_group

from equilag.domain.group.group import Group
from equilag.planner.assign import assign
from equilag.report.terminal import MIN_WIDTH, Screen

WIDTHS = st.integers(MIN_WIDTH, 200)
FRONTS = st.sampled_from(
    ["c", "payments-consumer-prod-eu-west-1-worker", "订单服务", "🚀", "a b", "x" * 90, "[red]"]
)
LAGS = st.sampled_from([0, 1, 999, 10_000, 123_456_789, 2**52])


def widest(text: str) -> int:
    return max(map(cell_len, text.splitlines()))


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


@given(groups(), WIDTHS, st.booleans(), st.booleans())
def test_a_plan_keeps_to_the_screen(group: Group, width: int, plain: bool, verbose: bool) -> None:
    facts = plan_facts(assign(group, "range"), verbose=verbose)
    text = text_for(facts, Screen(width, ascii=plain, max_prose=120))
    assert widest(text) <= width
    assert "nan" not in text.split()
    assert "None" not in text.split()


@given(st.lists(st.tuples(FRONTS, LAGS, st.booleans()), max_size=30), WIDTHS)
@settings(max_examples=20)
def test_a_list_of_groups_keeps_to_the_screen(rows: list[tuple[Any, ...]], width: int) -> None:
    found = tuple(
        LiveGroupFacts(
            f"{front}-{i}", "Stable", "classic", lag, lag, lag, lag, "c", 99.99, int(unknown), []
        )
        for i, (front, lag, unknown) in enumerate(rows)
    )
    lines = text_for(LiveGroupsFacts(found, {}), Screen(width)).splitlines()
    assert max(map(cell_len, lines)) <= width
