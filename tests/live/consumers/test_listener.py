"""What listeners clean up and initialise at the events of each client."""

from __future__ import annotations

import asyncio
import sys
from importlib import import_module
from types import SimpleNamespace

import pytest

from equilag.domain.errors import MissingExtra
from equilag.live.consumers.listener import (
    ConfluentListener,
    aiokafka_listener,
    kafka_python_listener,
)

A, B, C = ("t", 0), ("t", 1), ("u", 0)
CONSUMERS = "equilag.live.consumers"


class Calls(list):
    """The user's functions; records their calls."""

    def functions(self):
        return (
            lambda partitions: self.append(("initialise", partitions)),
            lambda partitions: self.append(("clean up", partitions)),
            lambda: self.append("commit"),
        )

    def taken(self):
        taken, self[:] = list(self), []
        return taken


def run_coroutine(result) -> None:
    """kafka-python awaits on its own loop; nothing waits here, so one step finishes the
    coroutine."""
    with pytest.raises(StopIteration):
        result.send(None)


def kafka_python(calls, cooperative=False):
    listener = kafka_python_listener(*calls.functions(), cooperative=cooperative)
    return (
        lambda tps: run_coroutine(listener.on_partitions_assigned(set(tps))),
        lambda tps: run_coroutine(listener.on_partitions_revoked(set(tps))),
        lambda tps: run_coroutine(listener.on_partitions_lost(set(tps))),
        listener.close,
    )


def confluent(calls, cooperative=False):
    listener = ConfluentListener(*calls.functions(), cooperative=cooperative)
    back = listener.callbacks

    def event(name):
        def call(tps):
            back[name](None, [SimpleNamespace(topic=t, partition=p) for t, p in tps])

        return call

    return event("on_assign"), event("on_revoke"), event("on_lost"), listener.close


@pytest.mark.parametrize("client", [kafka_python, confluent])
def test_an_eager_listener_acts_on_the_difference(client) -> None:
    calls = Calls()
    assign, revoke, lose, close = client(calls)
    revoke([])
    assert calls.taken() == []
    assign([B, A])
    assert calls.taken() == [("initialise", [A, B])]
    revoke([A, B])
    assert calls.taken() == ["commit"]
    assign([B, C])
    assert calls.taken() == [("clean up", [A]), ("initialise", [C])]
    revoke([B, C])
    assign([B, C])
    assert calls.taken() == ["commit"]
    lose([B, C])
    assert calls.taken() == [("clean up", [B, C])]
    assign([A])
    assert calls.taken() == [("initialise", [A])]
    revoke([A])
    close()
    close()
    assert calls.taken() == ["commit", ("clean up", [A])]


@pytest.mark.parametrize("client", [kafka_python, confluent])
def test_a_cooperative_listener_acts_on_each_change(client) -> None:
    calls = Calls()
    assign, revoke, lose, close = client(calls, cooperative=True)
    assign([A, B])
    assert calls.taken() == [("initialise", [A, B])]
    assign([])
    assert calls.taken() == []
    revoke([A])
    assert calls.taken() == ["commit", ("clean up", [A])]
    assign([C])
    assert calls.taken() == [("initialise", [C])]
    lose([B, C])
    assert calls.taken() == [("clean up", [B, C])]
    close()
    assert calls.taken() == []


def test_without_a_commit() -> None:
    calls = Calls()
    initialise, clean_up, _ = calls.functions()
    listener = ConfluentListener(initialise, clean_up)
    listener.callbacks["on_assign"](None, [SimpleNamespace(topic="t", partition=0)])
    listener.callbacks["on_revoke"](None, [SimpleNamespace(topic="t", partition=0)])
    assert calls == [("initialise", [A])]
    assert listener.keeper.held == {A}


@pytest.mark.parametrize("awaited", [False, True])
def test_aiokafka(awaited) -> None:
    calls = Calls()
    functions = calls.functions()

    def later(function):
        async def call(*args):
            await asyncio.sleep(0)
            function(*args)

        return call

    listener = aiokafka_listener(*(map(later, functions) if awaited else functions))

    async def run() -> None:
        await listener.on_partitions_assigned({A, B})
        await listener.on_partitions_revoked({A, B})
        await listener.on_partitions_assigned({B, C})
        await listener.close()

    asyncio.run(run())
    assert calls == [
        ("initialise", [A, B]),
        "commit",
        ("clean up", [A]),
        ("initialise", [C]),
        ("clean up", [B, C]),
    ]


def test_a_function_that_fails_is_not_called_again() -> None:
    calls = Calls()

    def fail(partitions):
        calls.append(partitions)
        raise RuntimeError

    listener = ConfluentListener(lambda _: None, fail)
    listener.callbacks["on_assign"](None, [SimpleNamespace(topic="t", partition=0)])
    with pytest.raises(RuntimeError):
        listener.callbacks["on_assign"](None, [])
    listener.close()
    assert calls == [[A]]


@pytest.mark.parametrize(
    ("module", "package", "extra"),
    [("kafka_python", "kafka", "kafka-python"), ("aiokafka", "aiokafka", "aiokafka")],
)
def test_without_the_package(module, package, extra, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the assignors nor the listener."""
    make = kafka_python_listener if module == "kafka_python" else aiokafka_listener
    for name in list(sys.modules):
        if name.partition(".")[0] == package or name.startswith(CONSUMERS):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    for needs_it in (lambda: make(print, print), lambda: import_module(f"{CONSUMERS}.{module}")):
        with pytest.raises(MissingExtra, match=rf"pip install 'equilag\[{extra}\]'"):
            needs_it()
