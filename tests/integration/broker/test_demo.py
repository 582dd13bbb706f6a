"""`make demo`: it says what happens, and ends with all that it started."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from urllib.request import urlopen

import pytest
from support.paths import CHECKOUT

from benchmarks.kafka_broker import missing
from benchmarks.live import demo


def test_without_java_it_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(demo, "missing", lambda: "Java 17 or newer is not on PATH")
    assert demo.main() == 2
    assert capsys.readouterr().out == "no demo: Java 17 or newer is not on PATH\n"


@pytest.mark.broker
@pytest.mark.long
@pytest.mark.skipif(missing() is not None, reason=str(missing()))
def test_ctrl_c_ends_everything() -> None:
    command = [sys.executable, "-m", "benchmarks.live.demo"]
    process = subprocess.Popen(command, cwd=CHECKOUT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    lines = iter(process.stdout.readline, "")
    said = next(line for line in lines if "page" in line)
    (address,) = re.findall(r"http://127\.0\.0\.1:\d+/", said)
    with urlopen(address, timeout=20) as page:
        assert "orders-by-work" in page.read().decode()
    next(line for line in lines if re.match(r" +0:\d\d  lag ", line))
    children = subprocess.check_output(["ps", "-o", "pid=", "--ppid", str(process.pid)], text=True)
    assert len(children.split()) == 2  # the broker and the steward
    process.send_signal(signal.SIGINT)
    assert "all ended" in "".join(lines)
    assert process.wait(30) == 0
    alive = subprocess.run(["ps", "-p", ",".join(children.split())], check=False)
    assert alive.returncode == 1
