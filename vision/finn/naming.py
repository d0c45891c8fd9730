"""Which pins stand where, from one picture alone: the start layout, or whatever their numbers say.

Places where a pin may stand (`vision.finn.finding`) are held against what is written on their heads
(`vision.finn.numbers`); each number is there once, so that all twelve are named together.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vision.failure import Failure
from vision.finn.before import View, stand_there, viewed
from vision.finn.camera import Camera, cameras
from vision.finn.finding import Edges, board_of, by_mark, by_outline, edges_over, kept_apart, refined, supports
from vision.finn.focus import edges_of, fitted, sharpened
from vision.finn.identity import GONE, assigned
from vision.finn.light import log_of
from vision.finn.numbers import COUNT, Heads, habit, name_costs, read_heads
from vision.finn.pins import Body
from vision.finn.state import PINS, START_CM, Place
from vision.setup import FinnTable, Setup

Array = NDArray[np.float64]
Picture = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, kw_only=True)
class NamingLimits:
    """When a name is certain.

    Attributes
    ----------
    sure
        Names of less chance are not.
    start_share
        So many of the start places have to show a standing pin for the start layout, else numbers are looked for
        elsewhere first.
    start_odds
        How many times more likely than any other way to name them the start layout is before a number is read:
        who sets up twelve pins on twelve places sets each on its own.
    swapped, most_swapped
        Heads that say with this chance that they are others: not the start layout; or, if they are few, wrongly
        set up or misread.
    corner_px
        How exactly points are marked, px at 1280, where the focal length is not known.
    written
        What a number on a head counts against the outline of a pin, where pins are looked for.
    there
        A place without as much of both is no pin.
    likely, same
        So many of the likeliest places, so many diameters apart, are looked at more closely.
    aside_cm
        What looking more closely tries to every side: outlines slip where a pin has the board's colour.
    apart
        Diameters between two pins at least; a little less than one, for errors of the places.
    read, fewest
        With fewer heads on which a number is seen with this chance nothing is said: edges alone are anything.
    """

    sure: float = 0.97
    start_share: float = 0.8
    start_odds: float = 200.0
    swapped: float = 0.9
    most_swapped: int = 3
    corner_px: float = 1.0
    written: float = 1.0
    there: float = 0.9
    likely: int = 24
    same: float = 0.3
    aside_cm: float = 0.5
    apart: float = 0.85
    read: float = 0.7
    fewest: int = 7


LIMITS: Final = NamingLimits()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Named:
    """Pins with their names.

    Attributes
    ----------
    view
        The camera and the places.
    unsure
        Names that a person should confirm.
    missing
        Names that were not found standing.
    chance
        That every name is right.
    """

    view: View
    unsure: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    chance: float = 1.0


def named(setup: Setup, before: Picture) -> Named | Failure:
    """Find and name the pins of a picture, (H, W, 3) BGR.

    Returns
    -------
    Named or Failure
        What `cameras` may say, and `NO_STATE`: they neither stand in the start layout nor could be named.
    """
    start = viewed(setup, before, START_CM)
    if isinstance(start, Failure):
        return _anywhere(setup, before) if start.code == "PINS_NOT_THERE" else start
    there = stand_there(start, edges_of(before), list(START_CM.values()))
    as_set_up = _start(start, before, there)
    if as_set_up is not None and np.mean(there) >= LIMITS.start_share:
        return as_set_up
    found = _anywhere(setup, before)
    return as_set_up if isinstance(found, Failure) and as_set_up is not None else found


def _start(view: View, before: Picture, there: Sequence[bool]) -> Named | None:
    """Give the start layout, unless numbers say otherwise."""
    heads = read_heads(log_of(before), list(START_CM.values()), view.body, view.camera)
    likely = np.exp(-name_costs(heads, habit(heads)))
    likely /= likely.sum(axis=0)
    own = np.array([likely[PINS.index(name), k] for k, name in enumerate(START_CM)])
    other = (likely.max(axis=0) > LIMITS.swapped) & (own < 1 - LIMITS.swapped)
    odds = float(np.prod(own * COUNT)) * LIMITS.start_odds
    if other.sum() > LIMITS.most_swapped or (other.any() and odds < 1):
        return None
    few = np.mean(there) < LIMITS.start_share
    doubts = other | (~np.array(there) if few else np.zeros(len(there), bool))
    unsure = tuple(name for name, doubt in zip(START_CM, doubts, strict=True) if doubt)
    return Named(view=view, unsure=unsure, chance=0.5 if unsure else 1.0)


def _anywhere(setup: Setup, before: Picture) -> Named | Failure:
    table = setup.finn or FinnTable()
    body = Body(radius_cm=table.pin_diameter_cm / 2, height_cm=table.pin_height_cm)
    disc = Body(radius_cm=table.disc_diameter_cm / 2, height_cm=table.disc_height_cm)
    found = cameras(setup, (before.shape[1], before.shape[0]))
    if isinstance(found, Failure):
        return found
    edges = edges_over(before, board_of(found[0], before.shape))
    camera, places = _camera(found, setup, before, body, edges)
    standing, heads = _standing(before, places, body, camera, edges)
    if (heads.written > LIMITS.read).sum() < LIMITS.fewest:
        return Failure(
            "NO_STATE",
            "The pins do not stand in the start layout, and their numbers cannot be read: give a STATE with their"
            " places.",
        )
    view = View(camera=camera, body=body, disc=disc, places={}, contrast=table.contrast)
    return _named(view, standing, heads)


def _camera(
    found: Sequence[Camera], setup: Setup, before: Picture, body: Body, edges: Edges
) -> tuple[Camera, Array]:
    """Choose the camera under which twelve outlines meet edges best, and give all places that do under it."""
    tried = found[:: max(1, len(found) // 9)]
    misfit = np.array([one.residual_px for one in tried]) * 1280 / before.shape[1] / LIMITS.corner_px
    scores = [by_outline(body, one, edges)[1][: len(PINS)].sum() for one in tried]
    best = int(np.argmax(np.array(scores) - (misfit**2 - misfit.min() ** 2)))
    outlines, _ = by_outline(body, tried[best], edges)
    surest = [(float(x), float(y)) for x, y in outlines[: len(PINS)]]
    near = [one for one in found if abs(np.log(one.lens.f_px / tried[best].lens.f_px)) < 0.2]
    slopes = edges_of(before)
    camera = sharpened(fitted(near, slopes, surest, body), setup, slopes, surest, body)
    outlines, _ = by_outline(body, camera, edges)
    marks = by_mark(log_of(before), body, camera)
    return camera, np.concatenate([outlines, marks, refined(marks, body, camera, edges)[0]])


def _standing(
    before: Picture, places: Array, body: Body, camera: Camera, edges: Edges
) -> tuple[list[Place], Heads]:
    """Choose the places where pins stand, by outline and by what is written on the head."""
    log = log_of(before)

    def scores(tried: Array) -> Array:
        written = read_heads(log, _places(tried), body, camera, quick=True).written
        return np.asarray(supports(tried, body, camera, edges) + LIMITS.written * written)

    likely, _ = kept_apart(places, scores(places), body, LIMITS.likely, LIMITS.same)
    near = LIMITS.aside_cm * np.stack(np.meshgrid((-1, 0, 1), (-1, 0, 1)), axis=2).reshape(-1, 2)
    tried = likely[:, None] + near[None]
    values = scores(tried.reshape(-1, 2)).reshape(len(likely), -1)
    moved = tried[np.arange(len(likely)), values.argmax(axis=1)]
    best, scored = kept_apart(moved, values.max(axis=1), body, len(PINS), LIMITS.apart)
    standing = _places(best[scored >= LIMITS.there])
    return standing, read_heads(log, standing, body, camera)


def _places(places: Array) -> list[Place]:
    return [(float(x), float(y)) for x, y in places]


def _named(view: View, standing: Sequence[Place], heads: Heads) -> Named:
    names = assigned(PINS, name_costs(heads, habit(heads)))
    places: Mapping[str, Place] = {name: standing[body] for name, body in names.bodies.items() if body != GONE}
    chances = {name: float(names.chances[name][names.bodies[name]]) for name in places}
    return Named(
        view=replace(view, places=places),
        unsure=tuple(name for name, chance in chances.items() if chance < LIMITS.sure),
        chance=min(chances.values()),
        missing=tuple(name for name in PINS if name not in places),
    )
