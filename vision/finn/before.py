"""The picture before the shot: the camera, and how the pins stand in it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vision.failure import Failure
from vision.finn.camera import Camera, cameras
from vision.finn.focus import edges_of, fitted, outline_supports, sharpened
from vision.finn.light import Floats, Picture
from vision.finn.pins import Body
from vision.finn.state import Place
from vision.setup import FinnTable, Setup

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class BeforeLimits:
    """When the picture before is what it is said to be.

    Attributes
    ----------
    aside_cm
        Outlines meet edges where pins stand and fewer this far beside.
    better
        By so much of the steepest edges.
    standing_share
        At least this share of the pins of the STATE has to be seen standing where it says.
    """

    aside_cm: float = 1.6
    better: float = 0.04
    standing_share: float = 0.6


LIMITS: Final = BeforeLimits()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class View:
    """A camera over a board with pins of known place.

    Attributes
    ----------
    camera, body, disc
        The camera, and sizes of pins and disc.
    places
        Name to place, cm.
    contrast
        How little pins stand out from this board; see `FinnTable`.
    """

    camera: Camera
    body: Body
    disc: Body
    places: Mapping[str, Place]
    contrast: int = 0


def viewed(setup: Setup, before: Picture, places: Mapping[str, Place]) -> View | Failure:
    """Find the camera, and see whether the pins stand where they are said to.

    Returns
    -------
    View or Failure
        What `cameras` may say, and `PINS_NOT_THERE`: another board, another view, or pins elsewhere.
    """
    table = setup.finn or FinnTable()
    body = Body(radius_cm=table.pin_diameter_cm / 2, height_cm=table.pin_height_cm)
    disc = Body(radius_cm=table.disc_diameter_cm / 2, height_cm=table.disc_height_cm)
    found = cameras(setup, (before.shape[1], before.shape[0]))
    if isinstance(found, Failure):
        return found
    where = list(places.values())
    edges = edges_of(before)
    camera = sharpened(fitted(found, edges, where, body), setup, edges, where, body)
    view = View(camera=camera, body=body, disc=disc, places=places, contrast=table.contrast)
    standing_share = float(np.mean(stand_there(view, edges, where)))
    if standing_share < LIMITS.standing_share:
        return Failure(
            "PINS_NOT_THERE",
            f"Only {standing_share:.0%} of the pins stand where the STATE says: another view, another board,"
            " or something before it.",
        )
    return view


def stand_there(view: View, edges: Floats, places: Sequence[Place]) -> list[bool]:
    """Say of each place, cm, whether the outline of a standing pin meets more edges there than beside."""
    aside = LIMITS.aside_cm
    shifts = np.array([(0, 0), (aside, 0), (-aside, 0), (0, aside), (0, -aside)])
    tried = (np.array(places).reshape(-1, 1, 2) + shifts).reshape(-1, 2)
    support = outline_supports(tried, view.body, view.camera, edges).reshape(-1, len(shifts))
    return [bool(there) for there in support[:, 0] > support[:, 1:].mean(axis=1) + LIMITS.better]


def with_places(view: View, places: Mapping[str, Place]) -> View:
    """Give the same view of pins elsewhere."""
    return replace(view, places=places)
