"""Lists of capacities, topics and pins: from Python or from the texts of a command line.

Each function raises InputError at `place`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from equilag.domain.errors import InputError
from equilag.domain.group.member import capacity_problem
from equilag.domain.policy.setting import Entries, Whole
from equilag.domain.show import show
from equilag.domain.values import not_a

Capacities: TypeAlias = tuple[tuple[str, float], ...]
Limits: TypeAlias = tuple[tuple[str, int], ...]
TopicLists: TypeAlias = tuple[tuple[str, ...], ...]
Pins: TypeAlias = tuple[tuple[str, int, str], ...]

EVERY: Final = "*"
"""The pattern of a plain number, which is every member's."""
NO_LISTS: Final[TopicLists] = ((),)
"""No topics are co-partitioned, whatever the group says: one list, of nothing."""
NO_LISTS_TEXT: Final = "none"
"""The text for it, on a command line and in JSON."""

EXAMPLES: Final[Mapping[str, str]] = {
    "capacity": '{"c-*": 1000}', "co_partition": '[["orders", "payments"]]',
    "keep": '["orders"]', "max_partitions": '{"canary-*": 2}', "pin": '{("orders", 1): "c-1"}',
}  # fmt: skip
"""How a setting is written in Python."""

_PIN: Final = re.compile(r"(.+?)-([0-9]{1,18})=(.+)", re.DOTALL)
"""TOPIC-PARTITION=ID. The topic may have dashes; it ends before the first ``-NUMBER=``."""


def capacities_of(value: object, place: str) -> Capacities:
    """Patterns and capacities; of one that is given twice the last."""
    pairs = [_pair(entry, float, place) for entry in _entries(value, place)]
    return _by_pattern([(p, _capacity(n, p, place)) for p, n in pairs], place)


def limits_of(value: object, place: str) -> Limits:
    """Patterns and numbers of partitions; a number alone is every member's."""
    several = isinstance(value, (Mapping, list, tuple))
    pairs = []
    for entry in _entries(value, place) if several else [value]:
        paired = isinstance(entry, (list, tuple)) or (isinstance(entry, str) and "=" in entry)
        pattern, number = _pair(entry, int, place) if paired else (EVERY, _number(entry, int))
        pairs.append((pattern, Whole().check(number, place)))
    return _by_pattern(pairs, place)


def _by_pattern(pairs: Sequence[tuple[Any, Any]], place: str) -> tuple[tuple[str, Any], ...]:
    found: dict[str, Any] = {}
    for pattern, number in pairs:
        if not isinstance(pattern, str) or not pattern:
            raise InputError(f"{show(pattern)} is no member's id or pattern", place)
        found.pop(pattern, None)  # a later entry stands before an earlier
        found[pattern] = number
    return tuple(found.items())


def pattern_text(entry: tuple[str, float]) -> str:
    """``c-*=2``"""
    pattern, number = entry
    return f"{pattern}={repr(number).removesuffix('.0')}"


def _limits_json(limits: Limits) -> Any:
    """The number itself where it is every member's."""
    alone = [number for pattern, number in limits if pattern == EVERY]
    return alone[0] if len(limits) == len(alone) == 1 else [*map(pattern_text, limits)]


def _number(text: object, number: Callable[[str], float]) -> object:
    try:
        return number(text) if isinstance(text, str) else text
    except ValueError:
        return text


def _pair(entry: object, number: Callable[[str], float], place: str) -> tuple[object, object]:
    if isinstance(entry, str):
        pattern, equals, text = entry.rpartition("=")
        if not equals:
            raise InputError(f"{show(entry)} is not ID=N", place)
        return pattern, _number(text, number)
    if isinstance(entry, (list, tuple)) and len(entry) == 2:
        return entry[0], entry[1]
    raise _misshapen(entry, "ID=N", place)


def _capacity(value: object, pattern: object, place: str) -> float:
    problem: str | None = "not a finite number above 0"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        problem = capacity_problem(value)
        if problem is None:
            return float(value)
    raise InputError(f"the capacity of {show(pattern)} is {show(value)}, {problem}", place)


