"""equilag inside a consumer: assignors for kafka-python and aiokafka, and rebalance listeners.

Imports nothing: a user of one client does not need the other.
"""
