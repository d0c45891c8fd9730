"""Astrolabe's twin: marbles that roll up a tilted table into combs, drawn, with the truth."""
