"""Reports: facts as data first, then one function per output that turns them into text or bytes."""
