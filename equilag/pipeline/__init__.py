"""Fleets of groups on Spark.

Wings: `sources/` (signals and problems in SQL, from files or live clusters), `results/` (the tables
of a run). Beside them: the job, its session, and the solving of groups in bins. The only room that
imports Spark.
May import: everything but live and cli.
"""
