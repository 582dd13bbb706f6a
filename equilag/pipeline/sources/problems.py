"""One row per group: its topics and members at the time of the run, or why it cannot be planned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from equilag.pipeline.sources.history import END_OF_TIME
from equilag.pipeline.sources.measured_capacities import MEASURED
from equilag.pipeline.sources.signals import FAULTS, STATES, WEIGHTS, Span

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

STALE_MS: Final = 600_000
"""Milliseconds without a sample after which a group is stale: a plan from older lags would not fit
the group any more."""
STALE_ROUNDS: Final = 3
"""A rarely sampled group is stale only after this many of its intervals, as rounds may be lost."""

QUALITY: Final = (
    "group", "state", "rounds", "interval_ms", "last_ms", "samples", "partitions_seen",
    "invalid", "after_at", *FAULTS, *STATES, "filled", "n_members", "members_ms",
    "duplicate_members", "invalid_members", "unknown_topics",
)  # fmt: skip
"""Columns of `quality/`."""
COUNTED: Final = (
    "invalid", "after_at", *FAULTS, *STATES, "filled", "duplicate_members", "invalid_members",
    "unknown_topics",
)  # fmt: skip
"""Columns of `quality/` that count faulty rows, samples or partitions."""


def problems_of(
    spark: SparkSession,
    signals: DataFrame,
    rounds: DataFrame,
    members: DataFrame,
    span: Span,
    weight: str = "lag",
    stale_ms: int | None = None,
) -> DataFrame:
    """Return a row per group. `state` is `ready`, or why the group cannot be planned; `reason` is
    that as text.

    `members` is the table of the history. A topic extends to its last partition that has not
    vanished; the last known values are used for a partition in between that is no longer sampled.
    `topics` has an entry per topic with arrays as long as the topic has sampled partitions; the
    planner balances `weights`. With a column `racks` in `signals` it has them as well; so have
    members what `with_capacities` adds to `members`.
    """
    racks = "racks" in signals.columns
    return spark.sql(
        f"""
        WITH sampled AS (
          SELECT *, {WEIGHTS[weight]} AS weight,
            max(CASE WHEN NOT vanished THEN partition END) OVER (PARTITION BY `group`, topic)
              AS last
          FROM {{signals}}
        ), topics AS ({_topics_sql(racks)}
        ), groups AS ({_groups_sql(racks)}
        ), joined AS ({_JOINED}
        ), states AS ({_STATES}
        )
        SELECT *, {_REASON} AS reason FROM states
        """,
        args={
            "at": span.at,
            "stale": stale_ms,
            "stale_default": STALE_MS,
            "stale_rounds": STALE_ROUNDS,
        },
        signals=signals,
        rounds=rounds,
        members=members_of(spark, members, span.at),
        invalid=invalid_members_of(spark, members),
    )


def _topics_sql(racks: bool) -> str:
    """A row per group and topic: its faults, and its partitions in order."""
    return f"""
          SELECT `group`, topic, any_value(last) AS last, count(*) AS partitions_seen,
            {", ".join(f"sum({fault}) AS {fault}" for fault in FAULTS)},
            {", ".join(f"count_if({state}) AS {state}" for state in STATES)},
            sort_array(collect_list(named_struct(
              'partition', partition, 'log_start', log_start, 'log_end', log_end,
              'committed', committed, 'weight', weight, 'rate', produce_per_s
              {", 'racks', racks" if racks else ""}))
              FILTER (WHERE partition <= last)) AS rows
          FROM sampled GROUP BY `group`, topic"""


def _groups_sql(racks: bool) -> str:
    """A row per group: its faults, and its topics in order."""
    return f"""
          SELECT `group`, sum(partitions_seen) AS partitions_seen, sum(last + 1) AS partitions,
            sum(last + 1 - size(rows)) AS filled,
            {", ".join(f"sum({name}) AS {name}" for name in FAULTS + STATES)},
            sort_array(collect_list(named_struct(
              'topic', topic, 'partitions', rows.partition, 'log_start', rows.log_start,
              'log_end', rows.log_end, 'committed', rows.committed, 'weights', rows.weight,
              'rates', rows.rate
              {", 'racks', rows.racks" if racks else ""}))
              FILTER (WHERE last IS NOT NULL)) AS topics
          FROM topics GROUP BY `group`"""


_JOINED: Final = """
          SELECT coalesce(r.`group`, m.`group`, i.`group`) AS `group`,
            coalesce(r.rounds, 0) AS rounds, r.interval_ms, r.last_ms,
            coalesce(r.samples, 0) AS samples, coalesce(r.invalid, 0) AS invalid,
            coalesce(r.after_at, 0) AS after_at,
            g.* EXCEPT (`group`, topics), coalesce(g.topics, array()) AS topics,
            m.members_ms, m.members_behind_ms, coalesce(m.members, array()) AS members,
            coalesce(m.duplicate_members, 0) AS duplicate_members,
            coalesce(i.invalid_members, 0) AS invalid_members,
            coalesce(:stale,
              greatest(:stale_default, :stale_rounds * coalesce(r.interval_ms, 0))) AS stale_ms
          FROM {rounds} r
          LEFT JOIN groups g ON r.`group` = g.`group`
          FULL JOIN {members} m ON r.`group` = m.`group`
          FULL JOIN {invalid} i ON coalesce(r.`group`, m.`group`) <=> i.`group`"""
"""A row per group that occurs in any table, with everything that is known of it."""

_STATES: Final = """
          SELECT *, size(members) AS n_members,
            size(array_except(array_distinct(flatten(transform(members,
              m -> coalesce(m.subscription, array())))), topics.topic)) AS unknown_topics,
            CASE WHEN size(topics) = 0 THEN 'no_offsets'
              WHEN :at - last_ms > stale_ms THEN 'stale'
              WHEN members_ms IS NULL OR size(members) = 0 THEN 'no_members'
              WHEN members_behind_ms > stale_ms THEN 'stale_members'
              WHEN filled > partitions_seen THEN 'poor_offsets'
              ELSE 'ready' END AS state
          FROM joined"""
"""The same rows with `state`."""

_REASON: Final = """CASE state
            WHEN 'no_offsets' THEN CASE WHEN invalid > 0
              THEN concat('none of its ', invalid, ' rows of offsets is usable')
              ELSE 'no offsets up to this time' END
            WHEN 'stale' THEN concat('last sampled ', cast((:at - last_ms) / 1000 AS bigint),
              ' s before the time of the run')
            WHEN 'no_members' THEN CASE WHEN members_ms IS NULL
              THEN 'no membership up to this time' ELSE 'the group was empty' END
            WHEN 'poor_offsets' THEN concat(filled, ' of its ', partitions,
              ' partitions were never sampled')
            WHEN 'stale_members' THEN concat('its membership was last recorded ',
              cast(members_behind_ms / 1000 AS bigint), ' s before that of other groups')
          END"""
"""Why a group cannot be planned, as text; null for a group that is ready."""


def with_racks(spark: SparkSession, signals: DataFrame, racks: DataFrame, at: int) -> DataFrame:
    """Return `signals` with a column `racks`: the newest of each partition up to `at`, else null.

    `racks` is the table of the history; a row without a time is older than any other. Of several
    rows of one time the one with the most racks counts.
    """
    return spark.sql(
        """
        WITH newest AS (
          SELECT topic, partition,
            max_by(racks, struct(coalesce(ts_ms, -1) AS ts, size(racks) AS n, racks)) AS racks
          FROM {racks}
          WHERE topic IS NOT NULL AND partition IS NOT NULL AND coalesce(ts_ms, -1) <= :at
          GROUP BY topic, partition
        )
        SELECT s.*, n.racks FROM {signals} s
        LEFT JOIN newest n ON s.topic = n.topic AND s.partition = n.partition
        """,
        args={"at": at},
        signals=signals,
        racks=racks,
    )


def members_of(spark: SparkSession, members: DataFrame, at: int) -> DataFrame:
    """Return a row per group: its members at the last round of memberships up to `at`.

    `members` is sorted by id. Of several rows for one member, the row with the newest generation,
    and then with the most partitions, is kept. `members_behind_ms` is the time from this round to
    the newest round of any group.
    """
    more = "".join(f", '{name}', {name}" for name in MEASURED if name in members.columns)
    return spark.sql(
        f"""
        WITH usable AS (
          SELECT * FROM {{members}} WHERE `group` IS NOT NULL AND ts_ms BETWEEN 0 AND :at
        ), newest AS (
          SELECT `group`, max(ts_ms) AS members_ms FROM usable GROUP BY `group`
        ), latest AS (
          SELECT /*+ BROADCAST(n) */ u.*, n.members_ms, row_number() OVER (
              PARTITION BY u.`group`, u.member
              ORDER BY coalesce(generation, -1) DESC,
                coalesce(size(flatten(map_values(owned))), 0) DESC, to_json(struct(*)))
            AS copy
          FROM usable u JOIN newest n ON u.`group` = n.`group` AND u.ts_ms = n.members_ms
        )
        SELECT `group`, max(members_ms) AS members_ms,
          (SELECT max(members_ms) FROM newest) - max(members_ms) AS members_behind_ms,
          sort_array(collect_list(named_struct(
            'member', member, 'subscription', subscription,
            'owned', map_entries(owned), 'rack', rack, 'capacity', capacity,
            'instance_id', instance_id, 'generation', generation, 'client_id', client_id,
            'host', host, 'max_partitions', max_partitions, 'instance', instance{more}))
            FILTER (WHERE copy = 1 AND member IS NOT NULL)) AS members,
          count_if(copy > 1) AS duplicate_members
        FROM latest GROUP BY `group`
        """,
        args={"at": at},
        members=members,
    )


def invalid_members_of(spark: SparkSession, members: DataFrame) -> DataFrame:
    """Return the number of invalid rows per group of `members`, over all times.

    The group is null for rows without a group name.
    """
    return spark.sql(
        f"""
        SELECT `group`, count_if(`group` IS NULL OR NOT
          coalesce(ts_ms >= 0 AND ts_ms < {END_OF_TIME}, false)) AS invalid_members
        FROM {{members}} GROUP BY `group`
        """,
        members=members,
    )
