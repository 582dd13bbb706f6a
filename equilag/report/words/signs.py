"""What is seen of an action at once: a tone, and a few words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from equilag.report.report_blocks import Tone

SIGNS: Final[Mapping[str, tuple[Tone, str]]] = {
    "leave": ("good", "Leave the group as it is"),
    "move": ("act", "Worth a rebalance"),
    "assign": ("act", "Partitions without an owner"),
    "look": ("warn", "Look at this first"),
    "cannot-tell": ("warn", "The text does not say who reads what"),
    "add-members": ("bad", "More is produced than the members read"),
    "repartition": ("bad", "No assignment helps: a partition is too large"),
    "loosen": ("bad", "A looser setting is needed to keep up"),
    "start-members": ("bad", "Nobody reads this group"),
    "undecided": ("warn", "Not decided: the time limit was too short"),
}
OTHER: Final[tuple[Tone, str]] = ("neutral", "Read what it says")
"""Of an action that this version does not know."""


def sign_of(action: str, worth_it: bool) -> tuple[Tone, str]:
    """The sign of an action; where there is nothing to do, none is an alarm."""
    tone, words = SIGNS.get(action, OTHER)
    return ("warn" if tone == "bad" and not worth_it else tone), words
