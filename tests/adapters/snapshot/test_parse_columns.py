"""Long lists read in bulk: the same group, or the same error, as one number at a time."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.groups import columns

from equilag.adapters.parse_json import NULL, Numbers, parse_columns, parse_json
from equilag.adapters.snapshot import read_input as snapshot_json
from equilag.adapters.snapshot.read_input import load_snapshot
from equilag.domain.errors import InputError

SIZE = 24
LONG = list(range(100, 100 + SIZE))

BASE: dict[str, Any] = {
    "format": "equilag/snapshot/1",
    "group": "g",
    "topics": {"a": SIZE, "b": SIZE, "c": 2},
    "members": [
        {"id": "m2", "subscription": ["a", "b"], "owned": {"a": [*range(SIZE)], "b": [3, 1]}},
        {"id": "m1", "subscription": ["b"], "owned": {"b": [], "c": [0], "a": [7] * 9}},
    ],
    "lags": {"a": LONG, "c": [1, 2]},
    "offsets": {
        "b": {"log_start": [0] * SIZE, "log_end": LONG, "committed": [None, *LONG[1:]]},
        "c": {"log_start": [0, 0], "log_end": [5, 5], "committed": [None, 2]},
    },
}
TEXTS = [
    json.dumps(BASE),
    json.dumps(BASE, separators=(",", ":")),
    json.dumps(BASE, indent=1),
    json.dumps(BASE, indent="\t").replace("\n", "\r\n").replace(",", " ,"),
]
ODD = json.dumps(BASE | {"topics": {"a": SIZE, "b": SIZE, str(LONG): 1, "c": 2}})


def outcome(text: str, bulk: bool) -> list[object]:
    """Every field of the group, or what is wrong and where."""
    with pytest.MonkeyPatch.context() as patch:
        if not bulk:
            patch.setattr(snapshot_json, "parse_columns", lambda _: None)
        try:
            group = load_snapshot(io.StringIO(text))
        except InputError as error:
            return [error.place, error.problem]
    return list(columns(group).values())


def as_lists(value: object) -> object:
    """JSON with Numbers as the lists they were."""
    if isinstance(value, Numbers):
        return [None if number == NULL else number for number in value.tolist()]
    if isinstance(value, dict):
        return {key: as_lists(inner) for key, inner in value.items()}
    return [as_lists(inner) for inner in value] if isinstance(value, list) else value


@pytest.mark.parametrize("text", TEXTS, ids=["default", "compact", "lines", "tabs"])
def test_however_it_is_laid_out(text: str) -> None:
    value: Any = parse_columns(text)
    assert isinstance(value["lags"]["a"], Numbers)
    assert as_lists(value) == parse_json(text)
    assert outcome(text, True) == outcome(text, False) == outcome(TEXTS[0], False)
    assert len(outcome(text, True)) > 2


ODD_ENDS = [
    *("", "01", "00", "1 2", "1,,2", ",", "1,", " ", "1000000000000000000", "9" * 30, "5 6", "n"),
    *("null1", "nullnull", "null null", "1null", "nul", "nnull", "null0", "u", "0 null"),
    *("01, ,5", " ,01", " ,2 3", "2 3, ", "1, ,2", " ,1", "\n", "0 ,00 ", "1 2,01", "1,,0 3"),
]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[1, 2]",
        ODD,
        '{"x[LONG]": 1, "lags": NaN}',
        '{"x[LONG]": 1, "NaN": [LONG]}',
        '{"x": [LONG], "y": -Infinity, "z": NaN}',
        '{"x": [LONG], "x": 1}',
        "{[LONG]: 1}",
        '{"x": [LONG]',
        *(f'{{"x": [LONG,{end}], "y": [LONG]}}' for end in ODD_ENDS),
        *(f'{{"x": [LONG], "y": [LONG,{end}]}}' for end in ODD_ENDS),
    ],
)
def test_left_to_the_plain_way(text: str) -> None:
    assert parse_columns(text.replace("LONG", str(LONG)[1:-1])) is None


@pytest.mark.parametrize("number", [0, 9, 10, 10**17, 10**18 - 1])
def test_every_number_of_digits(number: int) -> None:
    value = [number, *(10**power for power in range(18)), None, number]
    assert as_lists(parse_columns(json.dumps(value))) == value


@given(
    text=st.sampled_from([*TEXTS[:3], ODD]),
    spot=st.integers(0, 2000),
    junk=st.text(alphabet='0123456789,[] \n\tnul-.e"{}:NaN', max_size=3),
    cut=st.integers(0, 3),
)
def test_junk_in_the_text(text: str, spot: int, junk: str, cut: int) -> None:
    broken = text[:spot] + junk + text[spot + cut :]
    assert outcome(broken, True) == outcome(broken, False)


CELLS = st.one_of(
    st.integers(0, 15),
    st.sampled_from([10**9, 2**53, 10**18 - 1, 10**18, 2**63 - 1, 2**63, -1, None, True, 1.0, "1"]),
)
ROWS = st.one_of(
    st.just(LONG), st.just([*range(SIZE)]), st.lists(st.integers(0, 15)), st.lists(CELLS)
)


@given(data=st.data())
def test_any_rows(data: st.DataObject) -> None:
    snapshot = json.loads(TEXTS[0])
    for spot in (
        *(member["owned"] for member in snapshot["members"]),
        snapshot["lags"],
        snapshot["offsets"]["b"],
    ):
        key = data.draw(st.sampled_from([*spot, None]))
        if key is not None:
            spot[key] = data.draw(ROWS)
    text = json.dumps(snapshot)
    assert outcome(text, True) == outcome(text, False)
    if data.draw(st.booleans()):
        snapshot["members"][0]["subscription"] = data.draw(ROWS)
        snapshot["racks"] = {"a": data.draw(ROWS)}
        key = data.draw(st.sampled_from([*snapshot]))
        if key != "racks":
            snapshot[key] = data.draw(ROWS)
        text = json.dumps(snapshot)
        assert outcome(text, True) == outcome(text, False)
