"""Facts as JSON: the fields of dataclasses and named tuples, and their properties, by name."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, Final

NOT_IN_JSON: Final = {"json": False}
"""Metadata of a field that holds the result itself, from which the facts were made."""
OF_PROTOCOL: Final = frozenset({"kind", "size"})
"""Properties that every report's facts have for outputs alone."""


def facts_json(facts: Any) -> Any:
    """JSON of facts, with names as they are. An object with `to_dict` decides for itself; a figure
    that is no finite number becomes null."""
    if facts is None or isinstance(facts, (str, bool, int)):
        return facts
    if isinstance(facts, float):
        return facts if math.isfinite(facts) else None
    if hasattr(facts, "to_dict"):
        return facts_json(facts.to_dict())
    if is_dataclass(facts) or hasattr(facts, "_fields"):
        return {name: facts_json(value) for name, value in _named(facts)}
    if isinstance(facts, Mapping):
        return {str(key): facts_json(value) for key, value in facts.items()}
    if isinstance(facts, Sequence):
        return [facts_json(value) for value in facts]
    raise TypeError(f"{type(facts).__name__} is no fact")


def _named(facts: Any) -> Iterator[tuple[str, Any]]:
    if is_dataclass(facts):
        hidden = {field.name for field in fields(facts) if not field.metadata.get("json", True)}
        names = [field.name for field in fields(facts)]
    else:
        hidden, names = set(), list(facts._fields)
    cls = type(facts)
    properties = (name for name in vars(cls) if isinstance(vars(cls)[name], property))
    for name in (*names, *properties):
        if name not in hidden | OF_PROTOCOL and not name.startswith("_"):
            yield name, getattr(facts, name)
