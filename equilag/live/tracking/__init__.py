"""What is learnt of a live group from observation to observation: rates, speeds, their state."""
