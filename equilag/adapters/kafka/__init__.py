"""Kafka clusters, read only: groups from outside, `__consumer_offsets` decoded, log ends."""
