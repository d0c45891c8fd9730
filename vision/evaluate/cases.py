"""Labelled pictures of darts: a folder with `labels.json` as a list of pictures to read and what is true."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from vision.darts.board import Rings, on_board, segment_at
from vision.failure import Failure
from vision.geometry import plane_from_points
from vision.json_text import why

Points = tuple[tuple[float, float], ...]

SAME_DART_PX = 25.0
"""Labels of one dart in neighbouring pictures of a sequence differ by up to this."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One picture to read and what is known to be true; None where a label says nothing.

    Attributes
    ----------
    group, name
        Where it belongs and what it is called.
    image, before
        Files.
    segments
        The darts' segments, in no order.
    tips_px
        Their tips.
    count
        How many they are.
    throw
        Which throw it shows, where several cameras saw the same.
    """

    group: str
    name: str
    image: Path
    before: Path | None = None
    segments: tuple[str, ...] | None = None
    tips_px: Points | None = None
    count: int | None = None
    throw: str | None = None

    @property
    def darts(self) -> int | None:
        """How many darts there are, by whichever label says so."""
        known = (self.segments, self.tips_px)
        return self.count if self.count is not None else next((len(k) for k in known if k is not None), None)


def load_cases(data: Path) -> tuple[Case, ...] | Failure:
    """Read the labels of a folder.

    Parameters
    ----------
    data
        Holds `labels.json`: `{group: [{"image", "before", "after", "segments", "tips_px", "count", "order", …}]}`,
        and a folder of pictures for each group. Groups of videos, and pictures without any truth, are left out.

    Returns
    -------
    tuple of Case, or Failure
        `NO_LABELS` if there is no such file or it is none.
    """
    path = data / "labels.json"
    try:
        labels = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        return Failure("NO_LABELS", f"{path}: no labels that can be read ({why(error)}).")
    if not isinstance(labels, dict) or not all(isinstance(entries, list) for entries in labels.values()):
        return Failure("NO_LABELS", f"{path}: labels are an object of lists, one list a group.")
    try:
        return tuple(case for group, entries in labels.items() for case in _group(data / group, group, entries))
    except (KeyError, TypeError, ValueError) as error:
        return Failure("NO_LABELS", f"{path}: an entry is not as it should be ({error!r}).")


def _group(folder: Path, group: str, entries: Sequence[Mapping[str, Any]]) -> Iterator[Case]:
    if entries and "order" in entries[0]:
        yield from _sequence(folder, group, entries)
        return
    for entry in entries:
        image = entry.get("after", entry.get("image"))
        if image is None or not {"segments", "tips_px", "count"} & set(entry):
            continue
        before = folder / entry["before"] if "before" in entry else None
        tips = _points(entry["tips_px"]) if "tips_px" in entry else None
        segments = tuple(entry["segments"]) if "segments" in entry else _segments_of(entry)
        count = entry.get("count")
        yield Case(
            group=group,
            name=image,
            image=folder / image,
            before=before,
            segments=segments,
            tips_px=tips,
            count=count,
            throw=str(entry["throw"]) if "throw" in entry else None,
        )


def _sequence(folder: Path, group: str, entries: Sequence[Mapping[str, Any]]) -> Iterator[Case]:
    """Make a case of each two neighbours, the new darts being those without a like in the earlier picture.

    Where the number of darts falls, hands were there between the two: no case.
    """
    ordered = sorted(entries, key=lambda entry: int(entry["order"]))
    for old, new in pairwise(ordered):
        earlier, later = _points(old["tips_px"]), _points(new["tips_px"])
        if len(later) < len(earlier):
            continue
        yield Case(
            group=group,
            name=new["image"],
            image=folder / new["image"],
            before=folder / old["image"],
            tips_px=_unmatched(later, earlier),
        )


def _points(value: Sequence[Sequence[float]]) -> Points:
    return tuple((float(x), float(y)) for x, y in value)


def _unmatched(points: Points, known: Points) -> Points:
    left = list(points)
    for x, y in known:
        if left:
            nearest = min(left, key=lambda p: np.hypot(p[0] - x, p[1] - y))
            if np.hypot(nearest[0] - x, nearest[1] - y) < SAME_DART_PX:
                left.remove(nearest)
    return tuple(left)


def _segments_of(entry: Mapping[str, Any]) -> tuple[str, ...] | None:
    """Put labelled tips on the labelled board, where its calibration points are given: 5|20, 17|3, 8|11, 13|6."""
    if "calibration_px" not in entry or "tips_px" not in entry:
        return None
    rings = Rings.of(entry["rings_mm"]) if "rings_mm" in entry else Rings()
    corners = on_board(rings.double_outer, np.array([-9.0, 171.0, 261.0, 81.0]))
    plane = plane_from_points(corners, entry["calibration_px"])
    if isinstance(plane, Failure) or not entry["tips_px"]:
        return None if isinstance(plane, Failure) else ()
    return tuple(segment_at(xy, rings) for xy in plane.to_board(entry["tips_px"]))
