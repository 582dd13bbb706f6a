"""A group from a text that Kafka's own tools print: the options for it, and reading it."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from equilag.cli.arguments.cluster import RESET
from equilag.cli.arguments.conversions import duration
from equilag.cli.arguments.files import one_stdin, read_file, shown_path
from equilag.cli.arguments.options import METRICS, TEXT, Option
from equilag.domain.errors import InputError

if TYPE_CHECKING:
    from equilag.adapters.describe.describe_text import Assumptions, DescribedGroups
    from equilag.adapters.describe.printed_text import PrintedText
    from equilag.domain.building.group_input import GroupInput


def subscription(text: str) -> tuple[str, list[str]]:
    """The member and the topics of one ``--subscribe``."""
    # Topic names hold no "=", client ids may.
    member, equals, topics = text.rpartition("=")
    if not equals or not member:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form ID=t1,t2")
    return member, [topic.strip() for topic in topics.split(",") if topic.strip()]


ALL_OF_TEXT: Final = (
    Option(TEXT, "TEXT", "what kafka-consumer-groups --describe prints, or a similar tool; - reads"
           " standard input; given twice, the earlier text first", repeats=True, is_source=True),
    Option("--between", "T", "time between two texts: rates and speeds follow", duration,
           needs=(TEXT, METRICS)),
    Option("--members-from", "F", "the output of --describe --members --verbose, if it is not in"
           " the same text", needs=(TEXT,)),
)  # fmt: skip
ONE_OF_TEXT: Final = (
    *ALL_OF_TEXT,
    Option("--subscribe", "ID=t1,t2", "the topics that a member subscribes to; can be repeated",
           subscription, repeats=True, needs=(TEXT,)),
    Option("--as-owned", "", "assume that each member subscribes only to the topics of its"
           " partitions", needs=(TEXT,)),
)  # fmt: skip
"""Of commands about all groups of a text, and about one."""


def _read_texts(
    args: argparse.Namespace,
) -> tuple[PrintedText, PrintedText | None, list[PrintedText]]:
    """The text, that of the members if it is another one, and those before. Raises InputError."""
    one_stdin(*args.from_describe, args.members_from)
    if len(args.from_describe) > 2:
        args.parser.error(f"{TEXT} can be given twice at most")
    if (len(args.from_describe) == 2) != (args.between is not None):
        raise InputError("goes with two texts, --from-describe BEFORE --from-describe AFTER",
                         "--between")  # fmt: skip

    from equilag.adapters.describe.printed_text import PrintedText

    paths = args.members_from, *args.from_describe
    members, *earlier, text = (
        path and PrintedText(read_file(path), shown_path(path)) for path in paths
    )
    return text, members, earlier


@contextmanager
def _shown(text: PrintedText) -> Iterator[Callable[[int], None]]:
    """What shows how much of a text has been read."""
    from equilag.cli.progress_line import ProgressLine

    size = len(text.text)
    with ProgressLine() as line:
        yield lambda done: line.show(
            f"reading, {done / 1e6:.0f} of {size / 1e6:.0f} MB", done, size
        )


def group_from_text(args: argparse.Namespace) -> tuple[GroupInput, list[str]]:
    """The group of ``--from-describe``, and a remark for each thing that it does not say. Raises
    InputError."""
    from equilag.adapters.describe.describe_text import read_describe
    from equilag.adapters.describe.two_texts import add_earlier

    text, members, earlier = _read_texts(args)
    reset = args.auto_offset_reset or RESET.default
    assumed: Assumptions = {
        "subscribe": dict(args.subscribe), "as_owned": args.as_owned, "auto_offset_reset": reset,
    }  # fmt: skip
    with _shown(text) as show:
        result = read_describe(text, members, group=args.group, show=show, **assumed)
        for before in earlier:
            found = read_describe(before, group=args.group, **assumed)
            add_earlier(result.given, found.given, args.between)
    return result.given, [f"assumed: {assumption}" for assumption in result.assumed]


def groups_from_text(args: argparse.Namespace) -> DescribedGroups:
    """Every group of ``--from-describe``, with what an earlier text says of it. Raises
    InputError."""
    from equilag.adapters.describe.describe_text import read_all_described
    from equilag.adapters.describe.two_texts import add_earlier

    text, members, earlier = _read_texts(args)
    reset = args.auto_offset_reset
    with _shown(text) as show:
        found = read_all_described(text, members, show=show, auto_offset_reset=reset)
        before = [read_all_described(one, auto_offset_reset=reset).groups for one in earlier]
    for groups in before:
        for name in [name for name in found.groups if name in groups]:  # in a fixed order
            try:
                add_earlier(found.groups[name].given, groups[name].given, args.between)
            except InputError as error:
                found.left_out[name] = str(error)
                del found.groups[name]
    return found
