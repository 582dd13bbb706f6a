"""The policy of live groups, unless its user gives another one. Imports no arrays."""

from __future__ import annotations

from typing import Any, Final

from equilag.domain.policy.policy import Policy

LIVE_HORIZON_S: Final = 60.0
"""How far `work` looks ahead: a live group is looked at again within seconds, so that a backlog may
weigh more than in a plan for hours. In simulations records were read sooner with 60 s than with
300 s."""
LIVE_TOLERANCE: Final = 2.0
"""In percent of the mean load: measured rates are not known better, and a move is a pause."""

LIVE_DEFAULTS: Final = {"horizon": LIVE_HORIZON_S, "tolerance": LIVE_TOLERANCE}
"""Setting -> its default in live groups."""


def live_policy(name: str = "lag-aware", **settings: Any) -> Policy:
    """Return a policy with the defaults of live groups. Raises InputError."""
    return Policy(**{"name": name, **LIVE_DEFAULTS, **settings})
