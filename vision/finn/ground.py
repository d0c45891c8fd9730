"""What the picture before a shot gives: all that need not wait for the picture after, made once.

The loop makes it while the shot goes on, so that only the picture after is left to be looked at when all rests.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.finn.before import View
from vision.finn.bird import Bird, bird_of, seen_from_above
from vision.finn.focus import edges_of
from vision.finn.light import Floats, Picture, Still, still_of
from vision.finn.looks import Looks, looks_of, seen_pins
from vision.finn.maps import Base, base_of
from vision.finn.numbers import slopes_of
from vision.finn.scenes import Stage, stage_of
from vision.finn.staying import Mark, marks_of

Array = NDArray[np.float64]
Owner = NDArray[np.int16]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ground:
    """A picture with pins of known place, made ready.

    Attributes
    ----------
    view
        The camera and the pins.
    still
        The picture, ready to be compared.
    slopes_px
        (H, W, 2) its slopes, levels a pixel, as `vision.finn.focus.edges_of` gives them.
    owner
        (H, W) whose each pixel is, as `vision.finn.looks.seen_pins` gives it.
    looks
        How each pin looks, in the order of the view's places.
    marks
        What is seen of each, to be looked at again.
    slopes, numbered
        How heads are cut, and with what chance they show a number; see `vision.finn.numbers.slopes_of`.
    bird, was
        How the board is redrawn from above, and (256, 448, 3) BGR the picture redrawn.
    stood
        (256, 448) whose each pixel of that is, -1 for none.
    stage
        What bodies are weighed against.
    base
        What of that the network is shown.
    """

    view: View
    still: Still
    slopes_px: Floats
    owner: Owner
    looks: Looks
    marks: tuple[Mark | None, ...]
    slopes: Array
    numbered: float
    bird: Bird
    was: Picture
    stood: Owner
    stage: Stage
    base: Base

    @property
    def picture(self) -> Picture:
        """The picture, (H, W, 3) BGR."""
        return self.still.picture


def ground_of(view: View, before: Picture) -> Ground:
    """Make a picture, (H, W, 3) BGR, ready in which the pins stand as the view says."""
    places = list(view.places.values())
    still, bird = still_of(before), bird_of(view.camera)
    owner = seen_pins(places, view.body, view.camera, before.shape)
    slopes, numbered = slopes_of(still.log, places, view.body, view.camera)
    stood, was = seen_from_above(bird, places, view.body), bird.of(before)
    slopes_px = edges_of(before)
    return Ground(
        view=view,
        still=still,
        slopes_px=slopes_px,
        owner=owner,
        looks=looks_of(still.log, places, owner, view.body, view.camera),
        marks=marks_of(owner, slopes_px, len(places)),
        slopes=slopes,
        numbered=numbered,
        bird=bird,
        was=was,
        stood=stood,
        stage=stage_of(view, still.half, owner),
        base=base_of(bird, was, stood),
    )
