"""``equilag snapshot``: a snapshot of a live group, or out of what Kafka's own tools print."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Final

from equilag.adapters.files import OutputFile
from equilag.cli.arguments.cluster import ANY_CLUSTER, ISOLATION, RESET_OR_UNKNOWN, SAMPLE
from equilag.cli.arguments.options import Option
from equilag.cli.arguments.source import check_source, text_or_live_group
from equilag.cli.arguments.text_source import ONE_OF_TEXT
from equilag.cli.group_command import CliCommand
from equilag.cli.screen import emit, remark
from equilag.report.outputs import to_json

if TYPE_CHECKING:
    from equilag.domain.building.group_input import GroupInput


def run(args: argparse.Namespace) -> int:
    check_source(args)

    from equilag.adapters.snapshot.write import snapshot_document

    inputs = *args.from_describe, args.members_from
    target = OutputFile(args.out, "--out", inputs) if args.out is not None else None
    given, remarks, *_ = text_or_live_group(args)
    _join_topics(given, args.co_partition)
    text = to_json(snapshot_document(given), sum(given["topics"].values()))
    if target is not None:
        target.write(text)
    for line in remarks:
        remark(line)
    if target is None or args.json:
        emit(text)
    return 0


def _join_topics(given: GroupInput, texts: list[str]) -> None:
    """Put lists of co-partitioned topics into the snapshot. Raises InputError."""
    if not texts:
        return

    import numpy as np

    from equilag.domain.building.topic_index import co_partitioned_topics
    from equilag.domain.policy.entries import topic_lists_of

    topics = given["topics"]
    number = dict(zip(topics, range(len(topics)), strict=True))
    size = np.array([*topics.values()], dtype=np.int64)
    lists = topic_lists_of(texts, "co_partition")
    co_partitioned_topics(lists, number, size, "co_partition", numbered=False)
    given["co_partitioned"] = [list(names) for names in lists if names]


SNAPSHOT: Final = CliCommand(
    "snapshot",
    "a snapshot of a live group, or from the output of Kafka's own tool",
    """\
Reads a group from a live cluster, or from the output of kafka-consumer-groups,
and writes a snapshot. equilag never joins the group or commits; it needs
DESCRIBE on the group and its topics. A text may lack something that a snapshot
needs; standard error names each assumption about it.""",
    """\
examples:
  equilag snapshot --bootstrap-server B --group G | equilag plan -
  equilag snapshot --bootstrap-server B --group G --sample 1m --out G.json

  kafka-consumer-groups --bootstrap-server B --group G --describe > d.txt
  kafka-consumer-groups --bootstrap-server B --group G --describe \\
      --members --verbose > m.txt
  equilag snapshot --from-describe d.txt --members-from m.txt | equilag plan -""",
    run,
    (
        *ANY_CLUSTER,
        *ONE_OF_TEXT,
        Option("--group", "G", "the group to read; a text needs it only if it holds several"),
        Option("--members", "F", "", parameter="members_from"),  # its old name
        RESET_OR_UNKNOWN,
        ISOLATION,
        SAMPLE,
        Option("--co-partition", "T1,T2", "write into the snapshot that partition i of all these"
               " topics goes to one member; can be repeated", repeats=True),
        Option("--out", "F", "write the snapshot to this file (default: standard output)"),
        Option("--json", "", "print the snapshot's JSON also where --out writes it to a file"),
    ),
)  # fmt: skip
