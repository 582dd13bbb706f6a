"""``equilag snapshot``: a snapshot out of what Kafka's own tools print."""

from __future__ import annotations

import argparse
from typing import Final

from equilag.cli.files import Target, one_stdin, read_file, shown_path, to_json
from equilag.cli.options import named, one_of
from equilag.cli.screen import emit, remark

NAME: Final = "snapshot"
HELP: Final = "a snapshot out of what kafka-consumer-groups --describe printed"
DESCRIPTION: Final = """\
Reads what kafka-consumer-groups printed and writes a snapshot. What that output
does not say has to be assumed; each assumption is a line on standard error."""
EPILOG: Final = """\
example:
  kafka-consumer-groups --bootstrap-server B --group G --describe > d.txt
  kafka-consumer-groups --bootstrap-server B --group G --describe \\
      --members --verbose > m.txt
  equilag snapshot --from-describe d.txt --members m.txt | equilag plan -"""

RESETS: Final = ("earliest", "latest", "none")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--from-describe",
        metavar="F",
        required=True,
        help="what --describe --group G printed; - for standard input",
    )
    parser.add_argument(
        "--members", metavar="F2", help="what --describe --group G --members --verbose printed"
    )
    parser.add_argument("--group", metavar="G", help="which group, if the text holds several")
    parser.add_argument(
        "--subscribe",
        metavar="ID=t1,t2",
        action="append",
        type=subscription,
        default=[],
        help="the topics that a member subscribes to; may be given for several members",
    )
    parser.add_argument(
        "--as-owned",
        action="store_true",
        help="take each member to subscribe to the topics that it owns partitions of, no more",
    )
    parser.add_argument(
        "--auto-offset-reset",
        metavar="R",
        type=reset,
        default="latest",
        help="what a partition without a commit counts as: earliest, latest (unless told) or none",
    )
    parser.add_argument(
        "--out", metavar="F", help="write the snapshot to this file, not to standard output"
    )


def subscription(text: str) -> tuple[str, list[str]]:
    """The member and the topics of one ``--subscribe``."""
    # Topic names hold no "=", client ids may.
    member, equals, topics = text.rpartition("=")
    if not equals or not member:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form ID=t1,t2")
    return member, [topic.strip() for topic in topics.split(",") if topic.strip()]


def reset(text: str) -> str:
    return one_of(RESETS)(text.lower())


def run(args: argparse.Namespace) -> int:
    one_stdin(args.from_describe, args.members)
    inputs = (args.from_describe, args.members)
    target = Target(args.out, "--out", inputs) if args.out is not None else None
    describe = read_file(args.from_describe)
    members = read_file(args.members) if args.members is not None else None

    from equilag.adapters.describe_text import snapshot_from_describe

    with named():
        result = snapshot_from_describe(
            describe,
            members,
            group=args.group,
            subscribe=dict(args.subscribe),
            as_owned=args.as_owned,
            auto_offset_reset=args.auto_offset_reset,
            source=shown_path(args.from_describe),
            members_source=None if args.members is None else shown_path(args.members),
        )
    text = to_json(result.snapshot, sum(result.snapshot["topics"].values()))
    if target is not None:
        target.write(text)
    for assumption in result.assumed:
        remark(f"assumed: {assumption}")
    if target is None:
        emit(text)
    return 0
