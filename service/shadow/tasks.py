"""What a board saw, as something to read again: its kept pictures, its setup, and where pins had stood."""

from typing import Any, TypeAlias

from service.labels.labels import KINDS
from service.matches import Matches
from service.media import Media
from service.store import BoardTables, SightingRow, SightingTable

JSON: TypeAlias = Any


def task_of(matches: Matches, row: SightingRow) -> dict[str, JSON] | None:
    """Give a line of `tallycam read --batch`, the setup as an object.

    None where it is no shot of a board, or its whole pictures or its setup are not there.
    """
    boards, media = BoardTables(matches.store), Media(matches.store.media)
    watching = None if row.watching_id is None else boards.watching(row.watching_id)
    paths = [media.find(row.pictures.get(f"{word}_whole", "")) for word in ("before", "after")]
    if row.event["event"] not in KINDS or watching is None or None in paths:
        return None
    kept = boards.setup(watching.board_id, watching.setup_version)
    if kept is None:
        return None
    setup = dict(kept.setup)
    if setup.get("colours_image"):
        image = media.find(setup["colours_image"])
        setup["colours_image"] = None if image is None else str(image.resolve())
    task = {"setup": setup, "before": str(paths[0]), "image": str(paths[1])}
    stood = _stood(matches, row, watching.lying) if setup["game"] == "finn" else None
    return task | ({"state": stood} if stood else {})


def _stood(matches: Matches, row: SightingRow, lying: JSON) -> JSON:
    """Say where pins stood before a shot: as hands had set them up; None where their numbers have to tell."""
    rows = SightingTable(matches.store).of(watching_id=row.watching_id)
    for one in reversed([one for one in rows if one.id < row.id]):
        if one.event["event"] == "set_up":
            return {"pins": dict(one.event["stand"])}
        if one.event["event"] == "shot":
            return None
    return lying
