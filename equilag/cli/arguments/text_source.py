"""A group from a text that Kafka's own tools print: the options for it, and reading it."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from equilag.cli.arguments import options
from equilag.cli.arguments.files import one_stdin, read_file, shown_path
from equilag.cli.arguments.options import AnyParser, Option, duration
from equilag.domain.errors import InputError

if TYPE_CHECKING:
    from equilag.adapters.describe.describe_text import Assumptions, DescribedGroups
    from equilag.adapters.describe.printed_text import PrintedText
    from equilag.domain.building.group_input import GroupInput

TEXT_OPTIONS: Final = ("subscribe", "as_owned", "between", "members_from")
"""Options that only a text needs: it has no subscriptions."""


class _TextPaths(argparse.Action):
    """The last text is the group, one before it the group of an earlier moment."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any,
        option_string: str | None = None,
    ) -> None:  # fmt: skip
        if namespace.describe_before is not None:
            parser.error("--from-describe can be given twice at most")
        namespace.describe_before = namespace.from_describe
        namespace.from_describe = values


def add_text(parser: AnyParser, metavar: str = "TEXT", *, all_groups: bool = False) -> None:
    """Add ``--from-describe``, ``--between`` and ``--members-from``; for one group ``--subscribe``
    and ``--as-owned``, too."""
    about = (
        "what kafka-consumer-groups --describe prints, or a similar tool; - reads standard input;"
        " given twice, the earlier text first"
    )
    parser.add_argument("--from-describe", metavar=metavar, help=about, action=_TextPaths)
    parser.set_defaults(describe_before=None)
    options.add(
        parser,
        Option("--between", "T", "time between two texts: rates and speeds follow", duration),
        Option("--members-from", "F", "the output of --describe --members --verbose, if it is not"
               " in the same text"),
    )  # fmt: skip
    if all_groups:
        return
    options.add(
        parser,
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


class _Texts(NamedTuple):
    """The texts that the options name."""

    describe: PrintedText
    before: PrintedText | None
    members: PrintedText | None


def _read_texts(args: argparse.Namespace) -> _Texts:
    """Raises InputError."""
    paths = args.from_describe, args.describe_before, args.members_from
    one_stdin(*paths)
    if (args.describe_before is None) != (args.between is None):
        raise InputError("goes with two texts, --from-describe BEFORE --from-describe AFTER",
                         "--between")  # fmt: skip

    from equilag.adapters.describe.printed_text import PrintedText

    return _Texts(*(path and PrintedText(read_file(path), shown_path(path)) for path in paths))


@contextmanager
def _shown(text: PrintedText) -> Iterator[Callable[[int], None]]:
    """What shows how much of a text has been read."""
    from equilag.cli.progress_line import ProgressLine

    size = len(text.text)
    with options.named(), ProgressLine() as line:
        yield lambda done: line.show(
            f"reading, {done / 1e6:.0f} of {size / 1e6:.0f} MB", done, size
        )


def group_from_text(args: argparse.Namespace) -> tuple[GroupInput, list[str]]:
    """The group of ``--from-describe``, and a remark for each thing that it does not say. Raises
    InputError."""
    from equilag.adapters.describe.describe_text import read_describe
    from equilag.adapters.describe.two_texts import add_earlier

    texts, reset = _read_texts(args), args.auto_offset_reset or options.RESETS_DEFAULT
    assumed: Assumptions = {
        "subscribe": dict(args.subscribe), "as_owned": args.as_owned, "auto_offset_reset": reset,
    }  # fmt: skip
    with _shown(texts.describe) as show:
        result = read_describe(
            texts.describe, texts.members, group=args.group, show=show, **assumed
        )
        if texts.before is not None:
            earlier = read_describe(texts.before, group=args.group, **assumed)
            add_earlier(result.given, earlier.given, args.between)
    return result.given, [f"assumed: {assumption}" for assumption in result.assumed]


def groups_from_text(args: argparse.Namespace) -> DescribedGroups:
    """Every group of ``--from-describe``, with what an earlier text says of it. Raises
    InputError."""
    from equilag.adapters.describe.describe_text import read_all_described
    from equilag.adapters.describe.two_texts import add_earlier

    texts, reset = _read_texts(args), args.auto_offset_reset or options.RESETS_DEFAULT
    with _shown(texts.describe) as show:
        found = read_all_described(
            texts.describe, texts.members, show=show, auto_offset_reset=reset
        )
        if texts.before is None:
            return found
        earlier = read_all_described(texts.before, auto_offset_reset=reset).groups
    for name in [name for name in found.groups if name in earlier]:
        try:
            add_earlier(found.groups[name].given, earlier[name].given, args.between)
        except InputError as error:
            found.left_out[name] = str(error)
            del found.groups[name]
    return found
