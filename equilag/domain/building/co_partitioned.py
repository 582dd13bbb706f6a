"""Lists of topics whose partitions with one number go to one member."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from equilag.domain.building.values import check_texts
from equilag.domain.columns import Ints
from equilag.domain.errors import InputError
from equilag.domain.show import guess, not_a, plural, show


def co_partitioned_topics(
    lists: Sequence[Sequence[str]] | None,
    number: Mapping[str, int],
    size: Ints,
    field: str = "co_partitioned",
    numbered: bool = True,
) -> tuple[tuple[int, ...], ...]:
    """Return the lists by the numbers of their topics; one of a single topic says nothing.

    `number` has the number of each topic, `size` [T] its partitions. Raises InputError for a topic
    that does not exist, that stands in two lists, or whose size differs from others of its list;
    its place is `field`, and if `numbered` the list and the topic in it.
    """
    if lists is None:
        return ()
    if not isinstance(lists, (list, tuple)):
        raise InputError(not_a(lists, "a list"), field)
    stands: dict[str, int] = {}
    found = []
    for row, names in enumerate(lists):
        if not isinstance(names, (list, tuple)):
            raise InputError(not_a(names, "a list"), f"{field}[{row}]")
        check_texts(names, f"{field}[{row}]")
        for column, name in enumerate(names):
            place = f"{field}[{row}][{column}]" if numbered else field
            if name not in number:
                raise InputError(f"{show(name)} is not in topics{guess(name, number)}", place)
            if name in stands:
                where = "in this list already" if stands[name] == row else "in another list as well"
                raise InputError(f"{show(name)} is {where}", place)
            stands[name] = row
            own, first = int(size[number[name]]), int(size[number[names[0]]])
            if own != first:
                problem = f"{show(name)} has {plural(own, 'partition')}, {show(names[0])} {first:,}"
                raise InputError(problem, place)
        if len(names) > 1:
            found.append(tuple(number[name] for name in names))
    return tuple(found)
