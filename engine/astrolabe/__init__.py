"""Astrolabe: glass balls on a tilted table, three combs of slots, two sides.

Clauses AS-01 to AS-70 are in `seeds/astrolabe.md`.
"""
