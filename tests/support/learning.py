"""Builders of what boards learn from: darts that people looked at, a candidate that read them otherwise."""

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from support.boards_service import sample_clip
from support.seen import AT, Watched
from support.service import UMPIRE

from service.evidence import CLOSE_PX, SHOWN_PX, jpeg
from service.matches import Matches
from service.reviews import Reviews
from service.shadow.log import State, add_line, write_state

SAID = ("", "S5", "", "T7", "", "", "S9")
"""What the camera said of the first darts of the bundled recording, where it was wrong of them."""


def truth(game: str) -> dict[str, Any]:
    """Give what happens in a bundled recording."""
    text = (sample_clip(game).parent / "truth.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def evidence(watched: Watched, first: int, last: int, tip_px: list[float] | None = None) -> dict[str, str]:
    """Keep pictures of the recording from before and after, close up too where there is a tip."""
    names = {}
    video = cv2.VideoCapture(str(sample_clip(watched.game)))
    for word, number in (("before", first - 3), ("after", last + 4)):
        video.set(cv2.CAP_PROP_POS_FRAMES, number)
        bgr = np.asarray(video.read()[1], np.uint8)
        names[f"{word}_whole"] = watched.media.keep(jpeg(bgr))
        if tip_px is not None:
            (x, y), turn = tip_px, SHOWN_PX / CLOSE_PX
            move = np.array([[turn, 0, -turn * (x - CLOSE_PX / 2)], [0, turn, -turn * (y - CLOSE_PX / 2)]])
            close = cv2.warpAffine(bgr, move, (SHOWN_PX, SHOWN_PX))
            names[word] = watched.media.keep(jpeg(np.asarray(close, np.uint8)))
    video.release()
    return names


def learnt(matches: Matches, *, pictures: bool = False) -> tuple[str, list[int]]:
    """Play the first darts of the bundled recording; a person confirmed them or put them right.

    Gives the match's id and the sightings of the darts. Without `pictures` some have none.
    """
    watched = Watched(matches, "cricket", ("Gil", "Hal"), on_doubt="mark")
    said, sightings = truth("cricket"), []
    for number, (one, read) in enumerate(zip(said["throws"], SAID, strict=False)):
        data = {"segment": read or one["segment"], "xy_mm": one["xy_mm"], "confidence": 0.55 if read else 0.86}
        data["review"] = [{"code": "ON_A_WIRE"}]
        first, last = one["frame"], one["end_frame"]
        shown = evidence(watched, first, last, one["tip_px"]) if pictures or read or not number else {}
        sightings.append(watched.take("throw", round(1000 * first / said["fps"]), data, shown))
        if number % 3 == 2:
            pulled = round(1000 * said["takeouts"][number // 3][0] / said["fps"])
            watched.take("takeout", pulled, {"darts": 3, "review": []}, {})
    reviews = Reviews(watched.matches, watched.boards.sightings)
    for sighting, one, read in zip(sightings[:-1], said["throws"], SAID, strict=False):
        right = [{"kind": "throw", "segment": one["segment"]}]
        reviews.decide(sighting, "correct" if read else "accept", UMPIRE, right if read else [])
    watched.end()
    return watched.match_id, sightings


def compared(folder: Path, match_id: str, sightings: list[int], networks: dict[str, str]) -> None:
    """Write down that candidates read some of these darts otherwise than the networks in use."""
    throws = truth("cricket")["throws"]
    for number, other in ((1, None), (3, None), (4, "S14"), (6, None)):
        true = throws[number]["segment"]
        now = {"read": [SAID[number] or true], "confidence": 0.55, "review": ["ON_A_WIRE"]}
        new = {"read": [other or true], "confidence": 0.93, "review": []}
        line = {"sighting": sightings[number], "match": match_id, "game": "cricket", "at": AT}
        add_line(folder, {**line, "now": now, "candidate": new, "networks": networks})
    write_state(folder, State(candidates=networks, since=AT, seen=sightings[-1], compared=42, differed=4))
