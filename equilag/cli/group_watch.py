"""``equilag groups --watch``: the list again and again, until Ctrl-C."""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeAlias

from equilag.cli.arguments.conversions import number_from
from equilag.cli.arguments.options import LIVE, Option
from equilag.cli.screen import emit, remark, report_for
from equilag.cli.stop_signals import Stop
from equilag.domain.errors import InputError
from equilag.domain.figures import plural, printable
from equilag.report.outputs import JSON, TEXT, to_line
from equilag.report.terminal import is_terminal, wants_control_codes

if TYPE_CHECKING:
    from equilag.report.reports.groups import GroupsReport

USUAL_S: Final = 5.0
"""Between the starts of two rounds: lags change visibly, and a broker hardly notices."""
LEAST_S: Final = 0.5
"""A round takes some requests to each broker."""
MOST_S: Final = 86_400.0
"""A day."""
HOME: Final = "\x1b[H"
CLEAR: Final = "\x1b[2J\x1b[H"
TO_LINE_END: Final = "\x1b[K"
TO_SCREEN_END: Final = "\x1b[J"
"""ECMA-48: cursor to the top left; the same on an empty screen; erase what is right or below."""
WATCH: Final = Option(
    "--watch", "SECONDS",
    f"repeat the list until Ctrl-C, every {USUAL_S:g} seconds unless SECONDS is given",
    number_from(LEAST_S, MOST_S, f"a number of seconds from {LEAST_S:g} to {MOST_S:g}"),
    needs=(LIVE,), alone=USUAL_S,
)  # fmt: skip

Round: TypeAlias = "Callable[[], tuple[GroupsReport, list[str]]]"
"""Reads the groups, with remarks. Raises InputError."""


def watch(args: argparse.Namespace, read: Round) -> int:
    """Show the groups every ``--watch`` seconds until SIGINT or SIGTERM; the exit status.

    A terminal shows the newest round only, anything else gets one block per round. Raises
    InputError if the first round fails; a later one that does is a line.
    """
    redraws = args.output == TEXT and is_terminal(sys.stdout) and wants_control_codes()
    view = _Redrawn(args) if redraws else _Blocks(args)
    with Stop():
        begun = time.monotonic()
        view.show(*read())
        while True:
            now = time.monotonic()
            # A round that takes longer than the interval is followed by the next at once.
            time.sleep(max(0.0, begun + args.watch - now))
            begun = time.monotonic()
            try:
                found = read()
            except InputError as error:
                view.fail(str(error))
            else:
                view.show(*found)
    return 0


def _time() -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S")


class _Blocks:
    """Rounds one after the other."""

    def __init__(self, args: argparse.Namespace) -> None:
        self._args = args
        self._shown: list[str] = []
        """Remarks of the round before."""

    def show(self, report: GroupsReport, remarks: list[str]) -> None:
        is_json = self._args.output == JSON
        # One line for each round, as programs read a stream of documents.
        content = to_line(report.document()) if is_json else report_for(report, self._args)
        if self._args.output == TEXT and isinstance(content, str):
            content = f"{_time()}\n{content}\n"
        for line in remarks:
            if line not in self._shown:
                remark(line)
        self._shown = remarks
        emit(content)

    def fail(self, problem: str) -> None:
        remark(f"{_time()}: round failed: {problem}")


class _Redrawn:
    """The newest round on a terminal. The list stays while a round fails."""

    def __init__(self, args: argparse.Namespace) -> None:
        self._args = args
        self._lines: list[str] = []
        self._begin = CLEAR

    def show(self, report: GroupsReport, remarks: list[str]) -> None:
        text = report_for(report, self._args)
        assert isinstance(text, str)
        self._lines = [*text.splitlines(), *(f"equilag: {printable(line)}" for line in remarks)]
        self._draw(f"{_time()}, every {self._args.watch:g} s; Ctrl-C ends it")

    def fail(self, problem: str) -> None:
        self._draw(f"{_time()} round failed: {printable(problem)}")

    def _draw(self, heading: str) -> None:
        columns, height = shutil.get_terminal_size()
        lines = [heading[:columns], "", *self._lines]
        if len(lines) > height - 1:
            kept = max(1, height - 2)
            more = f"{plural(len(lines) - kept, 'more line')}; --groups REGEX lists fewer groups"
            lines = [*lines[:kept], more[:columns]]
        text = "".join(f"{line}{TO_LINE_END}\n" for line in lines)
        emit(f"{self._begin}{text}{TO_SCREEN_END}")
        self._begin = HOME
