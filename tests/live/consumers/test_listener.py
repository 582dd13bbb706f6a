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


ASSIGN, REVOKE, LOSE = range(3)
EAGER = [
    (REVOKE, [], []),
    (ASSIGN, [B, A], [("initialise", [A, B])]),
    (REVOKE, [A, B], ["commit"]),
    (ASSIGN, [B, C], [("clean up", [A]), ("initialise", [C])]),
    (REVOKE, [B, C], ["commit"]),
    (ASSIGN, [B, C], []),
    (LOSE, [B, C], [("clean up", [B, C])]),
    (ASSIGN, [A], [("initialise", [A])]),
    (REVOKE, [A], ["commit"]),
]
"""It acts on the difference."""
COOPERATIVE = [
    (ASSIGN, [A, B], [("initialise", [A, B])]),
    (ASSIGN, [], []),
    (REVOKE, [A], ["commit", ("clean up", [A])]),
    (ASSIGN, [C], [("initialise", [C])]),
    (LOSE, [B, C], [("clean up", [B, C])]),
]
"""It acts on each change."""


@pytest.mark.parametrize("client", [kafka_python, confluent])
@pytest.mark.parametrize("cooperative", [False, True])
def test_events(client, cooperative) -> None:
    calls = Calls()
    *events, close = client(calls, cooperative)
    for event, partitions, called in COOPERATIVE if cooperative else EAGER:
        events[event](partitions)
        assert calls.taken() == called
    close()
    close()
    assert calls.taken() == ([] if cooperative else [("clean up", [A])])


def test_without_a_commit() -> None:
    calls, here = Calls(), [SimpleNamespace(topic="t", partition=0)]
    listener = ConfluentListener(*calls.functions()[:2])
    listener.callbacks["on_assign"](None, here)
    listener.callbacks["on_revoke"](None, here)
    assert calls == [("initialise", [A])]
    assert listener.held == {A}


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
