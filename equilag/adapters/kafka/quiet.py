"""Importing kafka-python without its warnings."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def quietly() -> Iterator[None]:
    """For imports of kafka-python, which reads its schemas while they are made with a function that
    Python 3.11 and 3.12 call deprecated."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        yield
