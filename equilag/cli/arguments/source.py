"""The group that a command is about: a snapshot file, a text of Kafka's tools, a live group."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from equilag.adapters.files import OutputFile
from equilag.cli.arguments import options
from equilag.cli.arguments.cluster import ANY_CLUSTER, ISOLATION, RESET_OR_UNKNOWN, SAMPLE, reading
from equilag.cli.arguments.files import read_snapshot
from equilag.cli.arguments.metrics_source import METRICS_THEN, group_from_metrics
from equilag.cli.arguments.options import LIVE, METRICS, TEXT, Option, Titled, is_server
from equilag.cli.arguments.text_source import ONE_OF_TEXT, group_from_text
from equilag.cli.screen import remark
from equilag.domain.errors import InputError
from equilag.domain.figures import plural
from equilag.domain.show import masked
from equilag.report.outputs import to_json

if TYPE_CHECKING:
    from equilag.domain.building.group_input import GroupInput
    from equilag.domain.group.group import Group
    from equilag.domain.policy.policy import Policy
SOURCES: Final = {
    "SNAPSHOT": "snapshot", TEXT: "from_describe", LIVE: "bootstrap_server", METRICS: "prometheus",
}  # fmt: skip
"""Source of groups -> where a parsed command has it."""
LONGER: Final = 3
"""Times the window of metrics in which more is seen."""
NO_SOURCE: Final = ("--save-snapshot", "--watch")
"""Options that need a source, and say nothing of it."""


SOURCE: Final = (
    options.SNAPSHOT,
    Titled("a text of Kafka's tools in place of SNAPSHOT", ONE_OF_TEXT),
    Titled("a live group in place of SNAPSHOT", (
        *ANY_CLUSTER,
        Option("--group", "G", "the group to read; a text needs it if it holds several",
               needs=(LIVE, TEXT, METRICS)),
        RESET_OR_UNKNOWN, ISOLATION, SAMPLE,
        Option("--save-snapshot", "F", "write the group's snapshot to this file, for equilag verify"
               " F PLAN", needs=(LIVE, TEXT, METRICS)),
    )),
    Titled("metrics of a lag exporter in place of SNAPSHOT", METRICS_THEN),
)  # fmt: skip
"""SNAPSHOT, and the options for a text, a live group or metrics in its place."""


class GroupPast(NamedTuple):
    """A group; and with ``--sample`` what it was before."""

    group: Group
    before: tuple[Group, ...] = ()
    """When sampling began."""
    course: Sequence[tuple[float, int]] = ()
    """Seconds since then, and the lag."""


def read_group(args: argparse.Namespace, policy: Policy | None = None) -> GroupPast:
    """The group that the command is about, and what is known of its past. Raises InputError, also
    for options that do not go together.

    With the policy of a plan that is to be made, warnings name topics that seem to belong together,
    settings about racks where these are not known, and settings that others change or cancel.
    """
    check_source(args)
    if not in_place_of_file(args):
        group = read_snapshot(args.snapshot)
        _warn(group, policy)
        return GroupPast(group)
    target = _saved(args)

    from equilag.adapters.kafka.group_kinds import BROKER_ASSIGNS, CONSUMER
    from equilag.adapters.snapshot.write import snapshot_document
    from equilag.domain.group.group import Group

    found = text_or_live_group(args)
    remarks = [*found.remarks, *([BROKER_ASSIGNS] if found.kind == CONSUMER else [])]
    for line in remarks:
        remark(line)
    metrics = _metrics_words(args) if args.prometheus else None
    group = replace(Group.build(**found.given), remarks=tuple(remarks), from_metrics=metrics)
    _warn(group, policy, found.protocol)
    live = args.bootstrap_server is not None
    if live and args.sample is None and policy is not None and policy.weight is None:
        remark(
            "rates and capacities are unknown, so lag alone is spread; --sample 30s measures them"
        )
    if target is not None:
        target.write(to_json(snapshot_document(found.given), group.n_partitions))
    before = () if found.before is None else (Group.build(**found.before),)
    return GroupPast(group, before, found.course)


def in_place_of_file(args: argparse.Namespace) -> bool:
    """True if the group is not that of a snapshot file."""
    return args.bootstrap_server is not None or bool(args.from_describe or args.prometheus)


def text_or_live_group(args: argparse.Namespace) -> ReadGroup:
    """The group of a text, of metrics, or of a cluster. Raises InputError."""
    if args.from_describe:
        return ReadGroup(*group_from_text(args))
    if getattr(args, SOURCES[METRICS], None):  # which snapshot does not take
        samples, given, remarks = group_from_metrics(args)
        before = samples.first.group_input(args.auto_offset_reset)
        return ReadGroup(given, remarks, before=before, course=samples.course())
    return _live_group(args)


def _metrics_words(args: argparse.Namespace) -> tuple[str, str]:
    """How commands that say more name the metrics that were given: of a server more time, beside a
    text a later one."""
    words = [*source_words(args)]
    if "--window" in words:
        del words[(place := words.index("--window")) : place + 2]
    later = "" if args.between else f"{METRICS} LATER --between 60s"
    if any(map(is_server, args.prometheus)):
        later = f"--window {LONGER * args.window / 60:g}m"
    return shlex.join(words), later


def _warn(group: Group, policy: Policy | None, protocol: str = "") -> None:
    from equilag.planner.facts.setting_warnings import warnings

    for line in () if policy is None else warnings(group, policy, protocol):
        remark(line)


class ReadGroup(NamedTuple):
    """A group as it was read."""

    given: GroupInput
    remarks: list[str]
    protocol: str = ""
    """The assignor that it uses; empty if unknown."""
    kind: str = ""
    """The kind of a live group, such as ``classic``."""
    before: GroupInput | None = None
    """The same group when sampling began."""
    course: Sequence[tuple[float, int]] = ()
    """Seconds since then, and the lag."""


def _live_group(args: argparse.Namespace) -> ReadGroup:
    """Read the group, and measure its rates and capacities with ``--sample``. Raises InputError."""
    reset, seconds, before = args.auto_offset_reset, args.sample, None
    course: Sequence[tuple[float, int]] = ()
    with reading(args) as reader:
        if seconds is None:
            found = reader.read(args.group)
            given, remarks = found.group_input(reset), [*found.remarks]
        else:
            from equilag.adapters.kafka.group_samples import measured_input, sample_group
            from equilag.cli.progress_line import ProgressLine

            with ProgressLine() as line:
                samples = sample_group(
                    reader, args.group, seconds,
                    lambda done: line.show(f"sampling, {done:.0f} of {seconds:g} s", done, seconds),
                )  # fmt: skip
            given, measured = measured_input(samples, reset)
            found, before = samples.last, samples.first.group_input(reset)
            course = samples.course()
            remarks = [*found.remarks, *measured]
    without = sum(map(len, found.offsets.uncommitted.values()))
    if without and reset is None:
        remarks.append(
            f"the lag of {plural(without, 'partition')} without a commit is unknown and counts as"
            " 0; set --auto-offset-reset"
        )
    return ReadGroup(given, remarks, found.protocol, found.kind, before, course)


def check_source(args: argparse.Namespace, *, one_group: bool = True) -> None:
    """Refuse anything but exactly one source of the group. Raises InputError."""
    refuse = args.parser.error
    sources = {
        name: getattr(args, place) for name, place in SOURCES.items() if hasattr(args, place)
    }
    given = [name for name, value in sources.items() if value not in (None, [])]
    if len(given) > 1:
        refuse(f"give either {given[0]} or {given[1]}")
    if not given:
        first, *others = sources
        group = " with --group" if one_group else ""
        refuse(f"{first} is required, or {', or '.join(others)}{group}")
    is_live = given == [LIVE] or (given == [METRICS] and any(map(is_server, args.prometheus)))
    if one_group and is_live and args.group is None:
        refuse(f"{given[0]} needs --group")


def source_words(args: argparse.Namespace, file_name: Callable[[str], str] = str) -> Iterator[str]:
    """The options that name a text or a live group, and say how it is read, as they were typed;
    `file_name` says what a file is called."""
    for action in options.given_options(args.parser, args):
        one, values = action.declared, getattr(args, action.dest)
        names_source = (one.needs or one.flag in SOURCES) and one.flag not in NO_SOURCE
        if action.origin is None or not names_source:
            continue
        for value in values if one.repeats else [values]:
            yield one.flag
            text = masked(options.value_text(one, value))
            if one.metavar:
                yield file_name(text) if one.metavar in options.FILES else text


def _saved(args: argparse.Namespace) -> OutputFile | None:
    if args.save_snapshot is None:
        return None
    for other in ("out", "plot"):
        if getattr(args, other, None) == args.save_snapshot:
            raise InputError(f"is also the file of --{other}", "--save-snapshot")
    return OutputFile(args.save_snapshot, "--save-snapshot", args.from_describe)
