"""A candidate network beside the one in use: both read what was seen, and where they differ is written down."""
