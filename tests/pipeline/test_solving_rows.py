"""A result or a failure as the Arrow row that the solve stage returns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.problem_rows import QUICK, usual_problem

from equilag.pipeline.group_result import GroupResult, PlanGroup
from equilag.pipeline.isolate import Failure
from equilag.pipeline.solving import SOLVED, arrow_schema, to_arrow
from equilag.pipeline.sources.group_columns import ASSIGNMENT, BASELINE, PLAN

pa = pytest.importorskip("pyarrow")


def row_of(group: str, outcome: GroupResult | Failure) -> dict[str, Any]:
    """The row, checked against the schema."""
    batch = to_arrow(group, outcome)
    assert batch.num_rows == 1
    assert batch.schema.equals(arrow_schema())
    batch.validate(full=True)
    (row,) = batch.to_pylist()
    return dict(row)


def result_of(**changed: Any) -> GroupResult:
    """A result with different values in all columns."""
    fields: dict[str, Any] = {
        "plan": {name: None for name, _ in PLAN},
        "baseline": [],
        "topics": ("a", "b"),
        "members": ("m0", "m1"),
        "topic": np.array([0, 0, 1], np.int32),
        "partition": np.array([0, 1, 0]),
        "source": np.array([1, -1, 0], np.int32),
        "target": np.array([0, 1, -1], np.int32),
        "weight": np.array([2**53, 0, 7]),
    }
    return GroupResult(**{**fields, **changed})


def test_the_schema() -> None:
    schema = arrow_schema()
    assert schema.names == [name for name, _ in SOLVED]
    types = {"string": pa.string(), "bigint": pa.int64(), "int": pa.int32(), "double": pa.float64(),
             "array<string>": pa.list_(pa.string())}  # fmt: skip
    for name, fields in (("plan", PLAN), ("assignment", ASSIGNMENT), ("baseline", BASELINE)):
        found = schema.field(name).type
        found = found if name == "plan" else found.value_type
        assert [(f.name, f.type) for f in found] == [(n, types[kind]) for n, kind in fields]


def test_a_made_up_answer() -> None:
    plan = {"status": "optimal", "moves": 3, "gap_percent_of_mean": 0.5, "notes": ["one", "ü"]}
    baseline = [{"assignor": "range", "moves": 2, "lag_max": 2**53, "wall_ms": 0.1}]
    row = row_of("größe", result_of(plan=plan, baseline=baseline))
    assert (row["group"], row["kind"], row["reason"]) == ("größe", None, None)
    assert row["plan"] == {**dict.fromkeys(name for name, _ in PLAN), **plan}
    assert row["baseline"] == [{**dict.fromkeys(name for name, _ in BASELINE), **baseline[0]}]
    assert row["assignment"] == [
        {"topic": "a", "partition": 0, "from": "m1", "to": "m0", "weight": 2**53},
        {"topic": "a", "partition": 1, "from": None, "to": "m1", "weight": 0},
        {"topic": "b", "partition": 0, "from": "m0", "to": None, "weight": 7},
    ]


@pytest.mark.parametrize("kind", ["input", "error", "crash", "timeout"])
def test_a_failure(kind: Any) -> None:
    row = row_of("g", Failure(kind, "members[3].id: empty"))
    assert row == {
        "group": "g", "kind": kind, "reason": "members[3].id: empty",
        "plan": None, "assignment": None, "baseline": None,
    }  # fmt: skip


def test_a_plan() -> None:
    problem = usual_problem()
    result = PlanGroup()(problem, QUICK)
    row = row_of("g", result)
    assert row["plan"] == result.plan
    empty = dict.fromkeys(name for name, _ in BASELINE)
    assert row["baseline"] == [{**empty, **one} for one in result.baseline]
    rows = row["assignment"]
    assert [(r["topic"], r["partition"]) for r in rows] == [
        ("a", 0), ("a", 1), ("a", 2), ("b", 0), ("b", 1), ("b", 2), ("b", 3),
    ]  # fmt: skip
    assert [r["from"] for r in rows] == ["m0"] * 3 + ["m1"] * 2 + ["m2"] * 2
    assert [r["weight"] for r in rows] == [10, 100, 800, 0, 0, 0, 5]
    assert {r["to"] for r in rows} == {"m0", "m1", "m2"}
    assert sum(r["from"] != r["to"] for r in rows) == row["plan"]["moves"]


def test_batches_of_one_schema_go_into_one_table() -> None:
    batches = [
        to_arrow("a", PlanGroup()(usual_problem(), QUICK)),
        to_arrow("b", Failure("crash", "x")),
        to_arrow("c", result_of()),
    ]
    table = pa.Table.from_batches(batches, schema=arrow_schema())
    assert table.column("group").to_pylist() == ["a", "b", "c"]
