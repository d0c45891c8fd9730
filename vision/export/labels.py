"""What is in a labelled picture, whatever game and whoever labelled it: named things, boxes, key points."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from vision.json_text import read_json

Visibility = Literal[0, 1, 2]
"""0: not in the picture; 1: there, but hidden by something; 2: seen (as COCO counts)."""
PLAYED_DARTS: Final = "cricket-played"
"""Form of darts that were played: where one ends is known, not its outline. Drawn darts have their game's."""
POINTS: Final[Mapping[str, tuple[str, ...]]] = {
    "cricket": ("tip", "flight"),
    "finn": ("base", "top"),
    "astrolabe": ("centre",),
    PLAYED_DARTS: ("tip",),
}
"""Key points of the things of a form, in order; a thing without them (the disc) has none in the picture."""
CLASSES: Final[Mapping[str, tuple[str, ...]]] = {
    "cricket": ("dart",),
    "finn": ("pin_upright", "pin_fallen", "pin_leaning", "pin_line", "pin_off_board", "disc"),
    "astrolabe": ("ball_A", "ball_B"),
    PLAYED_DARTS: ("tip",),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyPoint:
    """A point in px (pixel centres are whole numbers) and how much of it can be seen."""

    xy_px: tuple[float, float]
    seen: Visibility


@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    """One thing in a picture.

    Attributes
    ----------
    name : class, one of `CLASSES` of its form
    box_px : x0, y0, x1, y1; the right and lower edge are excluded
    points : as many as `POINTS` of its form
    detail : what a classifier is to say of it (a dart's segment, a pin's state, a ball's side)
    """

    name: str
    box_px: tuple[float, float, float, float]
    points: tuple[KeyPoint, ...]
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """A picture with everything that is in it.

    Attributes
    ----------
    game, name, picture : of what, called what, and its file
    size : width and height, px
    things : what is in it
    form : key of `CLASSES` and `POINTS`
    group : what is split as one, as all pictures of a match: neighbours in time are nearly the same picture
    """

    game: str
    name: str
    picture: Path
    size: tuple[int, int]
    things: tuple[Thing, ...]
    form: str
    group: str


def labelled_in(folder: Path) -> Iterator[Labelled]:
    """Give the labelled pictures of a folder of stills, in the order of their names.

    Raises
    ------
    ValueError
        With one sentence that names the file, where a truth cannot be read or is of no known game.
    """
    for path in sorted(folder.glob("*/truth.json")):
        try:
            truth = read_json(path)
            yield labelled(truth, path.parent.name, path.with_name("after.jpg"))
        except (KeyError, TypeError, ValueError, OSError) as error:
            raise ValueError(f"{path}: no truth of a still ({error})") from error


def labelled(truth: Mapping[str, Any], name: str, picture: Path) -> Labelled:
    """Give what the truth of a still says is in its picture."""
    game = str(truth["setup"]["game"])
    wide, tall = (int(v) for v in truth["size"])
    size = (wide, tall)
    read = {"cricket": _darts, "finn": _pins, "astrolabe": _balls}[game]
    things = tuple(thing for thing in read(truth, size) if is_inside(thing.box_px, size))
    return Labelled(game=game, name=name, picture=picture, size=size, things=things, form=game, group=name)


def is_inside(box: Sequence[float], size: tuple[int, int]) -> bool:
    """Say whether something of a box is in the picture."""
    return box[0] < size[0] and box[1] < size[1] and box[2] > 0 and box[3] > 0


def point_at(xy: Sequence[float], seen: bool, size: tuple[int, int]) -> KeyPoint:
    """Give a key point, px; beyond the picture's edge there is none."""
    x, y = float(xy[0]), float(xy[1])
    inside = -0.5 <= x < size[0] - 0.5 and -0.5 <= y < size[1] - 0.5
    return KeyPoint(xy_px=(x, y), seen=(2 if seen else 1) if inside else 0)


def _darts(truth: Mapping[str, Any], size: tuple[int, int]) -> Iterator[Thing]:
    for dart in truth["darts"]:
        if dart["box_px"] is not None:
            points = (
                point_at(dart["tip_px"], dart["tip_visible"], size),
                point_at(dart["flight_px"], dart["flight_visible"], size),
            )
            yield Thing(name="dart", box_px=_box(dart["box_px"]), points=points, detail=str(dart["segment"]))


def _pins(truth: Mapping[str, Any], size: tuple[int, int]) -> Iterator[Thing]:
    boxes = truth["boxes_after"]
    for number, pin in truth["after"].items():
        box = boxes.get(f"pin{number}")
        if box is not None:
            points = (
                point_at(pin["base_px"], pin["base_visible"], size),
                point_at(pin["top_px"], pin["top_visible"], size),
            )
            state = str(pin["state"])
            yield Thing(name=f"pin_{state}", box_px=_box(box["box_px"]), points=points, detail=state)
    if "disc" in boxes:
        none = KeyPoint(xy_px=(0.0, 0.0), seen=0)
        yield Thing(name="disc", box_px=_box(boxes["disc"]["box_px"]), points=(none, none), detail="disc")


def _balls(truth: Mapping[str, Any], size: tuple[int, int]) -> Iterator[Thing]:
    for ball in truth["balls_after"]:
        if "box_px" in ball:
            points = (point_at(ball["centre_px"], ball["centre_visible"], size),)
            side = str(ball["side"])
            yield Thing(name=f"ball_{side}", box_px=_box(ball["box_px"]), points=points, detail=side)


def _box(values: Sequence[float]) -> tuple[float, float, float, float]:
    x0, y0, x1, y1 = (float(v) for v in values)
    return x0, y0, x1, y1
