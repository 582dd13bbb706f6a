"""How well groups fare under plans by lag, by rates and by work per speed."""
