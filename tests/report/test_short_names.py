"""Long names cut so that they fit, and still differ."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from equilag.report.text.short_names import abbreviate, fitted, labels, middle
from equilag.report.words import printable


@given(st.lists(st.text(max_size=60), unique=True, max_size=20), st.integers(8, 40))
def test_short_forms_differ_wherever_the_names_do(names, width) -> None:
    short = abbreviate(names, width)
    assert list(short) == names
    assert len(set(short.values())) == len({printable(name) for name in names})


def test_members_of_kafka_lose_most_of_their_uuid() -> None:
    tail = "4613-9bc2-97cee50c653a"
    assert abbreviate([f"c-1-e9d00e9f-e0e0-{tail}"], 40) == {
        f"c-1-e9d00e9f-e0e0-{tail}": "c-1-e9d0…"
    }
    alike = [f"c-e9d00e9f-e0e0-{tail}", f"c-e9d0ffff-e0e0-{tail}"]
    assert len(set(abbreviate(alike, 40).values())) == 2


@given(st.text(max_size=80), st.integers(4, 60))
def test_middle_keeps_front_and_width(text, width) -> None:
    cut = middle(text, width)
    assert len(cut) <= width
    assert cut == text or (cut[0] == text[0] and "…" in cut)


def test_fitted_counts_columns_not_characters() -> None:
    assert fitted("short", 8, "…") == "short"
    assert cell_len(fitted("注文注文注文", 8, "…")) <= 8
    assert cell_len(fitted("abcdefghijkl", 8, "…")) == 8


@given(st.lists(st.text(max_size=60), unique=True, max_size=20), st.integers(8, 40))
def test_labels_fit_their_room(names, room) -> None:
    found = labels([printable(name) for name in names], room)
    assert all(cell_len(label) <= room for label in found.values())


def test_labels_are_cut_where_the_names_do_not_differ() -> None:
    names = [f"{'team-payments.settlement-' * 3}{i}-of-the-north-eastern-region" for i in range(3)]
    assert len(set(labels(names, 20).values())) == 3
