"""The commands that answer a question about one group, each declared."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Final

from equilag.cli.arguments import options
from equilag.cli.arguments.conversions import OneOf, duration, seconds, whole, wrong
from equilag.cli.arguments.options import Option
from equilag.cli.group_command import PLAN_FILE, GroupCommand, Question, place_files

if TYPE_CHECKING:
    from equilag.domain.plan.plan import Plan
    from equilag.domain.plan.verdict import VerdictFacts
    from equilag.report.report_blocks import Report

_RANGE: Final = re.compile(r"([0-9]{1,6})(?:\.\.([0-9]{1,6}))?")


def sizes(text: str) -> tuple[int, int]:
    """A first and a last number, from 1 on: ``4..12``, or ``8`` for one."""
    found = _RANGE.fullmatch(text.strip())
    first = int(found[1]) if found else 0
    last = int(found[2] or found[1]) if found else 0
    if not 0 < first <= last:
        raise wrong(text, "not a range such as 4..12")
    return first, last


def _plan(asked: Question) -> Report:
    from equilag.planner.solve import solve
    from equilag.report.reports.plan import PlanReport, VerdictReport

    args = asked.args
    plan = solve(asked.group, asked.policy, **asked.run)
    kind = VerdictReport if args.check and args.output == "text" else PlanReport
    return kind(plan, verbose=args.verbose, limits=options.limits_of(args))


def _assign(asked: Question) -> Report:
    from equilag.planner.assign import assign
    from equilag.report.reports.plan import PlanReport

    return PlanReport(assign(asked.group, asked.args.assignor), verbose=asked.args.verbose)


def _compare(asked: Question) -> Report:
    from equilag.planner.compare import compare
    from equilag.report.reports.comparison import ComparisonReport

    own = asked.args.assignor
    return ComparisonReport(compare(asked.group, asked.policy, assignors=own, **asked.run))


def _explain(asked: Question) -> Report:
    from equilag.planner.explain import explain
    from equilag.report.reports.explanation import ExplanationReport

    limits = options.limits_of(asked.args)
    if asked.plan is not None:
        return ExplanationReport(explain(asked.group, asked.plan, **asked.run), limits)
    return ExplanationReport(explain(asked.group, policy=asked.policy, **asked.run), limits)


def _frontier(asked: Question) -> Report:
    from equilag.planner.facts.front import front_facts
    from equilag.planner.frontier import frontier
    from equilag.planner.verdict.quick_verdict import quick_verdict
    from equilag.report.reports.frontier import FrontierReport

    effort, stop = asked.args.effort, asked.run["stop"]
    if asked.args.deterministic and effort is None:
        effort = asked.args.time_limit / 2
    points = frontier(asked.group, asked.policy, **asked.run)
    run = {"seed": asked.args.seed, **({} if effort is None else {"effort": effort})}
    stopped = stop is not None and stop.is_set()
    front = front_facts(asked.group, points, asked.policy, interrupted=stopped, run=run)
    return FrontierReport(front, verdict=partial(quick_verdict, asked.group, policy=asked.policy))


def _simulate(asked: Question) -> Report:
    from equilag.planner.simulate import simulate
    from equilag.report.reports.simulation import SimulationReport

    args = asked.args
    found = simulate(
        asked.group, asked.plan, duration=getattr(args, "for"), pause=args.pause,
        protocol=args.protocol, rounds=args.rounds, poll=args.poll, policy=asked.policy,
        **asked.run,
    )  # fmt: skip
    return SimulationReport(found, _verdict(asked, found.plan))


def _verdict(asked: Question, plan: Plan | None = None) -> VerdictFacts:
    """What is wrong, which a command about something else says first; of its plan if it has one."""
    from equilag.planner.verdict.plan_verdict import verdict_of
    from equilag.planner.verdict.quick_verdict import quick_verdict
    from equilag.planner.worth.judged_plan import JudgedPlan

    limits = options.limits_of(asked.args)
    if plan is not None:
        return verdict_of(JudgedPlan(plan, limits))
    return quick_verdict(asked.group, limits, asked.policy)


def _size(asked: Question) -> Report:
    from equilag.planner.size import size
    from equilag.report.reports.size import SizeReport

    args = asked.args
    sizing = size(
        asked.group, asked.policy, members=args.members, threads=args.threads,
        catch_up=args.catch_up, **asked.run,
    )  # fmt: skip
    return SizeReport(sizing, _verdict(asked))


PLAN: Final = GroupCommand(
    "plan",
    "the best plan within a time limit, with its certificate",
    """\
Finds an assignment of the group's partitions with even counts, then the
smallest lag spread and the fewest moves, in the order of the policy, and proves
how good it is.""",
    """\
policies (even counts come first under each of them):
  lag-aware         total counts, then lag spread + move cost, then fewest moves
  kip-169           counts per topic, then lag spread
  fair-yet-sticky   total counts, then fewest moves, then lag spread
  sticky-yet-fair   no voluntary move at all, then counts, then lag spread

examples:
  equilag plan snapshot.json --max-moves 10 --out plan.json
  equilag plan --bootstrap-server kafka:9092 --group orders --check""",
    _plan,
    (
        Option("--check", "", "print only the verdict, and exit with 10 if there is something to"
               " do, else with 0"),
        *options.LIMITS,
    ),
    time_limit=2.0,
    writes_plan=True,
)  # fmt: skip

EXPLAIN: Final = GroupCommand(
    "explain",
    "why a group is uneven, what bounds its plan, what moves are for",
    """\
