"""What equilag says: words, reports as lists of blocks, and the outputs that write any block.

Wings: `words/` (sentences about results), `reports/` (a list of blocks for each kind of report),
`text/` (the terminal), `page/` (HTML). Words know no report, and outputs neither of them. Nothing
here computes a figure.
May import: domain, heuristics, certificate, planner.
"""
