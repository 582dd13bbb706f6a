"""What all tests share: how hard Hypothesis searches."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# A busy machine is no reason to fail: no deadline for an example, none for making one.
_PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=100)
settings.register_profile("local", _PATIENT)
# The same examples in every run, so that nobody's change fails for what another one left behind.
settings.register_profile("ci", _PATIENT, derandomize=True, database=None, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")
