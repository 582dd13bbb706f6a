"""Results as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import pytest

from equilag.domain.document import to_document
from equilag.domain.policy.policy import Policy


class Row(NamedTuple):
    kind: str
    load: float


@dataclass(frozen=True, slots=True)
class Page:
    rows: tuple[Row, ...]
    by_name: dict[str, float | None]

    @property
    def heaviest(self) -> str:
        return max(self.rows, key=lambda row: row.load).kind


def test_fields_and_properties_by_name() -> None:
    page = Page((Row("a", 1.5), Row("b", float("inf"))), {"a": None, "b": float("nan")})
    assert to_document(page) == {
        "rows": [{"kind": "a", "load": 1.5}, {"kind": "b", "load": None}],
        "by_name": {"a": None, "b": None},
        "heaviest": "b",
    }


def test_what_has_a_document_of_its_own() -> None:
    assert to_document([Policy()]) == [Policy().to_dict()]


def test_what_is_no_fact() -> None:
    with pytest.raises(TypeError, match="object has no JSON"):
        to_document({"a": object()})
