"""The real Kafka of `benchmarks.kafka_broker`, for tests."""

from benchmarks.kafka_broker import CACHE, Broker, NoBroker, missing, start_broker, start_brokers

__all__ = ["CACHE", "Broker", "NoBroker", "missing", "start_broker", "start_brokers"]
