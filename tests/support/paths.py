"""Where things lie in this checkout."""

from __future__ import annotations

from pathlib import Path
from typing import Final

CHECKOUT: Final = Path(__file__).resolve().parents[2]
SAMPLES: Final = CHECKOUT / "samples"
CONFORMANCE: Final = CHECKOUT / "tests" / "conformance"
"""Cases whose answers were worked out from the KIPs, a file for each assignor."""
