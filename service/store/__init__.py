"""Matches and their entries on disk: SQLite, one writer, every acknowledged entry safe from a crash.

The scoresheet's lines are the log and the only truth; scores are computed from them each time. What a camera saw
of an entry and what a person decided about it stand in tables of their own. `change` numbers everything that
happened, one row a change, so that a reader who was away can be told what it missed.

    StoreError
    ├── StoreRefused    the folder cannot hold a store: in use, on a network drive, full, from a newer program
    ├── NoSuchMatch
    ├── NoSuchBoard
    ├── InUse           a board watches, or a match is watched, already
    ├── KeyUsed         a caller's key for one request comes with another
    └── Stale           the match has moved on since the caller looked
"""

from service.store.backup import Backup, back_up
from service.store.boards import (
    BoardRow,
    BoardTables,
    InUse,
    NoSuchBoard,
    SetupRow,
    SightingRow,
    SightingTable,
    WatchingRow,
)
from service.store.database import HEAD, StoreError, StoreRefused
from service.store.store import (
    Beside,
    ChangeRow,
    Done,
    KeyUsed,
    MatchRow,
    NoSuchMatch,
    Once,
    Seen,
    Stale,
    Store,
    open_store,
)

__all__ = [
    "HEAD",
    "Backup",
    "Beside",
    "BoardRow",
    "BoardTables",
    "ChangeRow",
    "Done",
    "InUse",
    "KeyUsed",
    "MatchRow",
    "NoSuchBoard",
    "NoSuchMatch",
    "Once",
    "Seen",
    "SetupRow",
    "SightingRow",
    "SightingTable",
    "Stale",
    "Store",
    "StoreError",
    "StoreRefused",
    "WatchingRow",
    "back_up",
    "open_store",
]
