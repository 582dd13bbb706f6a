"""equilag inside a consumer: assignors for kafka-python and aiokafka, and rebalance listeners.

Nothing is imported here: a user of one client need not have the other.
"""
