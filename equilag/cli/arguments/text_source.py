"""A group from a text that Kafka's own tools print: the options for it, and reading it."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any, Final

from equilag.cli.arguments import options
from equilag.cli.arguments.converters import duration
from equilag.cli.arguments.files import one_stdin, read_file, shown_path
from equilag.cli.arguments.options import AnyParser, Option
from equilag.domain.errors import InputError

if TYPE_CHECKING:
    from equilag.domain.building.group_input import GroupInput

TEXT_OPTIONS: Final = ("subscribe", "as_owned", "between")
"""Options that only a text needs: it has no subscriptions."""


class _Texts(argparse.Action):
    """The last text is the group, one before it the group of an earlier moment."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any,
        option_string: str | None = None,
    ) -> None:  # fmt: skip
        if namespace.describe_before is not None:
            parser.error("--from-describe can be given twice at most")
        namespace.describe_before = namespace.from_describe
        namespace.from_describe = values


def add_text(parser: AnyParser, metavar: str = "TEXT") -> None:
    """Add ``--from-describe``, ``--between``, ``--subscribe`` and ``--as-owned``."""
    about = (
        "what kafka-consumer-groups --describe prints, or a similar tool; - reads standard input;"
        " given twice, the earlier text first"
    )
    parser.add_argument("--from-describe", metavar=metavar, help=about, action=_Texts)
    parser.set_defaults(describe_before=None)
    options.add(
        parser,
        Option("--between", "T", "time between two texts: rates and speeds follow", duration),
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
) -> tuple[GroupInput, list[str], tuple[str, ...]]:
    """The group of ``--from-describe``, a remark for each thing that it does not say, and why it
    does not say who reads what.

    `members_path` is a second text, with the members. Raises InputError.
    """
    one_stdin(args.describe_before, args.from_describe, members_path)
    if (args.describe_before is None) != (args.between is None):
        raise InputError("goes with two texts, --from-describe BEFORE --from-describe AFTER",
                         "--between")  # fmt: skip
    before = None if args.describe_before is None else read_file(args.describe_before)
    describe = read_file(args.from_describe)
    members = read_file(members_path) if members_path is not None else None

    from equilag.adapters.describe.describe_text import DescribeResult, read_describe
    from equilag.adapters.describe.printed_text import PrintedText
    from equilag.adapters.describe.two_texts import add_earlier
    from equilag.cli.progress_line import ProgressLine

    def show(done: int) -> None:
        words = f"reading, {done / 1e6:.0f} of {len(describe) / 1e6:.0f} MB"
        progress.show(words, done, len(describe))

    def read(text: str, path: str, more: PrintedText | None) -> DescribeResult:
        return read_describe(
            PrintedText(text, shown_path(path)),
            more,
            group=args.group,
            subscribe=dict(args.subscribe),
            as_owned=args.as_owned,
            auto_offset_reset=args.auto_offset_reset or options.RESETS_DEFAULT,
            show=show,
        )

    more = None if members is None else PrintedText(members, shown_path(members_path or ""))
    with options.named(), ProgressLine() as progress:
        result = read(describe, args.from_describe, more)
        if before is not None:
            earlier = read(before, args.describe_before, None)
            add_earlier(result.given, earlier.given, args.between)
    remarks = [f"assumed: {assumption}" for assumption in result.assumed]
    return result.given, remarks, result.incomplete
