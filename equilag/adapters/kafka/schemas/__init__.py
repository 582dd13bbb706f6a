"""Schemas of messages that kafka-python lacks, as resources in the form that it reads.

Fields and versions: ConsumerGroupHeartbeat and ConsumerGroupDescribe, APIs 68 and 69 of
KIP-848, as in Kafka 4.
"""
