"""What bounds a plan, and what looser settings would bring."""
