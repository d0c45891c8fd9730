"""What a pin's pose means: upright, fallen, leaning, off the board, on the first line (FB-11, FB-22 to FB-24)."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from vision.synth.finn.look import BOARD_CM, Layout, Piece, Sizes
from vision.synth.finn.physics import Run
from vision.synth.scene import Floats, turn_of

UPRIGHT_DEG = 4.0  # a pin on its base or head stands within this of the vertical
FLAT_CM = 0.35  # a lying pin's axis is no higher over the board than its radius and this
FIRST_LINE_CM = 25.0
STAYED_CM, STAYED_DEG = 0.02, 0.3  # physics lets what nobody touched settle by less


def rotation(piece: Piece) -> Floats:
    """Rotation (3, 3) of a piece, its own frame to the board's."""
    return turn_of(piece.turn)


def middle(piece: Piece, sizes: Sizes) -> Floats:
    """Centre (3,) of a pin in cm."""
    half = (sizes.pin_high_cm + sizes.pin_low_cm) / 4
    return np.asarray(np.asarray(piece.at_cm) + rotation(piece)[:, 2] * half)


def tilt_deg(piece: Piece) -> float:
    """Angle of a pin's axis against the vertical, 0 upright, 180 on its head."""
    return float(np.degrees(np.arccos(np.clip(rotation(piece)[2, 2], -1, 1))))


def state_of(piece: Piece, sizes: Sizes, touching: frozenset[str]) -> str:
    """Name the state of one pin at rest."""
    centre, tilt = middle(piece, sizes), tilt_deg(piece)
    ends = [piece.at_cm[2], piece.at_cm[2] + rotation(piece)[2, 2] * sizes.pin_low_cm]
    outside = not (0 <= centre[0] <= BOARD_CM[0] and 0 <= centre[1] <= BOARD_CM[1])
    if "floor" in touching or centre[2] < 0 or (outside and not touching & {"rail", "board"}):
        return "off_board"
    if "board" in touching and (tilt < UPRIGHT_DEG or tilt > 180 - UPRIGHT_DEG):
        return "upright"
    flat = "board" in touching and max(ends) <= sizes.pin_cm / 2 + FLAT_CM
    if not flat:
        return "leaning"
    return "line" if centre[0] < FIRST_LINE_CM else "fallen"


def states(run: Run, sizes: Sizes) -> Mapping[int, str]:
    """Name the state of every pin after a shot."""
    return {n: state_of(piece, sizes, run.contacts[n]) for n, piece in run.layout(run.seconds).pins}


def standing(places: Mapping[int, tuple[float, float, float]]) -> Layout:
    """Give a layout of upright pins (x, y in cm, turn in radians), the disc out of sight."""
    pins = tuple(
        (n, Piece(at_cm=(x, y, 0.0), turn=(float(np.cos(a / 2)), 0.0, 0.0, float(np.sin(a / 2)))))
        for n, (x, y, a) in sorted(places.items())
    )
    return Layout(pins=pins, disc=None)


def as_before(first: Layout, last: Layout) -> Layout:
    """Give where all is at last; pins that nothing moved are where they were, and not drawn again."""
    was = dict(first.pins)
    pins = tuple((n, was[n] if n in was and _stayed(was[n], piece) else piece) for n, piece in last.pins)
    return replace(last, pins=pins)


def _stayed(then: Piece, now: Piece) -> bool:
    turned = 2 * np.degrees(np.arccos(min(1.0, abs(float(np.dot(then.turn, now.turn))))))
    return bool(np.abs(np.subtract(then.at_cm, now.at_cm)).max() < STAYED_CM and turned < STAYED_DEG)