Says why the group is uneven now, what keeps the members from being more evenly
loaded by a plan (a partition, what members subscribe to, even counts, limits),
what each looser setting would bring, and what each move of the plan is for.""",
    """\
Without PLAN it makes one, with the options of equilag plan. PLAN is verified
first and has its own settings. --time-limit is for the plan; looser settings
get 1.5 times as much in all, on top.

example:
  equilag explain snapshot.json plan.json""",
    _explain,
    (PLAN_FILE, *options.LIMITS),
    time_limit=2.0,
    place=place_files,
)

ASSIGN: Final = GroupCommand(
    "assign",
    "the plan of one assignor, not optimised",
    """\
Runs one assignor of Kafka, of its improvement proposals, or of your own. Its
result is not optimised, and nothing is claimed about its balance.""",
    """\
assignors:
  range, round-robin   as in Kafka's clients
  fair                 KIP-49
  sticky               KIP-54, with the ownership rule of Kafka 4
  lag-aware            KIP-169
  constrained-sticky   KIP-615
  uniform              as in Kafka's brokers 4.1 to 4.4 (KIP-848)
  broker-range         their range
  and installed ones by name, or MODULE:ATTRIBUTE

example:
  equilag assign snapshot.json --assignor range""",
    _assign,
    (Option("--assignor", "NAME", "the assignor to run; see the list below", required=True),),
    writes_plan=True,
)

COMPARE: Final = GroupCommand(
    "compare",
    "all assignors, the current assignment and the optimum side by side",
    """\
Compares every assignor, the current assignment and equilag's own plan: how even
their counts and their lag are, how many partitions they move, and how far they
are from the proved bound.""",
    """\
example:
  equilag compare snapshot.json --time-limit 5""",
    _compare,
    (options.COMPARED,),
    time_limit=2.0,
    defaults={"tolerance": 0.0},
)

FRONTIER: Final = GroupCommand(
    "frontier",
    "all trade-offs between moves and lag spread",
    """\
Lists how even the lag can be: for each number of moves the
smallest lag spread that was found, and its proved lower bound.""",
    """\
--move-cost and --tolerance choose one of the points, so they change nothing
here. --plot needs matplotlib: pip install 'equilag[plot]'

example:
  equilag frontier snapshot.json --plot frontier.svg""",
    _frontier,
    (Option("--plot", "F", "draw the trade-offs to this file: .svg or .png"),),
    time_limit=5.0,
)

SIMULATE: Final = GroupCommand(
    "simulate",
    "how lag develops, with and without a plan",
    """\
Computes lag over time, under the current assignment and under a plan's: when
everything is read, or who falls behind by how much. It needs the members'
capacities in records per second, and the rates at which records are produced.""",
    """\
Without PLAN it makes one, with the options of equilag plan. With PLAN, only
--capacity of these may be given. --plot needs matplotlib:
pip install 'equilag[plot]'

example:
  equilag simulate snapshot.json plan.json --for 30m --plot lag.svg""",
    _simulate,
    (
        PLAN_FILE,
        Option("--for", "D", "how far ahead to look, such as 90s or 1h (default: until all is read,"
               " at most 1h)", duration),
        Option("--pause", "S", "seconds that the rebalance to the plan takes",
               seconds, 2.3),
        Option("--protocol", "P", "protocol of the rebalance; eager: all partitions pause;"
               " cooperative: only those that change hands",
               OneOf(("eager", "cooperative")), "eager"),
        Option("--rounds", "N", "rounds of a cooperative rebalance", whole(least=2), 2),
        Option("--poll", "S", "seconds between polls of the slowest member, in place of --pause",
               seconds),
        Option("--plot", "F", "draw lag over time to this file: .svg or .png"),
        *options.LIMITS,
    ),
    time_limit=2.0,
    place=place_files,
    beside_plan=("capacity",),
)  # fmt: skip

SIZE: Final = GroupCommand(
    "size",
    "how many members a group needs, and when more help no further",
    """\
For each number of members, computes how heavy the heaviest one is at best, and
proves it: how many members keep up with what is produced, how long they take to
read everything, and at which numbers another member helps.""",
    """\
All partitions are planned anew, so there are no options about owners, moves,
racks or single members. New members are called new-1, new-2, ...;
--capacity 'new-*=N' sets their capacity.

example:
  equilag size snapshot.json --capacity '*=1000' --catch-up 10m""",
    _size,
    (
        Option("--members", "FROM..TO", "numbers of members to look at (default: from 1 to the"
               " number of partitions)", sizes),
        Option("--threads", "N", "count processes of N threads, each of which is a member (default:"
               " as many as the instances of the group have, or 1)", whole()),
        Option("--catch-up", "D", "how many members have read everything within D, such as 90s or"
               " 10m", duration),
        *options.LIMITS,
    ),
    time_limit=10.0,
    settings="size",
    helps={
        "weight": "lag; rate: records produced per second; work: lag + rate x horizon; given: the"
        " snapshot's weights (default: rate where rates are known, else lag)",
        "tolerance": "a size helps if its heaviest load is lower by more than so many percent"
        " (default: 1)",
    },
)  # fmt: skip
