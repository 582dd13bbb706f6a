"""What equilag says: facts, words, and the outputs that write them.

Wings: `facts/` (a report as data), `wording/` (sentences that several outputs show), `text/` (the
terminal), `page/` (HTML). Outputs compute no figure of their own.
May import: domain, heuristics, certificate, planner.
"""
