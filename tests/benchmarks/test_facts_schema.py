"""Schemas of facts: names, types and texts of fields as `facts_json` writes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import pytest
from jsonschema import Draft202012Validator

from benchmarks.schemas.facts_schema import definitions_of
from equilag.report.facts.facts_json import NOT_IN_JSON, facts_json

if TYPE_CHECKING:
    from fractions import Fraction


class Spot(NamedTuple):
    topic: str
    partition: int
    """Its number."""


@dataclass(frozen=True)
class Own:
    """Writes itself."""

    def to_dict(self) -> dict[str, Any]:
        return {"own": 1}


@dataclass(frozen=True)
class Inner:
    """What is inside.

    And more about it."""

    load: float
    spots: tuple[Spot, ...] = ()
    pair: tuple[str, int] = ("a", 1)


@dataclass(frozen=True)
class Example:
    kind: ClassVar[str] = "example"

    name: str
    """Of the group;
    of one line here."""
    how: Literal["checked", "solver"]
    inner: Inner | None
    own: Own
    counts: Mapping[str, int]
    rows: Sequence[float | None]
    source: object = field(default=None, metadata=NOT_IN_JSON)
    either: Spot | str = "x"

    @property
    def size(self) -> int:
        return 0

    @property
    def is_even(self) -> bool:
        """True if there is nothing to do."""
        return self.inner is None


@dataclass(frozen=True)
class Unknown:
    share: Fraction


EXAMPLE = Example("g", "checked", Inner(1.5, (Spot("t", 3),)), Own(), {"a": 1}, [1.0, None])


def valid(document: Any) -> bool:
    made = definitions_of(Example)
    schema = {"$ref": "#/$defs/Example", "$defs": made}
    return bool(Draft202012Validator(schema).is_valid(document))


def test_a_schema_has_the_names_and_texts_of_the_facts() -> None:
    made = definitions_of(Example)
    assert set(made) == {"Example", "Inner", "Spot"}
    assert made["Inner"]["description"] == "What is inside."
    assert "description" not in made["Example"]
    fields = made["Example"]["properties"]
    assert set(fields) == set(facts_json(EXAMPLE))
    assert fields["name"] == {"description": "Of the group; of one line here.", "type": "string"}
    assert fields["is_even"]["description"] == "True if there is nothing to do."
    assert fields["how"] == {"enum": ["checked", "solver"]}
    assert fields["rows"] == {"type": "array", "items": {"type": ["number", "null"]}}
    assert fields["own"] == {}
    assert made["Spot"]["properties"]["partition"]["description"] == "Its number."


def test_facts_are_valid_and_other_types_are_not() -> None:
    document = facts_json(EXAMPLE)
    assert valid(document)
    for name, value in (
        ("name", 1), ("how", "guessed"), ("inner", "x"), ("counts", {"a": "b"}), ("rows", [True]),
        ("is_even", None), ("either", 5),
    ):  # fmt: skip
        assert not valid({**document, name: value}), name
    assert not valid({**document, "inner": {**document["inner"], "pair": ["a", 1, 2]}})
    for name in document:
        assert not valid({key: value for key, value in document.items() if key != name})


def test_what_is_no_fact_is_an_error() -> None:
    with pytest.raises(TypeError, match="Fraction'> is no fact"):
        definitions_of(Unknown)
