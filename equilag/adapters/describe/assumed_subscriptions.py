"""What members subscribe to, which no text says: as the user says, or assumed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from equilag.domain.errors import InputError
from equilag.domain.show import below, form, guess, plural, shorten, show

DIFFERENT_TOPICS: Final = (
    "WARNING: members own partitions of different topics; if they also subscribe to different"
    " topics, a plan from this snapshot is wrong; use --as-owned or --subscribe"
)
DIFFERENT_ROWS: Final = (
    "the rows of members are of different topics, maybe because other rows are missing: paste the"
    " whole text before using --as-owned or --subscribe"
)
"""The same of a text that is not whole."""
Owned: TypeAlias = Mapping[str, Mapping[str, Sequence[int]]]
"""Member -> topic -> partitions."""


def assume_subscriptions(
    topics: list[str],
    members: list[str],
    held: Owned,
    subscribe: Mapping[str, Sequence[str]],
    as_owned: bool,
    is_whole: bool = True,
) -> tuple[dict[str, list[str]], list[str]]:
    """Return the topics of each member, and what that assumes; `is_whole` is false for a text that
    leaves out partitions. Raises InputError."""
    for member in subscribe:
        if member not in members:
            raise _unknown_member(member, members)
    chosen: dict[str, list[str]] = {}
    remarks: list[str] = []
    for member in members:
        owned = sorted(held.get(member, {}))
        if member not in subscribe:
            chosen[member] = owned if as_owned else topics
            continue
        wanted = subscribe[member]
        if isinstance(wanted, str):
            raise InputError("a string, not a list of topics", below("subscribe", member))
        chosen[member] = sorted(set(wanted))
        remarks += [
            f"{shorten(member)} subscribes to {shorten(topic)}, of which the text has no partition"
            for topic in sorted(set(wanted) - set(topics))
        ]
        remarks += [
            f"{shorten(member)} owns partitions of {shorten(topic)} without subscribing to it"
            for topic in owned
            if topic not in wanted
        ]
    assumed = len(members) - len(subscribe)
    if assumed:
        which = "the topics they own" if as_owned else "all topics of the group"
        members_assumed = plural(assumed, "member")
        remarks.insert(0, f"subscriptions are not in the text: for {members_assumed}, {which}")
    if assumed and not as_owned and len(_topics_owned(held, members, subscribe)) > 1:
        remarks.insert(1, DIFFERENT_TOPICS if is_whole else DIFFERENT_ROWS)
    idle = sum(not chosen[member] and member not in subscribe for member in members)
    if idle:
        remarks.append(
            f"{plural(idle, 'member')} {form(idle, 'owns', 'own')} nothing, and so"
            f" {form(idle, 'is', 'are')} taken to subscribe to nothing"
        )
    return chosen, remarks


def _topics_owned(
    held: Owned, members: list[str], subscribe: Mapping[str, Sequence[str]]
) -> set[frozenset[str]]:
    """The sets of topics that members without a given subscription own partitions of."""
    owned = {frozenset(held.get(m, {})) for m in members if m not in subscribe}
    return owned - {frozenset()}


def _unknown_member(member: str, members: list[str]) -> InputError:
    begins = [known for known in members if known.startswith(member)]
    if begins:
        shown = ", ".join(map(show, begins[:3])) + (", …" if len(begins) > 3 else "")
        hint = f"; the whole id is needed: {shown}"
    else:
        hint = guess(member, members)
    return InputError(f"no member has the id {show(member)}{hint}", "subscribe")
