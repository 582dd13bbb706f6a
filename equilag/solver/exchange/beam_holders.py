"""Groups in which one partition outweighs the mean load, by the member that holds it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from equilag.solver.exchange.beam_exchanges import EXTREME, BeamGroup, BeamStates


def by_holder(
    setting: BeamGroup, starts: list[BeamStates]
) -> list[tuple[BeamGroup, list[BeamStates]]]:
    """In small groups where one item outweighs the mean load, the group for each of its holders,
    with the starts once it was handed over."""
    item = int(setting.lag.argmax())
    total = int(setting.lag.sum() + setting.pinned_load.sum())
    members, cases = np.arange(len(setting.members)), []
    if setting.lag[item] * len(members) <= total or len(members) > EXTREME:
        return []
    for holder in np.flatnonzero(setting.allowed[item]).tolist():
        allowed = setting.allowed.copy()
        allowed[item] = members == holder
        mine = [_handed_over(setting, states, item, holder) for states in starts]
        cases.append((replace(setting, allowed=allowed), [one for one in mine if one is not None]))
    return cases


def _handed_over(
    setting: BeamGroup, states: BeamStates, item: int, holder: int
) -> BeamStates | None:
    """One assignment once an item is at a holder, in exchange for the one that adds the fewest
    moves; None if there is none."""
    held = states.held[0].copy()
    giver = int(held[item])
    fits = (held == holder) & setting.allowed[:-1, giver]
    theirs = np.flatnonzero(fits & (setting.topic[:-1] == setting.topic[item]))
    if giver == holder or not len(theirs):
        return states if giver == holder else None
    owner = setting.owner[theirs]
    extra = (owner == holder).astype(np.int64) - (owner == giver)
    held[item], held[theirs[extra.argmin()]] = holder, giver
    assigned = setting.base.copy()
    assigned[setting.items] = setting.members[held]
    return setting.states(assigned)
