"""What describes a group before it is one: arguments of `Group.build`, and doubts about them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Required, TypedDict, cast

import numpy as np
import numpy.typing as npt

from equilag.domain.building.number_columns import NULL, PerPartition, PerPartitionNumbers, Row
from equilag.domain.building.topic_index import Allowed
from equilag.domain.errors import InputError
from equilag.domain.group.member import Member
from equilag.domain.values import GENERATIONS, as_integer, as_text, as_time, check_texts, not_a


class PartitionOffsets(NamedTuple):
    """Offsets: topic -> one for each partition, of the same topics in all three; or columns [P].

    0 to 2^63 - 1, `log_end` not below `log_start`. None in `committed` (-1 in an array) is a
    partition without a commit.
    """

    log_start: PerPartition
    log_end: PerPartition
    committed: PerPartition


class ClaimColumns(NamedTuple):
    """Q claims as columns of integers: positions in `members` as given, and positions in [P]."""

    member: npt.NDArray[Any]
    partition: npt.NDArray[Any]


class GroupInput(TypedDict, total=False):
    """The arguments of `Group.build`, which says what each one is."""

    name: Required[str]
    topics: Required[Mapping[str, int]]
    members: Required[Sequence[Member | str]]
    subscriptions: Required[Mapping[str, Sequence[str]]]
    owned: Mapping[str, Mapping[str, Row]] | ClaimColumns
    lags: PerPartition
    offsets: PartitionOffsets
    previous: tuple[float, PartitionOffsets]
    auto_offset_reset: str
    unknown_lags: Mapping[str, Row]
    rates: PerPartitionNumbers
    weights: PerPartition
    move_weights: PerPartition
    racks: Mapping[str, Sequence[Sequence[str]]]
    allowed: Allowed
    co_partitioned: Sequence[Sequence[str]]
    taken_at: str | None
    generation: int | None
    incomplete: Sequence[str]
    assumed_subscribers: Sequence[str]


_KINDS: Final[Mapping[str, tuple[tuple[type, ...], str]]] = {
    "members": ((list, tuple), "a list of members"),
    "subscriptions": ((Mapping,), "a mapping of member ids to lists of topics"),
    "owned": ((Mapping, ClaimColumns), "a mapping of member ids, or ClaimColumns"),
    "offsets": ((PartitionOffsets,), "PartitionOffsets"),
    "incomplete": ((list, tuple), "a list of sentences"),
    "assumed_subscribers": ((list, tuple), "a list of member ids"),
}
"""Argument -> the types that it may have, and how errors call them. Others are checked later."""


def check_arguments(given: GroupInput) -> None:
    """Check the arguments as a whole, and the single values about the group.

    Raises InputError that names the argument, and TypeError for one that is missing or unknown.
    """
    if wrong := given.keys() - GroupInput.__annotations__.keys():
        raise TypeError(f"Group.build() has no argument {', '.join(map(repr, sorted(wrong)))}")
    if missing := GroupInput.__required_keys__ - given.keys():
        raise TypeError(f"Group.build() needs {', '.join(map(repr, sorted(missing)))}")
    for name, value in given.items():
        types, expected = _KINDS.get(name, ((), ""))
        absent = value is None and name not in GroupInput.__required_keys__
        if types and not absent and not isinstance(value, types):
            raise InputError(not_a(value, expected), name)
    as_text(given["name"], "group")
    taken_at, generation = given.get("taken_at"), given.get("generation")
    if taken_at is not None:
        as_time(taken_at, "taken_at")
    if generation is not None:
        as_integer(generation, GENERATIONS, "generation")
    check_texts(given.get("incomplete") or (), "incomplete")


NULLABLE: Final = ("lags", "committed")
"""Fields in which a cell may be missing."""
LARGEST: Final = 2.0**62
"""Floats below it, in size, fit an array of integers."""


def plain_input(given: GroupInput) -> GroupInput | None:
    """The arguments of `Group.build` with Python's and NumPy's integers in place of whole floats,
    and lists in place of other columns, of pandas too; None where that changes nothing.

    Only what was refused as it stands gets here, so that other groups pay nothing for it.
    """
    found = {name: _plain(value, name) for name, value in given.items()}
    changed = any(found[name] is not value for name, value in given.items())
    return cast(GroupInput, found) if changed else None


def _plain(value: Any, name: str) -> Any:
    """A value of the argument `name`; the same object where nothing has to change."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ma.MaskedArray):
        return value  # refused: what it hides is no value
    if isinstance(value, np.ndarray):
        return _array(value, name)
    if isinstance(value, PartitionOffsets):
        return PartitionOffsets(*(_plain(one, n) for n, one in value._asdict().items()))
    if isinstance(value, Mapping):
        cells = {key: _plain(one, name) for key, one in value.items()}
        return cells if any(cells[key] is not one for key, one in value.items()) else value
    if type(value) in (list, tuple):
        plain = [_plain(one, name) for one in value]
        same = all(map(lambda one, other: one is other, plain, value))
        return value if same else type(value)(plain)
    if name == "topics" and hasattr(value, "to_dict"):  # sizes by name, as of a groupby
        return _plain(value.to_dict(), name)
    if hasattr(value, "isna") and hasattr(value, "tolist"):  # pandas, whose NA equals nothing
        missing, cells = list(value.isna()), value.tolist()
        if not all(
            isinstance(cell, (int, float))
            for cell, no in zip(cells, missing, strict=True)
            if not no
        ):
            return [None if no else cell for cell, no in zip(cells, missing, strict=True)]
        numbers = (float("nan") if no else cell for cell, no in zip(cells, missing, strict=True))
        return _array(np.fromiter(numbers, np.float64, len(cells)), name)
    return _array(value.to_numpy(), name) if hasattr(value, "to_numpy") else value


def _array(values: Any, name: str) -> Any:
    """Whole floats as integers, NULL for those that are missing."""
    if values.dtype.kind in "iu" or name == "rates":
        return values
    if values.dtype.kind != "f":
        return values.tolist()
    missing = np.isnan(values)
    known = values[~missing]
    if not (np.abs(known) < LARGEST).all() or not np.array_equal(known, np.rint(known)):
        return values
    if missing.any() and name not in NULLABLE:  # refused, at its own place
        cells = [cell if no else int(cell) for cell, no in zip(values, missing, strict=True)]
        return np.array(cells, object)
    return np.where(missing, NULL, values).astype(np.int64)


CLAIMED_TWICE: Final = "claimed_twice"
DROPPED_CLAIM: Final = "dropped_claim"
LAGS_AND_OFFSETS: Final = "lags_and_offsets"
MISSING_TOPIC: Final = "missing_topic"
MAX_EXAMPLES: Final = 5
"""Examples that are kept of each kind: one line on a screen shows no more."""

NO_SUCH_TOPIC: Final = "no such topic"
NO_SUCH_PARTITION: Final = "no such partition"
NOT_SUBSCRIBED: Final = "not subscribed"


@dataclass(frozen=True, slots=True)
class InputDoubt:
    """One kind of doubt: how often, and the first examples.

    `claimed_twice`: a partition, and the members whose claims void each other.
    `dropped_claim`: a partition, the member that claims it, and why the claim does not count.
    `lags_and_offsets`: a topic that has both; its lags count.
    `missing_topic`: a member, and a topic that it subscribes to and that does not exist.
    """

    kind: str
    count: int
    examples: tuple[tuple[str, ...], ...]
