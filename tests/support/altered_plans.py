"""A plan's JSON, altered at one place at a time, and whether `verify` accepts it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any

from support.json_schemas import places, replaced, value_at

import equilag
from equilag.domain.errors import InputError
from equilag.domain.group.group import Group
from equilag.domain.plan.plan import Plan

Json = dict[str, Any]


def document(plan: Plan) -> Json:
    """As from a file, without the verdict, which is not checked."""
    return json.loads(json.dumps({k: v for k, v in plan.to_dict().items() if k != "verdict"}))


def accepted(group: Group, altered: Json) -> bool:
    try:
        return not equilag.verify(group, altered)
    except InputError:
        return False


def variants(value: Any) -> Iterator[tuple[str, Any]]:
    """Everything that one value is changed to, with a name for the change."""
    if isinstance(value, bool):
        yield "flipped", not value
    elif isinstance(value, (int, float)):
        step = 1 if isinstance(value, int) else 1 + abs(value) / 1000
        yield "raised", value + step
        yield "lowered", value - step
        yield "as text", str(value)
        yield "as a truth value", bool(value)
    elif value is None:
        yield "given", 0
    elif isinstance(value, str):
        yield "changed", value + "x"
        yield "emptied", ""
    elif isinstance(value, list):
        yield "added to", [*value, value[-1] if value else 0]
        for i in range(len(value)):
            yield f"without {i}", value[:i] + value[i + 1 :]
            yield f"with {i} twice", value[: i + 1] + value[i:]
        if len(value) > 1 and value[0] != value[-1]:
            yield "in another order", value[::-1]
        yield "a table", {}
    else:
        yield "with another key", {**value, "another": 0}
        for key in value:
            yield f"without {key}", {k: v for k, v in value.items() if k != key}
        yield "a list", []
    if value is not None:
        yield "nothing", None


def alterations(
    plan: Json, first: int = 0, every: int = 1
) -> Iterator[tuple[str, tuple[Any, ...], Json]]:
    """The change, the place, and the altered plan: one alteration of `every`, from `first` on."""
    changes = (
        (path, *change) for path in places(plan) for change in variants(value_at(plan, path))
    )
    for path, word, other in islice(changes, first, None, every):
        yield word, path, replaced(plan, path, other)
