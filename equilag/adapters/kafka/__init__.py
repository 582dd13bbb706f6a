"""Kafka clusters, read only: groups from outside."""
