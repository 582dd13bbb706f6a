"""The Spark session that all tests share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from equilag.pipeline.session import java_problem, session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """One embedded session, one for each process of pytest.

    Whoever uses it carries `pytest.mark.spark` and `pytest.mark.xdist_group("spark")`.
    """
    problem = java_problem()
    if problem is not None:
        pytest.skip(problem)
    with session("local[2]", memory="2g") as started:
        yield started
