"""The first augmentations of a `SharedFlow`: partitions that go straight to members that lack some.

Such paths cost 1, the least that any path costs, so that the potentials stay as they are. They are
most of all paths, and need no search.
"""

from __future__ import annotations

from equilag.solver.moves.shared_flow import SharedFlow
from equilag.solver.moves.small_columns import numbers


def deal_directly(flow: SharedFlow) -> None:
    """Place what is too much, as far as paths of one step reach; classes with few readers first."""
    readers = flow.flat
    for c in sorted(numbers(flow.loose_classes), key=lambda c: readers[c].bit_count()):
        flow.take(c, _place(flow, c, flow.loose[c]))
    for m in numbers(flow.over):
        flow.lose(m, _release(flow, m, flow.count[m] - flow.most))
    if flow.places < 0:
        for m in numbers(flow.flat[0] & ~flow.over):
            if _release(flow, m, 1):
                flow.fall(m)
                if not flow.places:
                    break


def _release(flow: SharedFlow, m: int, units: int) -> int:
    """Place up to so many of the partitions that member m owns; returns how many."""
    left, width, held, steep = units, flow.width, flow.units, flow.steep
    bit = 1 << m
    for c in numbers(steep[m]):
        cell = c * width + m
        kept = held[cell]
        given = _place(flow, c, kept if kept < left else left)
        if given:
            steep[c] |= bit
            if given == kept:
                del held[cell]
                steep[m] ^= 1 << c
            else:
                held[cell] = kept - given
            left -= given
            if not left:
                break
    return units - left


def _place(flow: SharedFlow, c: int, units: int) -> int:
    """Give up to so many partitions of class c to members that lack some; returns how many.

    These members hold at least what they own, so that all of it is new to them.
    """
    left, count, least, extra = units, flow.count, flow.least, flow.spare > 0
    held, steep, flat, of_class = flow.units, flow.steep, flow.flat, 1 << c
    first = c * flow.width
    reach = flat[c] & flow.level[1]
    lacking = reach & flow.below
    while left:
        if not lacking:
            if flow.places <= 0:
                break
            lacking = reach & ~flow.below & ~flat[0]
            if not lacking:
                break
        bit = lacking & -lacking
        lacking ^= bit
        m = bit.bit_length() - 1
        more = least - count[m]
        if not more:
            more = 1
            flat[m] ^= 1
            flat[0] |= bit
            flow.places -= 1
            if not flow.places:
                lacking = 0
        elif more > left:
            more = left
        else:
            flow.below ^= bit
            if extra:
                flat[m] |= 1
        count[m] += more
        left -= more
        cell = first + m
        flat[m] |= of_class
        if cell in held:
            held[cell] += more
            steep[m] &= ~of_class
        else:
            held[cell] = more
    return units - left
