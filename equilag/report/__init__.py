"""What equilag says: words, reports as lists of blocks, and the outputs that write any block.

Wings: `facts/` (a fleet run as its tables say it), `words/` (sentences), `reports/` (a
list of blocks for each kind of report), `text/` (the terminal), `page/` (HTML). Each imports only
those before it, and outputs no report. Outputs compute no figure of their own.
May import: domain, heuristics, certificate, planner.
"""
