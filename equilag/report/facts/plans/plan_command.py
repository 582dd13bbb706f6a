"""The command that makes a plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from shlex import quote
from typing import Any

from equilag.domain.policy.policy import Policy


def plan_command(source: str, policy: Policy, more: Mapping[str, Any]) -> str:
    """The command that makes a plan of this policy, with some settings in place of its own.

    source: what names the group: a file or options, as words of a shell.
    """
    usual = Policy(policy.name).to_dict()
    own = {name: value for name, value in policy.to_dict().items() if usual.get(name) != value}
    if policy.name != Policy().name:
        own = {"policy": policy.name, **own}
    words = ["equilag", "plan", source]
    for name, value in {**own, **more}.items():
        words += _option_words(name, value)
    return " ".join(words)


def assign_command(source: str, assignor: str) -> str:
    """The command that makes the plan of one assignor."""
    return f"equilag assign {source} --assignor {quote(assignor)}"


def _option_words(name: str, value: Any) -> Iterator[str]:
    """An option as a shell reads it; a list repeats it."""
    option = f"--{name.replace('_', '-')}"
    if value is True:
        yield option
    elif isinstance(value, list):
        for one in value:
            text = ",".join(one) if isinstance(one, list) else str(one)
            yield from (option, quote(text))
    elif name == "horizon":
        yield from (option, f"{value:g}s")
    elif value is not None and value is not False:
        yield from (option, quote(str(value)))
