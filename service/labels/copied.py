"""The matches of a data folder as they are now, read beside a running service: from a copy of the database."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from service.matches import Matches
from service.store import back_up, open_store


@contextmanager
def copied(folder: Path) -> Iterator[Matches]:
    """Give the matches of a data folder, with its pictures; what is done to them is done to the copy.

    Raises
    ------
    StoreRefused
        If there is no database, or it cannot be read.
    """
    with tempfile.TemporaryDirectory(prefix="tallycam-labels-") as place:
        back_up(folder, Path(place) / "tallycam.db")
        with open_store(Path(place)) as store:
            store.media = folder / "media"
            yield Matches(store)
