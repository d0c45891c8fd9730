"""What a body that was found rests on: the board (standing or flat), a rail, or nothing of the board at all.

One camera cannot measure how high a lying pin is. But a flat pin cannot reach through a rail: where the best flat
pin would, the real one lies on the rail or leans against it; and one beyond a side has left the board.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from vision.finn.camera import Camera
from vision.finn.pins import Body
from vision.finn.search import BOARD_CM, Candidate
from vision.finn.state import Place
from vision.setup import FinnTable


@dataclass(frozen=True, slots=True, kw_only=True)
class RestLimits:
    """How rails tell what a pin rests on.

    Attributes
    ----------
    through_cm
        A flat pin whose end would be so far inside the rail is not flat: places are known to about half of that.
    rail_cm
        Rails are about so high; it only shifts the point of the board under a pin that lies on one.
    beyond_cm
        A pin whose near end would be so far outside has left the board.
    end_cm
        At the open ends a pin may lie on another or hang over the edge; seen so near to them it may be either.
    unsure_cm
        Nearer than this to one of these borders it may be either.
    """

    through_cm: float = 1.2
    rail_cm: float = 2.2
    beyond_cm: float = 0.0
    end_cm: float = 2.5
    unsure_cm: float = 0.5


LIMITS: Final = RestLimits()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rest:
    """How a pin rests.

    Attributes
    ----------
    state
        `upright`, `fallen`, `leaning`, `off_board` or `line`.
    xy_cm
        The point of the board under its middle.
    tilt_deg
        From upright.
    confidence
        Chance that it rests so, if it is there.
    """

    state: str
    xy_cm: Place
    tilt_deg: float
    confidence: float


def rest_of(body: Candidate, camera: Camera, size: Body, table: FinnTable) -> Rest:
    """Say how a standing or lying pin rests."""
    axis = body.axis
    xy = (axis.x_cm, axis.y_cm)
    if body.kind == "upright":
        return Rest(state="upright", xy_cm=xy, tilt_deg=0.0, confidence=1.0)
    half = size.height_cm / 2 * abs(np.sin(axis.azimuth))
    past = max(-axis.y_cm, axis.y_cm - BOARD_CM[1])
    outer, inner = past + half, past - half
    if not 0 <= axis.x_cm <= BOARD_CM[0]:
        near = min(abs(axis.x_cm), abs(axis.x_cm - BOARD_CM[0]))
        return Rest(state="off_board", xy_cm=xy, tilt_deg=90.0, confidence=0.99 if near > LIMITS.end_cm else 0.6)
    if outer < LIMITS.through_cm:
        low = table.first_line_x_cm - axis.x_cm
        margin = min(LIMITS.through_cm - outer, abs(low), BOARD_CM[0] - axis.x_cm)
        chance = 0.99 if margin > LIMITS.unsure_cm else 0.6
        return Rest(state="line" if low > 0 else "fallen", xy_cm=xy, tilt_deg=90.0, confidence=chance)
    if inner > LIMITS.beyond_cm:
        chance = 0.99 if inner > LIMITS.beyond_cm + 2 * LIMITS.unsure_cm else 0.6
        return Rest(state="off_board", xy_cm=xy, tilt_deg=90.0, confidence=chance)
    chance = 0.97 if outer - LIMITS.through_cm > LIMITS.unsure_cm and inner < -LIMITS.unsure_cm else 0.6
    across = past > -0.8
    lift = LIMITS.rail_cm * (1.0 if across else 0.5)
    seen = camera.to_px([[axis.x_cm, axis.y_cm, axis.z_cm]])
    x, y = camera.to_plane(seen, axis.z_cm + lift)[0]
    tilt = 90.0 if across else 68.0
    return Rest(state="leaning", xy_cm=(float(x), float(y)), tilt_deg=tilt, confidence=chance)
