"""What each stage of the search adds: runs without it, over seeds of each kind of group."""
