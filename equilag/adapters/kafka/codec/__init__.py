"""Bytes of Kafka's protocols and of its offsets topic."""
