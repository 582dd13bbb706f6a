"""``--prometheus`` of commands about groups, and ``equilag exporter``."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import numpy as np
import pytest
from support.commands import Result
from support.prometheus_stub import NOW, Named, Stub, as_text, lag_exporter, prometheus

TIMES = [NOW - 300 + 15 * n for n in range(21)]


def orders(times: list[float] = TIMES, group: str = "orders") -> list[Named]:
    elapsed = np.array(times) - times[0]
    ends = 90_000 + elapsed[:, None] * np.array([400, 50, 50, 50])
    commits = 10_000 + elapsed[:, None] * np.array([300, 40, 40, 40])
    return lag_exporter(
        ends.astype(int).tolist(), commits.astype(int).tolist(), ["a", "a", "b", "b"], times, group
    )


@pytest.fixture
def ran(run: Callable[..., Result]) -> Callable[..., tuple[int, Any, str]]:
    """Run a command: the exit status, the JSON, and what stands on standard error."""

    def call(*words: str) -> tuple[int, Any, str]:
        status, out, err = run(*words, "--json")
        return status, json.loads(out), err

    return call


def test_plan_and_size_from_a_server(ran) -> None:
    at = ["--group", "orders", "--at", f"{NOW * 1000:.0f}"]
    with prometheus(Stub(orders())) as url:
        status, plan, err = ran("plan", "--prometheus", url, *at, "--effort", "0.05")
        assert status == 0
        assert plan["throughput"]["rate"] == pytest.approx(550)
        assert plan["counts"]["by_member"] == {"a": 3, "b": 1}  # by speed
        assert "21 samples in 300 s: 4 rates, 550 records/s in all" in err
        assert "assumed: subscriptions are not in the metrics" in err
        source = f"--group orders --prometheus {url} --at {NOW * 1000:.0f}"
        assert f"equilag size {source}" in [one["next"] for one in plan["verdict"]["causes"]]
        _, size, _ = ran("size", "--prometheus", url, *at, "--effort", "0.05")
        assert size["basis"]["kind"] == "rate"


def test_groups_from_a_server(ran) -> None:
    series = [*orders(), *orders(group="audit")]
    with prometheus(Stub(series)) as url:
        words = ["groups", "--prometheus", url, "--at", f"{NOW * 1000:.0f}"]
        _, found, _ = ran(*words)
        assert {row["group"] for row in found["groups"]} == {"orders", "audit"}
        _, found, _ = ran(*words, "--groups", "aud.*")
        (row,) = found["groups"]
        assert (row["group"], row["members"], row["partitions"]) == ("audit", 2, 4)
        assert row["lag"] == 4 * 80_000 + 300 * 130


def test_one_text_and_two(ran, tmp_path: Path) -> None:
    before, after = tmp_path / "before.txt", tmp_path / "after.txt"
    before.write_text(as_text(orders(), TIMES[0]))
    after.write_text(as_text(orders(), TIMES[-1]))
    plan = ["plan", "--effort", "0.05", "--prometheus"]
    status, found, err = ran(*plan, str(after))
    assert (status, found["group"], "throughput" in found) == (0, "orders", False)
    assert "one sample: rates are unknown" in err
    assert {one["next"] for one in found["verdict"]["causes"]} >= {
        f"equilag plan --prometheus {after} --prometheus LATER --between 60s",
    }  # fmt: skip
    both = [*plan, str(before), "--prometheus", str(after), "--between", "5m"]
    _, found, err = ran(*both)
    assert "2 samples in 300 s: 4 rates, 550 records/s in all" in err
    assert found["weight"]["kind"] == "work"


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["plan", "--prometheus", "http://127.0.0.1:9"], "--prometheus needs --group"),
        (["plan", "--prometheus", "http://127.0.0.1:9", "--group", "g"], "no answer"),
        (["plan", "--prometheus", "http://a:b@h", "--group", "g"], "has a login in it"),
        (["plan", "--prometheus", "FILE", "--group", "order"], 'did you mean "orders"'),
        (["plan", "--prometheus", "FILE", "--between", "5m"], "goes with two texts"),
        (["plan", "--prometheus", "FILE", "--at", "1"], "--at needs --prometheus URL"),
        (["plan", "--prometheus", "FILE", "--window", "9m"], "--window needs --prometheus URL"),
        (["plan", "--prometheus", "http://127.0.0.1:9", "--group", "g", "--between", "5m"],
         "takes one server, or two texts with --between"),
        (["plan", "--prometheus", "FILE", "--at", "1" + "0" * 400], "neither a time such as"),
        (["plan", "--prometheus", "none.txt"], "none.txt"),
        (["plan", "--at", "1", "s.json"], "--at needs --prometheus"),
        (["exporter"], "--bootstrap-server is required, or --prometheus"),
        (["exporter", "--prometheus", "FILE"], "is no server"),
        (["exporter", "--prometheus", "http://h", "--min-replicas", "3", "--max-replicas", "2"],
         "--max-replicas: 2 is below the minimum, 3"),
        (["exporter", "--prometheus", "http://h", "--min-replicas", "a*=3", "--max-replicas", "2"],
         "--max-replicas: 2 is below the minimum, 3"),
        (["exporter", "--prometheus", "http://h", "--threads", "g=0"], "not a whole number"),
    ],
)  # fmt: skip
def test_wrong_sources(refused, tmp_path: Path, words: list[str], problem: str) -> None:
    file = tmp_path / "m.txt"
    file.write_text(as_text(orders(), TIMES[0]))
    said = refused(*(file if word == "FILE" else word for word in words))
    assert problem in said
    assert "a:b" not in said


def test_an_exporter_on_a_server_answers_until_sigterm() -> None:
    now = time.time()
    stub = Stub(orders([now - 2.0]))
    with prometheus(stub) as url:
        words = ["--prometheus", url, "--listen", "127.0.0.1:0", "--every", "1s", "--capacity"]
        process = subprocess.Popen(
            [sys.executable, "-m", "equilag", "exporter", *words, "*=400"],
            stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        try:
            assert process.stderr is not None
            line = process.stderr.readline()
            address = line.partition("address=")[2].strip()
            found = {}
            give_up = time.monotonic() + 60
            while "scale" not in found and time.monotonic() < give_up:
                try:
                    with urlopen(f"http://{address}/scale/orders", timeout=5) as answer:
                        found["scale"] = json.loads(answer.read())
                except URLError:
                    time.sleep(0.2)
            assert found["scale"]["helps"]
            assert found["scale"]["age_s"] < 60
            with urlopen(f"http://{address}/metrics", timeout=5) as answer:
                text = answer.read().decode()
            assert 'equilag_group_members{group="orders"} 2.0' in text
        finally:
            process.send_signal(signal.SIGTERM)
            assert process.wait(20) == 0
            process.stderr.close()
