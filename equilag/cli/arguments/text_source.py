"""A group from a text that Kafka's own tools print: the options for it, and reading it."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Final

from equilag.cli.arguments import options
from equilag.cli.arguments.files import one_stdin, read_file, shown_path
from equilag.cli.arguments.options import AnyParser, Option

if TYPE_CHECKING:
    from equilag.domain.building.group_input import GroupInput

TEXT_OPTIONS: Final = ("subscribe", "as_owned")
"""Options that only a text needs: it has no subscriptions."""


def add_text(parser: AnyParser, metavar: str = "TEXT") -> None:
    """Add ``--from-describe``, ``--subscribe`` and ``--as-owned``."""
    options.add(
        parser,
        Option("--from-describe", metavar, "what kafka-consumer-groups --describe prints, or a"
               " similar tool; - reads standard input"),
        Option("--subscribe", "ID=t1,t2", "the topics that a member subscribes to; can be repeated",
               subscription, repeats=True),
        Option("--as-owned", "", "assume that each member subscribes only to the topics of its"
               " partitions"),
    )  # fmt: skip


def subscription(text: str) -> tuple[str, list[str]]:
    """The member and the topics of one ``--subscribe``."""
    # Topic names hold no "=", client ids may.
    member, equals, topics = text.rpartition("=")
    if not equals or not member:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form ID=t1,t2")
    return member, [topic.strip() for topic in topics.split(",") if topic.strip()]


def group_from_text(
    args: argparse.Namespace, members_path: str | None = None
) -> tuple[GroupInput, list[str]]:
    """The group of ``--from-describe``, and a remark for each thing that it does not say.

    `members_path` is a second text, with the members. Raises InputError.
    """
    one_stdin(args.from_describe, members_path)
    describe = read_file(args.from_describe)
    members = read_file(members_path) if members_path is not None else None

    from equilag.adapters.describe.describe_text import read_describe
    from equilag.adapters.describe.printed_text import PrintedText
    from equilag.cli.progress_line import ProgressLine

    def show(done: int) -> None:
        words = f"reading, {done / 1e6:.0f} of {len(describe) / 1e6:.0f} MB"
        progress.show(words, done, len(describe))

    with options.named(), ProgressLine() as progress:
        result = read_describe(
            PrintedText(describe, shown_path(args.from_describe)),
            None if members is None else PrintedText(members, shown_path(members_path or "")),
            group=args.group,
            subscribe=dict(args.subscribe),
            as_owned=args.as_owned,
            auto_offset_reset=args.auto_offset_reset or options.RESETS_DEFAULT,
            show=show,
        )
    return result.given, [f"assumed: {assumption}" for assumption in result.assumed]
