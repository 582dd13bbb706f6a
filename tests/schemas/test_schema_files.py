"""The schemas themselves: valid, described, and one meaning for one name."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from support.json_schemas import NAMES, SCHEMAS, schema
from support.paths import CHECKOUT

from benchmarks.schemas.write_schemas import made_schemas

COMMANDS = {
    "plan", "comparison", "frontier", "verification", "size", "simulation", "snapshot", "groups",
    "collection", "fleet", "fleet-report", "fleet-export", "steward-status", "steward-history",
    "report", "explanation", "readiness", "config",
}  # fmt: skip


def objects(part: Any, path: str = "$") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every schema of an object with named fields, and where it stands."""
    if isinstance(part, list):
        for index, one in enumerate(part):
            yield from objects(one, f"{path}[{index}]")
    elif isinstance(part, dict):
        if isinstance(part.get("properties"), dict) and part.get("type") == "object":
            yield path, part
        for key, one in part.items():
            yield from objects(one, f"{path}.{key}")


def test_every_format_has_one() -> None:
    assert set(NAMES) >= COMMANDS


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_is_valid_and_says_what_it_is_about(name: str) -> None:
    found = schema(name)
    Draft202012Validator.check_schema(found)
    assert found["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert found["title"]
    assert found["properties"]["format"] == {"const": f"equilag/{name}/1"}
    text = (SCHEMAS / f"{name}.schema.json").read_text("utf-8")
    assert text == json.dumps(found, indent=1, ensure_ascii=False) + "\n"


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_figure_is_described(name: str) -> None:
    """What is made of facts is described there, where a name does not say it all."""
    found = schema(name)
    made = {part for part in found.get("$defs", {}) if part[0].isupper()}
    missing = [
        f"{path}.{field}"
        for path, part in objects({} if name in ("steward-history", "report") else found)
        if path.removeprefix("$.$defs.").partition(".")[0] not in made
        for field, one in part["properties"].items()
        if {"type", "enum"} & one.keys()
        and one.get("type") not in ("object", "array")
        and "description" not in one
    ]
    assert missing == []


def test_a_definition_means_the_same_in_all_schemas() -> None:
    seen: dict[str, Any] = {}
    for name in NAMES:
        for key, part in schema(name).get("$defs", {}).items():
            assert seen.setdefault(key, part) == part, (name, key)


def test_what_is_made_of_facts_is_as_make_schemas_writes_it() -> None:
    for name, text in made_schemas().items():
        assert (SCHEMAS / name).read_text("utf-8") == text, f"make schemas renews {name}"


def test_the_reference_links_every_schema() -> None:
    text = (CHECKOUT / "docs" / "reference-formats.md").read_text("utf-8")
    assert [name for name in NAMES if f"(schemas/{name}.schema.json)" not in text] == []
