"""Commands of equilag, as somebody types them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from equilag.domain.figures import printable
from equilag.domain.group.group import Group
from equilag.domain.policy.policy import SETTINGS, Policy


def option_words(values: Mapping[str, Any]) -> list[str]:
    """Options by the names of their parameters; what is None or False is not given."""
    words = []
    for name, value in values.items():
        if value is not None and value is not False:
            option = f"--{name.replace('_', '-')}"
            words += [option] if value is True else [option, str(value)]
    return words


def plan_command(source: str, policy: Policy, more: Mapping[str, Any]) -> str:
    """The command that makes a plan of this policy, with some settings, of it or of the run, in
    place of its own.

    source: what names the group: a file or options, as words of a shell.
    """
    named = {"name" if name == "policy" else name: value for name, value in more.items()}
    if policy.fresh:  # where nobody owns anything, a limit on moves is refused
        for limit in ("max_moves", "max_move_weight"):
            named.pop(limit, None)
    asked = replace(policy, **{name: named.pop(name) for name in SETTINGS if name in named})
    words = [*asked.option_words(), *option_words(named)]
    return f"equilag plan {source} {shlex.join(words)}".rstrip()


def next_command(group: Group, options: str, verb: str) -> str:
    """A command that says more, by the way in that the group was read."""
    if group.from_metrics is None:
        return live_command(group, options, verb)
    source, later = group.from_metrics
    options = re.sub(r"--sample \S+", later, options).strip()
    return " ".join(word for word in ("equilag", verb, source, options) if word)


def live_command(group: Group, options: str, verb: str = "plan") -> str:
    """A command on the live group."""
    name = shlex.quote(printable(group.name)) if group.name else "GROUP"
    return f"equilag {verb} --bootstrap-server HOST:PORT --group {name} {options}".rstrip()