def topic_lists_of(value: object, place: str) -> TopicLists:
    """Lists of two or more topics; NO_LISTS for the word none."""
    if value == NO_LISTS or value in (NO_LISTS_TEXT, [NO_LISTS_TEXT]):
        return NO_LISTS
    found = []
    for entry in _listed(value, place):
        names = entry.split(",") if isinstance(entry, str) else entry
        topics = topics_of(names, place)
        if topics == (NO_LISTS_TEXT,):
            raise InputError(f"{NO_LISTS_TEXT} does not go with another value", place)
        if len(topics) < 2:
            raise InputError(f"{show(','.join(topics))} is not TOPIC1,TOPIC2", place)
        found.append(topics)
    return tuple(found)


def topics_of(value: object, place: str) -> tuple[str, ...]:
    """Names of topics, each once."""
    for topic in _listed(value, place):
        if not isinstance(topic, str) or not topic:
            raise InputError(f"{show(topic)} is no topic", place)
    return tuple(dict.fromkeys(_listed(value, place)))


def pins_of(value: object, place: str) -> Pins:
    """Topics, partitions and who may take them; each partition once."""
    found: dict[tuple[str, int], str] = {}
    for entry in _entries(value, place):
        topic, partition, name = _pin(entry, place)
        before = found.setdefault((topic, partition), name)
        if before != name:
            twice = f"{topic}-{partition} is pinned to {show(before)} and to {show(name)}"
            raise InputError(twice, place)
    return tuple((topic, partition, name) for (topic, partition), name in found.items())


def pin_text(pin: tuple[str, int, str]) -> str | list[Any]:
    """``orders-1=c-1``; a list where names make such a text ambiguous."""
    text = f"{pin[0]}-{pin[1]}={pin[2]}"
    return text if _pin(text, "") == pin else list(pin)


def _pin(entry: object, place: str) -> tuple[str, int, str]:
    if isinstance(entry, str):
        parts = _PIN.fullmatch(entry)
        if parts is None:
            raise InputError(f"{show(entry)} is not TOPIC-PARTITION=ID", place)
        return parts[1], int(parts[2]), parts[3]
    match entry:
        case [[str(topic), int(partition)], str(name)] | [str(topic), int(partition), str(name)]:
            if topic and name and partition >= 0 and not isinstance(partition, bool):
                return topic, partition, name
    raise _misshapen(entry, "a topic, a partition and an id", place)


def _entries(value: object, place: str) -> Iterator[Any]:
    """The entries of a mapping or of a list."""
    return iter(value.items() if isinstance(value, Mapping) else _listed(value, place))


def _listed(value: object, place: str) -> Sequence[Any]:
    if not isinstance(value, (list, tuple)):
        raise _misshapen(value, "a list", place)
    return value


def _misshapen(value: object, expected: str, place: str) -> InputError:
    """The error for what only Python or JSON can give, with an example for Python."""
    example = f"; for example {place}={EXAMPLES[place]}" if place in EXAMPLES else ""
    return InputError(not_a(value, expected) + example, place)


_TEXTS: Final = {"type": "array", "items": {"type": "string"}}
_PIN_PARTS: Final = {"type": "array", "items": {"type": ["string", "integer"]}}
_PIN_TEXTS: Final = {"type": "array", "items": {"anyOf": [{"type": "string"}, _PIN_PARTS]}}
_NUMBER_OR_TEXTS: Final = {"anyOf": [Whole().schema(), _TEXTS]}
_LISTS_OR_NONE: Final = {"anyOf": [{"const": NO_LISTS_TEXT}, {"type": "array", "items": _TEXTS}]}


CAPACITIES: Final = Entries(capacities_of, lambda entries: [*map(pattern_text, entries)], _TEXTS)
"""Member id or pattern (`*` and `?`), and capacity; a later entry stands before an earlier."""
LIMITS: Final = Entries(limits_of, _limits_json, _NUMBER_OR_TEXTS)
"""The same with a whole number, or a whole number alone."""
TOPIC_LISTS: Final = Entries(
    topic_lists_of,
    lambda lists: NO_LISTS_TEXT if lists == NO_LISTS else [*map(list, lists)],
    _LISTS_OR_NONE,
)
"""Lists of topics, in place of the group's own; NO_LISTS: none at all."""
PINS: Final = Entries(pins_of, lambda pins: [*map(pin_text, pins)], _PIN_TEXTS)
"""Topic, partition, and the member that alone may take it: an id, instance id or client id."""
TOPICS: Final = Entries(topics_of, list, _TEXTS)
