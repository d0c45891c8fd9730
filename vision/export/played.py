"""What is in a picture of a match, by its corrected scoresheet: the camera's places, the people's word.

A person corrects what happened, not where. So a place is taken from what the camera said as far as the correction
leaves it standing; where it does not, the picture is left out and says why. A dart that was moved across a wire
keeps its box and loses its exact tip. Nothing is guessed: an unlabelled thing would teach that it is none.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from vision.astrolabe.camera import camera_from_setup
from vision.darts.board import REGULATION, segment_at
from vision.export.labels import PLAYED_DARTS, KeyPoint, Labelled, Thing, is_inside, point_at
from vision.failure import Failure
from vision.finn.before import viewed
from vision.finn.camera import Camera, cameras
from vision.finn.pins import Body, outline_px, standing
from vision.pictures import load_picture
from vision.setup import FinnTable, Setup

Array = NDArray[np.float64]

TIP_MM: Final = 15.0
"""Half the side of the box around a tip; a correction to a segment that is farther from where the tip was seen
speaks of another place."""
NO_POINT: Final = KeyPoint(xy_px=(0.0, 0.0), seen=0)
SIDES: Final = ("A", "B")
LIES: Final = ("fallen", "leaning", "line")
"""States of pins that are on the table and do not stand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A dart, shot or table as the camera saw it and people left it.

    Attributes
    ----------
    event
        As it was seen; of a dart `tip_px` and `xy_mm`, of pins `pins` with their places.
    truth
        The action that counts, None for none.
    """

    event: Mapping[str, Any]
    truth: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """A picture of a match.

    Attributes
    ----------
    name, group, picture
        What it is called, its match, its file.
    setup
        The board; None if it is not known.
    told
        What it shows, in order: of darts all of the visit so far, the newest last; else the one shot.
    slots
        Of balls: the side of the ball in each slot after it, None for none, row by row.
    elsewhere
        Of balls: how many lie on the table outside slots, at places nobody wrote down.
    missing
        Why it cannot be labelled whole, if the log itself says so: a code.
    """

    name: str
    group: str
    picture: Path
    setup: Setup | None
    told: tuple[Told, ...]
    slots: tuple[tuple[int | None, ...], ...] = ()
    elsewhere: int = 0
    missing: str | None = None


def labelled_play(one: Played) -> Labelled | Failure:
    """Say what is in a picture.

    Returns
    -------
    Labelled or Failure
        `NO_SETUP`, `NO_PLACE` (a correction speaks of a place that nobody marked), `BALLS_ELSEWHERE`, what the log
        says (`missing`), and what `load_picture` and the cameras of the games may say.
    """
    if one.missing is not None:
        return Failure(one.missing, "Not everything that lies on the board is known.")
    if one.setup is None:
        return Failure("NO_SETUP", "It is not known how the board lies in the picture.")
    bgr = load_picture(one.picture)
    if isinstance(bgr, Failure):
        return bgr
    size = (bgr.shape[1], bgr.shape[0])
    match one.setup.game:
        case "cricket":
            things = _tips(one, one.setup, size)
        case "finn":
            things = _pins(one, one.setup, bgr)
        case _:
            things = _balls(one, one.setup, size)
    if isinstance(things, Failure):
        return things
    form = PLAYED_DARTS if one.setup.game == "cricket" else one.setup.game
    seen = tuple(thing for thing in things if is_inside(thing.box_px, size))
    game = one.setup.game
    return Labelled(
        game=game, name=one.name, picture=one.picture, size=size, things=seen, form=form, group=one.group
    )


def _no_place(what: str) -> Failure:
    return Failure("NO_PLACE", f"{what} lies elsewhere than the camera saw it, and nobody marked where.")


# Darts


def _tips(one: Played, setup: Setup, size: tuple[int, int]) -> list[Thing] | Failure:
    found = []
    for dart in one.told:
        if dart.truth is None:
            continue  # it was none
        segment, tip, xy = str(dart.truth["segment"]), dart.event.get("tip_px"), dart.event.get("xy_mm")
        if tip is None or xy is None:
            return _no_place("A dart")
        right = segment == dart.event["segment"]
        near = right or _near(segment, xy, setup)
        if segment == "MISS" and not near:
            continue  # it does not stick in the board
        if not near:
            return _no_place("A dart")
        half = TIP_MM * _px_per_mm(xy, setup, size)
        point = point_at(tip, True, size) if right else NO_POINT
        x, y = tip
        box = (x - half, y - half, x + half + 1, y + half + 1)
        found.append(Thing(name="tip", box_px=box, points=(point,), detail=segment))
    return found


def _near(segment: str, xy_mm: Sequence[float], setup: Setup) -> bool:
    """Say whether a segment reaches to within `TIP_MM` of a place."""
    turn = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    ring = np.column_stack([np.cos(turn), np.sin(turn)])
    around = np.concatenate([np.asarray(xy_mm, np.float64) + reach * ring for reach in (3.0, 8.0, TIP_MM)])
    rings = setup.rings or REGULATION
    return any(segment_at((float(x), float(y)), rings) == segment for x, y in around)


def _px_per_mm(xy_mm: Sequence[float], setup: Setup, size: tuple[int, int]) -> float:
    """Give how large a millimetre of the board is there, px."""
    plane = setup.plane(size)
    if not isinstance(plane, Failure):
        return float(plane.px_per_unit(np.array([xy_mm], np.float64))[0])
    return min(size) / 550.0  # a board that fills the picture as the calibration wants it


# Pins


def _pins(one: Played, setup: Setup, bgr: NDArray[np.uint8]) -> list[Thing] | Failure:
    (shot,) = one.told
    pins: Mapping[str, Any] = shot.event.get("pins") or {}
    if not pins:
        return _no_place("A pin")
    bodies = _bodies(pins, shot)
    if isinstance(bodies, Failure):
        return bodies
    table = setup.finn or FinnTable()
    body = Body(radius_cm=table.pin_diameter_cm / 2, height_cm=table.pin_height_cm)
    camera = _camera(setup, bgr, {name: xy for name, state, xy in bodies if state == "upright"})
    if isinstance(camera, Failure):
        return camera
    size = (bgr.shape[1], bgr.shape[0])
    found = [_pin(state, xy, body, camera, size) for _, state, xy in bodies]
    disc = shot.event.get("disc")
    if disc is not None:
        size_cm = Body(radius_cm=table.disc_diameter_cm / 2, height_cm=table.disc_height_cm)
        box = _box(outline_px(standing((disc[0], disc[1]), size_cm), size_cm, camera))
        found.append(Thing(name="disc", box_px=box, points=(NO_POINT, NO_POINT), detail="disc"))
    return found


def _bodies(pins: Mapping[str, Any], shot: Told) -> list[tuple[str, str, tuple[float, float]]] | Failure:
    """Give name, state and place, cm, of each pin on the table.

    Where people only changed who is who, each body lies where it was seen, as it was seen to lie.
    """
    said = {name: pin["state"] for name, pin in pins.items()}
    truth = dict.fromkeys(pins, "upright") | dict((shot.truth or {}).get("pins", {}))
    if Counter(said.values()) == Counter(truth.values()):
        truth = said
    found = []
    for name, state in truth.items():
        xy = pins[name]["xy_cm"]
        if state == "off_board":
            continue
        same_body = state == said[name] or {state, said[name]} <= set(LIES)
        if xy is None or not same_body:
            return _no_place(f"Pin {name}")
        found.append((name, state, (float(xy[0]), float(xy[1]))))
    return found


def _camera(setup: Setup, bgr: NDArray[np.uint8], stand: Mapping[str, tuple[float, float]]) -> Camera | Failure:
    """Give the camera by the pins that stand; where too few are seen to, one that fits the corners."""
    view = viewed(setup, bgr, stand) if stand else Failure("PINS_NOT_THERE", "No pin stands.")
    if not isinstance(view, Failure):
        return view.camera
    found = cameras(setup, (bgr.shape[1], bgr.shape[0]))
    return found if isinstance(found, Failure) else found[len(found) // 2]


def _pin(state: str, xy: tuple[float, float], body: Body, camera: Camera, size: tuple[int, int]) -> Thing:
    """Give a pin: one that stands with its outline, one that lies with the box of all ways to be turned."""
    if state == "upright":
        ends = camera.to_px(np.array([[*xy, 0.0], [*xy, body.height_cm]]))
        points = tuple(point_at((float(x), float(y)), True, size) for x, y in ends)
        box = _box(outline_px(standing(xy, body), body, camera))
        return Thing(name="pin_upright", box_px=box, points=points, detail=state)
    high = body.height_cm if state == "leaning" else 2 * body.radius_cm
    around = Body(radius_cm=body.height_cm / 2, height_cm=high)
    box = _box(outline_px(standing(xy, around), around, camera))
    return Thing(name=f"pin_{state}", box_px=box, points=(NO_POINT, NO_POINT), detail=state)


def _box(outline: Array) -> tuple[float, float, float, float]:
    low, high = outline.min(axis=0), outline.max(axis=0)
    return float(low[0]), float(low[1]), float(high[0]) + 1, float(high[1]) + 1


# Balls


def _balls(one: Played, setup: Setup, size: tuple[int, int]) -> list[Thing] | Failure:
    table = setup.astrolabe
    if table is None or len(one.slots) != len(table.positions):
        return Failure("NO_SETUP", "The SETUP has other slots than the match.")
    if one.elsewhere:
        return Failure("BALLS_ELSEWHERE", f"{one.elsewhere} balls lie outside the slots, and nobody marked where.")
    camera = camera_from_setup(setup, size)
    if isinstance(camera, Failure):
        return camera
    radius = table.ball_cm / 2
    found = []
    for row, line in zip(one.slots, table.positions, strict=True):
        for place, side in enumerate(row):
            if side is None:
                continue
            centre = np.array([line.x0_cm + place * line.pitch_cm, line.y_cm, radius])
            point = point_at(camera.to_px(centre[None])[0], True, size)
            box = _box(camera.outline_px(centre, radius))
            found.append(Thing(name=f"ball_{SIDES[side]}", box_px=box, points=(point,), detail=SIDES[side]))
    return found
