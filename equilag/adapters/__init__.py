"""Ways into and out of equilag: files and the texts that Kafka's tools print.

Nothing is imported here, so that a command pays only for the adapter it uses.
"""
