"""The club: what all boards hand over, in one PostgreSQL, on one wall.

`wire` and `window` are what boards and club say to each other, pure and the same on both sides; `log` and `outbox`
are the board's side. The club's: `intake` holds what came until it is kept, `keeping` keeps it, `link` is its
connection to the broker, `tally` computes scores and statistics from what is kept, `app` shows them.
"""
