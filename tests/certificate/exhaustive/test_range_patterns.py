"""The patterns of a range, asked for in any order of their limits on moves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from support.small_problems import random_problem

from equilag.certificate.exhaustive.item_masks import ItemMasks, SearchTask
from equilag.certificate.exhaustive.patterns import MemberPatterns
from equilag.certificate.exhaustive.range_patterns import RangePatterns
from equilag.certificate.exhaustive.small_problem import SearchTarget
from equilag.domain.budget import Budget


def test_the_fewest_ends_of_moves_do_not_depend_on_what_was_asked_before() -> None:
    """Also where more was listed before than is asked for now."""
    rng, some = np.random.default_rng(3), 0
    for number in range(12):
        items = 17
        problem = random_problem(rng, members=3, items=items)
        problem = replace(problem, owner=rng.integers(0, 3, items))
        if number % 2:
            even = np.full(3, 5), np.full(3, 5)
            problem = replace(problem, lo=even[0], hi=even[1], allowed=problem.allowed | True)
        masks = ItemMasks.of(problem)
        mean = int(problem.lag.sum()) // 3
        target = masks.scaled.target(
            problem, SearchTarget(20, floor=mean - 9, cap=mean + 9, max_moves=9)
        )
        classes = masks.member_classes(True)
        task = SearchTask(masks, SearchTarget(20), target, classes, Budget(10**9))
        source = MemberPatterns(masks, classes)
        asked = RangePatterns(task, source)
        gone = np.zeros(masks.masks.shape[1], np.uint64)
        every = RangePatterns(task, source).patterns(0, gone, 18)
        assert every is not None
        for ends in rng.permutation(12).tolist():
            if ends % 3 == 0:
                asked.patterns(0, gone, ends + 6)
            least = asked.fewest(0, gone, ends)
            possible = every.ends[every.ends <= ends]
            if len(possible):
                assert least == possible.min()
                some += 1
            else:
                assert least > ends
    assert some > 20
