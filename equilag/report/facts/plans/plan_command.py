"""The command that makes a plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from shlex import quote
from typing import Any

from equilag.domain.policy.policy import SETTINGS, Policy


def plan_command(source: str, policy: Policy, more: Mapping[str, Any]) -> str:
    """The command that makes a plan of this policy, with some settings, of it or of the run, in
    place of its own.

    source: what names the group: a file or options, as words of a shell.
    """
    named = {"name" if name == "policy" else name: value for name, value in more.items()}
    if policy.fresh:  # where nobody owns anything, a limit on moves is refused
        named.pop("max_moves", None)
    asked = replace(policy, **{name: named.pop(name) for name in SETTINGS if name in named})
    words = [*asked.option_words()]
    for name, value in named.items():
        option = f"--{name.replace('_', '-')}"
        if value is True:
            words.append(option)
        elif value is not None and value is not False:
            words += [option, str(value)]
    return " ".join(["equilag", "plan", source, *map(quote, words)])


def assign_command(source: str, assignor: str) -> str:
    """The command that makes the plan of one assignor."""
    return f"equilag assign {source} --assignor {quote(assignor)}"
