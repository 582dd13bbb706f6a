"""Importing kafka-python without its deprecation warnings."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def quietly() -> Iterator[None]:
    """For imports of kafka-python: it reads its schemas with a function that is deprecated in
    Python 3.11 and 3.12."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        yield
