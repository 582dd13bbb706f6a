"""What a report says, as data: computed here once, and only worded by the outputs."""
