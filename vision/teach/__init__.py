"""A board's own pins or balls taught from a few pictures of known truth: numbers in its SETUP, no training."""
