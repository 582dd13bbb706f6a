"""Fleets of groups on Spark: from a history of offsets to a plan for every group.

Spark, pandas and pyarrow are imported only here, and only when a fleet is at hand.
"""
