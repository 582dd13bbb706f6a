"""A policy: which goals a plan has, in which order, and the settings on top of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final, NamedTuple

from equilag.domain.errors import InputError
from equilag.domain.policy.policy_settings import Balance, PolicyName, Settings, WeightKind
from equilag.domain.policy.setting import OVERRIDES, Command, Family, Setting, settings_of


class _Traits(NamedTuple):
    """What distinguishes the policies."""

    balance: Balance
    """The count balance unless another one is asked for."""
    moves_first: bool = False
    pins_owned: bool = False


_TRAITS: Final[Mapping[PolicyName, _Traits]] = {
    "lag-aware": _Traits("total"),
    "kip-169": _Traits("per-topic"),
    "fair-yet-sticky": _Traits("total", moves_first=True),
    "sticky-yet-fair": _Traits("total", moves_first=True, pins_owned=True),
}

SETTINGS: Final[Mapping[str, Setting]] = settings_of(Settings)
"""Name -> declaration, in the order of the fields."""


@cache
def _defaults_in(families: tuple[Family, ...]) -> list[tuple[str, Any]]:
    """Name and declared default of the settings of these families."""
    return [(name, one.default) for name, one in SETTINGS.items() if one.family in families]


ALWAYS: Final = tuple(name for name, declared in SETTINGS.items() if declared.always)
"""Settings that the policy in a plan's JSON always has."""


@dataclass(frozen=True, slots=True)
class Policy(Settings):
    """Goals and settings of one run. Every way to make one checks them.

    - ``lag-aware``: total counts, then lag spread + move cost, then fewest moves.
    - ``kip-169``: counts per topic, then lag spread + move cost.
    - ``fair-yet-sticky``: total counts, then fewest moves, then lag spread.
    - ``sticky-yet-fair``: no voluntary move at all, then counts, then lag spread.

    The settings are those of `Settings`. Raises InputError that names the setting.
    """

    def __post_init__(self) -> None:
        fix = object.__setattr__
        for name, declared in SETTINGS.items():
            value = getattr(self, name)
            if value is declared.default:
                continue
            fix(self, name, declared.checked(value))
            other = declared.excludes
            if other and getattr(self, other) and value is not None:
                raise InputError(f"cannot be combined with {other}, which assumes no owners", name)
        if getattr(self, "balance") is None:  # noqa: B009  until here it may be
            fix(self, "balance", self.default_balance)
        if self.add_members == 0:
            fix(self, "add_members", None)

    @property
    def default_balance(self) -> Balance:
        """The count balance of the policy itself."""
        return _TRAITS[self.name].balance

    @property
    def moves_first(self) -> bool:
        """True if fewer moves come before the lag spread."""
        return _TRAITS[self.name].moves_first

    @property
    def pins_owned(self) -> bool:
        """True if every owned partition stays where it is."""
        return _TRAITS[self.name].pins_owned

    @property
    def counts_topics(self) -> bool:
        """True if every topic is balanced by itself."""
        return self.balance in ("per-topic", "both")

    @property
    def then_topics(self) -> bool:
        """True if topics are balanced one by one among the most even totals."""
        return self.balance == "total-then-topics"

    @property
    def minds_topics(self) -> bool:
        """True if counts of single topics are a goal at all."""
        return self.counts_topics or self.then_topics

    @property
    def weighs_moves(self) -> bool:
        """True if moves have a weight; known of a policy in force (`weight.weighed_policy`)."""
        return self.move_weight not in (None, "count")

    @property
    def limits_moves(self) -> bool:
        """True if there is a limit on moves, or on their weight."""
        return self.max_moves is not None or self.max_move_weight is not None

    @property
    def limits_reads(self) -> bool:
        """True if there is a limit on reads across racks that is not the fewest anyway."""
        return self.max_cross_rack is not None and not self.rack_aware

    def check_reads(self, reads: int) -> None:
        """Raises InputError if `max_cross_rack` is below the reads across racks that are forced."""
        if self.max_cross_rack is not None and self.max_cross_rack < reads:
            forced = "1 partition that has" if reads == 1 else f"{reads} partitions that have"
            problem = f"{self.max_cross_rack} is fewer than the {forced} to be read across racks"
            raise InputError(problem, "max_cross_rack")

    @property
    def minds_racks(self) -> bool:
        """True if reads across racks are to be few, or limited."""
        return self.has("racks")

    @property
    def overrides_group(self) -> bool:
        """True if a setting stands in for what the group says of itself."""
        return self.has(*OVERRIDES)

    def default_of(self, name: str) -> Any:
        """The value of a setting unless another one is asked for."""
        return self.default_balance if name == "balance" else SETTINGS[name].default

    def in_force(self) -> dict[str, Any]:
        """Name -> value of the settings that are not at their defaults, in order."""
        values = {name: getattr(self, name) for name in SETTINGS}
        return {name: value for name, value in values.items() if value != self.default_of(name)}

    def has(self, *families: Family) -> bool:
        """True if a setting of one of these families is in force."""
        return any(
            getattr(self, name) is not default and getattr(self, name) != self.default_of(name)
            for name, default in _defaults_in(families)
        )

    def without(self, *families: Family) -> Policy:
        """The same policy with all settings of these families at their defaults."""
        return self._with_defaults(one.name for one in SETTINGS.values() if one.family in families)

    def only(self, *families: Family) -> Policy:
        """The default policy with the settings of these families."""
        given = {one.name: getattr(self, one.name) for one in SETTINGS.values()}
        return Policy(**{n: v for n, v in given.items() if SETTINGS[n].family in families})

    def fit_for(self, command: Command) -> Policy:
        """The same policy without the settings that the command refuses."""
        return self._with_defaults(n for n, one in SETTINGS.items() if command in one.refused)

    def check_for(self, command: Command) -> None:
        """Raises InputError for a setting in force that the command refuses."""
        for name in self.in_force():
            if problem := SETTINGS[name].refused.get(command):
                raise InputError(problem, SETTINGS[name].place)

    def with_weight(self, weight: WeightKind) -> Policy:
        """The same policy with a weight."""
        return replace(self, weight=weight)

    def words(self) -> list[str]:
        """The policy and its settings that are not at their defaults, as reports name them."""
        own = self.in_force().items()
        others = [SETTINGS[name].words for name, _ in own]
        parts = [
            write(value)
            for write, (name, value) in zip(others, own, strict=True)
            if write is not None and name != "name"
        ]
        return [self.name, *parts]

    def option_words(self) -> list[str]:
        """The words of a command line that ask for the settings which are not at their defaults."""
        found = []
        for name, value in self.in_force().items():
            option = SETTINGS[name].option
            values = SETTINGS[name].form.words(value)
            found += [] if values else [option]
            for text in values:  # with the sign, a value may begin with a dash
                found += [f"{option}={text}"] if text.startswith("-") else [option, text]
        return found

    def to_dict(self) -> dict[str, Any]:
        """The settings as in a plan's JSON: some always, the others where they are in force."""
        found = {}
        for name, declared in SETTINGS.items():
            value = getattr(self, name)
            shown = declared.always or value != declared.default
            if declared.shown_with is not None:
                other, needed = declared.shown_with
                shown = getattr(self, other) == needed
            if shown:
                found[name] = declared.json(value)
        return found

    def _with_defaults(self, names: Iterable[str]) -> Policy:
        return replace(self, **{name: self.default_of(name) for name in names})
