"""Learns the two colours from balls that a person tapped."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vision.astrolabe.colours import Shade, Taught, core_bgr, shade_of, teach, too_near
from vision.astrolabe.light import carried, curves_between
from vision.astrolabe.likeness import likeness_of, looked_up
from vision.astrolabe.view import AROUND, FROM_MIDDLE, INSIDE, TableView, in_polygon
from vision.failure import Failure

Array = NDArray[np.float64]
Picture = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class TeachingLimits:
    """How a tap becomes a ball.

    Attributes
    ----------
    aim
        A person taps within this many ball radii of the middle.
    steps
        Places tried each way around it.
    seed
        The colour that is looked for is that of the pixels within this many radii of the tap.
    kept
        The ball's pixels, in radii: its rim is mixed with what is behind.
    around
        Weight of what lies around a ball, against what is in it.
    near_tap
        What a radius between the tap and the middle costs, as the means of likeness are counted.
    likely
        A tapped ball whose pixels are less like balls than this may be none.
    """

    aim: float = 0.7
    steps: int = 4
    seed: float = 0.4
    kept: float = 0.9
    around: float = 0.3
    near_tap: float = 0.2
    likely: float = 0.7


LIMITS: Final = TeachingLimits()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Colours:
    """The two colours in the light of one picture.

    Attributes
    ----------
    sides
        By side, or None where nobody tapped one of that side.
    pixels
        By side (N, 3), the pixels of its balls.
    flat
        (h, w, 3) that picture, seen flat.
    near
        The two may be taken for each other when the light changes.
    missed
        Taps that seem to be on no ball, px.
    here
        Each side that is known was learnt from balls of that very picture, or of one in the same light.
    fewest
        So many balls taught the side that is known worse.
    tapped
        Sides and places, cm, of the taps, where this is the very picture in which they were made.
    """

    sides: tuple[Taught | None, Taught | None]
    pixels: tuple[Array, Array]
    flat: Picture
    near: bool
    missed: tuple[tuple[float, float], ...]
    here: bool = True
    fewest: int = 0
    tapped: tuple[tuple[int, tuple[float, float]], ...] = ()

    def seen_in(self, flat: Picture) -> "Colours":
        """Give the colours in the light of another picture of the table, (h, w, 3) seen flat."""
        if flat is self.flat or np.array_equal(flat, self.flat):
            return self
        curves = curves_between(flat, self.flat)
        if curves is None:
            return replace(self, flat=flat, tapped=())
        first, second = (
            side and replace(side, shade=shade_of(carried(side.shade.bgr, curves))) for side in self.sides
        )
        pixels = (carried(self.pixels[0], curves), carried(self.pixels[1], curves))
        return replace(self, sides=(first, second), pixels=pixels, flat=flat, here=False, tapped=())

    def learnt_again(self, flat: Picture, balls: Sequence[Sequence[Picture]]) -> "Colours":
        """Give the colours in the light of a picture in which the sides of some balls are known.

        Parameters
        ----------
        flat
            (h, w, 3) that picture, seen flat.
        balls
            By side, patches with one of its balls in the middle.
        """
        carried_over = self.seen_in(flat)
        first, second = (
            teach(_shades(balls[side])) if balls[side] else carried_over.sides[side] for side in (0, 1)
        )
        both = [np.concatenate([carried_over.pixels[side], pixels_of(balls[side])]) for side in (0, 1)]
        here = carried_over.here or all(balls[side] or self.sides[side] is None for side in (0, 1))
        fewest = min(len(balls[side]) or self.fewest for side in (0, 1))
        known = (first, second), (both[0], both[1])
        return replace(carried_over, sides=known[0], pixels=known[1], here=here, fewest=fewest, tapped=())


def teach_colours(
    picture: Picture, view: TableView, taps_px: Mapping[int, Sequence[tuple[float, float]]]
) -> Colours | Failure:
    """Learn both colours.

    Parameters
    ----------
    picture
        (H, W, 3) BGR, in which the taps were made.
    view
        The table.
    taps_px
        By side, pixels of balls.

    Returns
    -------
    Colours or Failure
        `NO_COLOURS` if nothing was tapped, `BAD_COLOURS` for taps beside the table.
    """
    if not any(taps_px.get(side) for side in (0, 1)):
        return Failure("NO_COLOURS", "The SETUP has no colours: tap one ball of each side, or more.")
    flat = view.flat(picture)
    raised = view.camera.at_height(view.radius_cm)
    balls: list[list[Picture]] = [[], []]
    places: list[tuple[int, tuple[float, float]]] = []
    for side in (0, 1):
        for tap in taps_px.get(side, ()):
            x, y = raised.to_board([tap])[0]
            places.append((side, (float(x), float(y))))
            if not (-1 < x < view.table.table_cm[0] + 1 and -1 < y < view.table.table_cm[1] + 1):
                return Failure("BAD_COLOURS", f"The SETUP's colours name {tap}, which lies beside the table.")
            balls[side].append(_aimed(picture, flat, view, (float(x), float(y))))
    learnt = _learnt(flat, view, balls, [tap for side in (0, 1) for tap in taps_px.get(side, ())])
    return replace(learnt, tapped=tuple(places))


def pixels_of(patches: Sequence[Picture]) -> Array:
    """Give the pixels of balls, (N, 3), out of patches with a ball in the middle."""
    kept = LIMITS.kept > FROM_MIDDLE
    return np.concatenate([patch[kept] for patch in patches]).astype(np.float64) if patches else np.zeros((0, 3))


def _learnt(
    flat: Picture, view: TableView, balls: list[list[Picture]], taps: Sequence[tuple[float, float]]
) -> Colours:
    first, second = (teach(_shades(patches)) if patches else None for patches in balls)
    pixels = (pixels_of(balls[0]), pixels_of(balls[1]))
    likeness = likeness_of(flat, view, pixels)
    likely = [
        float(np.mean(looked_up(likeness.board[side], patch)[INSIDE])) for side in (0, 1) for patch in balls[side]
    ]
    return Colours(
        sides=(first, second),
        pixels=pixels,
        flat=flat,
        near=first is not None and second is not None and too_near(first, second),
        missed=tuple(tap for tap, like in zip(taps, likely, strict=True) if like < LIMITS.likely),
        fewest=min(len(patches) for patches in balls),
    )


def _shades(patches: Sequence[Picture]) -> list[Shade]:
    return [shade_of(core_bgr(patch[INSIDE])) for patch in patches]


def _aimed(picture: Picture, flat: Picture, view: TableView, xy_cm: tuple[float, float]) -> Picture:
    """Cut out the ball that a tap is on, moved to its middle.

    In a gutter a wall may hide a part of it: there only what has the colour of the tap is the ball's.
    """
    seed = view.patch(picture, xy_cm)[LIMITS.seed > FROM_MIDDLE]
    colour = np.asarray(core_bgr(seed))[None, :]
    table = likeness_of(flat, view, (colour, colour)).board[0]
    reach = np.linspace(-1, 1, 2 * LIMITS.steps + 1) * LIMITS.aim * view.radius_cm
    steps = np.array([(dx, dy) for dx in reach for dy in reach])
    patches, _, _ = view.patches(picture, np.array(xy_cm) + steps)
    like = looked_up(table, patches)
    filled = like[:, INSIDE].mean(axis=1) - LIMITS.around * like[:, AROUND].mean(axis=1)
    best = int(np.argmax(filled - LIMITS.near_tap * np.hypot(*steps.T) / view.radius_cm))
    patch = np.array(patches[best])
    if any(in_polygon(xy_cm, area) for area in view.table.gutters_cm):
        patch[like[best] < 0] = np.round(colour).astype(np.uint8)
    return patch
