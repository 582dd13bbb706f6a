"""The old import paths of `equilag.live.consumers`, which users' code may still name."""
