"""``equilag plan``: the best plan within a time limit."""

from __future__ import annotations

import argparse
from typing import Final

from equilag.cli import options
from equilag.cli.deliver import deliver, target_of
from equilag.cli.screen import ProgressLine
from equilag.cli.source import add_source, read_group
from equilag.policy import Policy

NAME: Final = "plan"
HELP: Final = "the best plan within a time limit, with its certificate"
DESCRIPTION: Final = """\
Finds an assignment of the group's partitions: counts as even as can be, then
the smallest spread of lag and the fewest moves, in the order that the policy
asks for; and proves how good it is."""
EPILOG: Final = """\
policies (even counts come first under each of them):
  lag-aware         total counts, then lag spread + move cost, then fewest moves
  kip-169           counts per topic, then lag spread
  fair-yet-sticky   total counts, then fewest moves, then lag spread
  sticky-yet-fair   no voluntary move at all, then counts, then lag spread

example:
  equilag plan snapshot.json --max-moves 10 --out plan.json"""


def configure(parser: argparse.ArgumentParser) -> None:
    add_source(parser)
    options.add_goals(parser, tolerance=0.0)
    options.add_time_limit(parser, 2.0)
    parser.add_argument(
        "--effort",
        metavar="S",
        type=options.seconds,
        help="about S seconds' worth of work, counted, so that a run can be repeated exactly",
    )
    parser.add_argument(
        "--deterministic", action="store_true", help="an effort of half the time limit"
    )
    parser.add_argument(
        "--max-moves", metavar="N", type=options.whole(), help="no more moves than this"
    )
    parser.add_argument(
        "--fresh", action="store_true", help="plan as if nobody owned anything: fairness only"
    )
    options.add_outputs(parser)


def run(args: argparse.Namespace) -> int:
    policy = Policy.of(
        args.policy, args.balance, args.move_cost, args.tolerance, args.max_moves, args.fresh
    )
    target = target_of(args)
    group = read_group(args)

    from equilag.planner.solve import solve

    with ProgressLine() as progress, options.named():
        plan = solve(
            group,
            policy.name,
            time_limit=args.time_limit,
            seed=args.seed,
            balance=policy.balance,
            move_cost=policy.move_cost,
            tolerance=policy.tolerance,
            max_moves=policy.max_moves,
            fresh=policy.fresh,
            effort=args.effort,
            deterministic=args.deterministic,
            progress=progress,
        )

    deliver(plan, args, target)
    return 0
