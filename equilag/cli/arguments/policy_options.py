"""The options of the policy's settings, made from their declarations."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any, Final

from equilag.cli.arguments import options
from equilag.cli.arguments.conversions import OneOf, duration, percent, whole
from equilag.cli.arguments.options import Option, Titled, take_back
from equilag.domain.policy.policy import SETTINGS, Policy
from equilag.domain.policy.setting import (
    OVERRIDES,
    Command,
    Entries,
    Flag,
    OneOfNames,
    Percent,
    Seconds,
    Setting,
    Whole,
)

TITLES: Final = {
    "what is spread": ("weight",),
    "capacities, racks and topics that belong together": ("racks", *OVERRIDES),
}
"""Titles of the options of some families of settings; those of all others are goals."""


def settings_options(
    command: Command,
    defaults: Mapping[str, Any] | None = None,
    helps: Mapping[str, str] | None = None,
) -> tuple[Titled, ...]:
    """The options of all settings that the command takes; `policy_of` reads them.

    Those that it refuses are taken as well, without a line in the help: the error says why they
    make no sense. defaults: of this command, where they are not the policy's. helps: the same for
    help texts; one that ends with a bracket has its default in it.
    """
    found: dict[str, list[Option]] = {title: [] for title in ("goals", *TITLES)}
    for name, declared in SETTINGS.items():
        title = next((title for title, of in TITLES.items() if declared.family in of), "goals")
        if command in declared.commands:
            found[title].append(_option(declared, (defaults or {}).get(name), helps or {}))
        elif command in declared.refused:
            found[title].append(_option(declared, None, {name: ""}))
    return tuple(Titled(title, tuple(own)) for title, own in found.items())


def policy_of(
    args: argparse.Namespace,
    command: Command,
    defaults: Mapping[str, Any] | None = None,
    beside_plan: tuple[str, ...] = (),
    **given: Any,
) -> Policy:
    """The policy that the options of `settings_options` ask for. Raises InputError.

    beside_plan: settings that have an effect beside PLAN, which has its own; others are refused if
    they were typed. given: settings that the command reads from options of its own.
    """
    if getattr(args, "plan", None) is not None:
        _leave_to_plan(args, beside_plan)
    asked = {
        name: getattr(args, declared.place)
        for name, declared in SETTINGS.items()
        if command in declared.commands or command in declared.refused
    }
    values = {
        name: one for name, one in {**asked, **given}.items() if one is not None and one != []
    }
    policy = Policy(**{**(defaults or {}), **values})
    policy.check_for(command)
    return policy


def _leave_to_plan(args: argparse.Namespace, kept: tuple[str, ...]) -> None:
    settings = {declared.option for declared in SETTINGS.values() if declared.place not in kept}
    of = "the options that make a plan"
    for action in options.options_of(args.parser):
        if action.declared.flag in settings:
            if action.origin == options.TYPED:
                only = f"only --{', --'.join(kept)} of {of} has an effect"
                args.parser.error(f"with PLAN {only if kept else f'{of} have no effect'}")
            take_back(action, args)


def _option(declared: Setting, default: Any, helps: Mapping[str, str]) -> Option:
    """The option of a setting; without it a value is None or empty, for the policy's default."""
    text = helps.get(declared.name, declared.help)
    form = declared.form
    words = _default_words(declared, default)
    if isinstance(form, OneOfNames) and declared.name == "name":
        text = f"{text}: {', '.join(form.names)}" if text else text
    if text and words and not text.endswith(")"):
        text = f"{text} (default: {words})"
    metavar = "" if isinstance(form, Flag) else declared.metavar
    repeats = isinstance(form, Entries)
    excludes = SETTINGS[declared.excludes].option if declared.excludes else ""
    return Option(
        declared.option, metavar, text, converter(declared), repeats=repeats, excludes=excludes
    )


def _default_words(declared: Setting, default: Any) -> str:
    if default is not None:
        return f"{default:g}" if isinstance(default, float) else str(default)
    if declared.default_words or isinstance(declared.form, Flag):
        return declared.default_words
    if isinstance(declared.default, float):
        return f"{declared.default:g}"
    return "" if declared.default in (None, ()) else str(declared.default)


def converter(declared: Setting) -> Any:
    """The converter of a value on the command line."""
    form = declared.form
    if isinstance(form, OneOfNames):
        return OneOf(form.names)
    if isinstance(form, Whole):
        return whole(form.below)
    if isinstance(form, Seconds):
        return duration
    return percent if isinstance(form, Percent) else str
