"""Fleets of groups on Spark: from a history of offsets to a plan for every group.

Only this package imports Spark, pandas and pyarrow, and only when a fleet is planned or read.
"""
