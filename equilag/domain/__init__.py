"""What every other room speaks of: groups, policies, constraints, plans; integers in columns.

Wings: `group/` (what was read), `building/` (from Python values to a group), `policy/` (what is
wanted), `reduction/` (the group that is planned), `constraint/` (what every plan must meet),
`plan/` (the result and its figures), `move_reasons/` (what each move serves).
May import: nothing else of equilag.
"""
