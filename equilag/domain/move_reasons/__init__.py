"""Why a plan moves what it moves: chains of moves, and a reason for each; arrays in, arrays out."""
