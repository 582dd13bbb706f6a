"""The fewest reads across racks."""
