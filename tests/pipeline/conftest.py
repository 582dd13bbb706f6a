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
    with pytest.MonkeyPatch.context() as patch:
        # Small data: the JVM's second compiler would cost more than it saves. Fewer shuffle
        # partitions than the usual 64 save next to nothing, as AQE merges them.
        patch.setenv("SPARK_SUBMIT_OPTS", "-XX:TieredStopAtLevel=1")
        with session("local[2]", memory="2g") as started:
            patch.delenv("SPARK_SUBMIT_OPTS")
            yield started
