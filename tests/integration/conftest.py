"""Commands run against real brokers and on a real Spark."""

from support.commands import run, spawn

__all__ = ["run", "spawn"]
