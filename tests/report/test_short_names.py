"""Long names cut so that they fit, and still differ."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from equilag.domain.figures import printable
from equilag.report.short_names import member_names, name_shortener

UUIDS = [f"{i}9d00e9f-e0e0-4613-9bc2-97cee50c653a" for i in range(10)]
WORDS = st.lists(st.sampled_from(["prod", "worker", "1", "2", "10", "-", "/", "订单", "x" * 30]))
NAMES = st.lists(
    st.one_of(st.text(max_size=60), WORDS.map("".join), WORDS.map("-".join)),
    unique=True,
    max_size=20,
)


@given(NAMES, st.integers(8, 40))
def test_short_names_fit_and_differ_wherever_the_names_do(names, room) -> None:
    for dots in ("…", "..."):
        short = member_names(names, room, dots)
        assert [*short] == names
        assert len(set(short.values())) == len({printable(name) for name in names})
        assert all(cell_len(name) <= room for name in short.values())


def workers(room: int, front: str = "payments-consumer-prod-eu-west-1") -> list[str]:
    ids = [f"{front}-worker-{i}-{UUIDS[i % 10]}" for i in (1, 2, 10, 17)]
    return [*member_names(ids, room).values()]


def test_what_names_share_is_cut_before_what_tells_them_apart() -> None:
    assert workers(50)[3] == "payments-consumer-prod-eu-west-1-worker-17-79d0…"
    assert workers(20) == [
        "payments-…-1-…-1…", "payments-…-1-…-2…", "payments-…-1-…-10…", "payments-…-1-…-17…",
    ]  # fmt: skip
    assert workers(9)[2:] == ["paym…-10…", "paym…-17…"]


def test_a_uuid_in_the_middle_is_left_out_if_the_rest_differs() -> None:
    uuids = ["a03f91c2-7d1e-4b52-8c33-5e0f6d7a8b9c", "e47b08d5-2c6a-49f1-b0e8-913d5c6f7a20"]
    ids = [f"consumer-orders-{i}-{uuids[i - 1]}/10.2.3.{i}" for i in (1, 2)]
    assert [*member_names(ids, 28).values()] == [
        "consumer-orders-1…/10.2.3.1", "consumer-orders-2…/10.2.3.2"
    ]  # fmt: skip


def test_prose_has_the_short_names_of_the_tables() -> None:
    ids = [f"payments-consumer-prod-eu-west-1-worker-{i}-{UUIDS[i]}" for i in (1, 2)]
    names = member_names([*ids, "edge-1"], 20)
    text = f"{ids[1]} and edge-1 relieve {ids[0]}"
    assert name_shortener(names)(text) == f"{names[ids[1]]} and edge-1 relieve {names[ids[0]]}"
    assert name_shortener({})(text) == text
