"""How much of what can be gained a plan gains: excess saved, in percent."""

from __future__ import annotations

from dataclasses import dataclass

from equilag.report.facts.group import GroupFacts


@dataclass(frozen=True, slots=True)
class GainScale:
    """The base and the end of a percentage of a gain: what lies above a fair share."""

    start: float
    end: float
    """No plan has less."""
    from_current: bool
    """True if `start` is what the current assignment has."""
    step: float = 1.0
    """How much more than what is proved may be impossible to save: bounds are rounded down."""

    @staticmethod
    def of(group: GroupFacts, first: float, proved: float) -> GainScale:
        """From the current assignment where it is whole, else from the fewest moves (`first`)."""
        if group.fully_owned and group.excess is not None and group.excess > proved:
            return GainScale(group.excess, proved, True, group.load_step)
        return GainScale(first, proved, False, group.load_step)

    def percent(self, excess: float) -> float:
        """What is saved of all that is not proved to be impossible to save."""
        most = self.start - self.end
        if most <= 0 or excess < self.end + self.step:
            return 100.0
        return 100.0 * (self.start - excess) / most
