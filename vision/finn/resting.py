"""What a body that was found rests on: the board (standing or flat), something on it, or nothing of the board.

How it rests is seen; where its middle is decides the rest: beyond a side it has left the board, short of the first
line it goes to the line.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from vision.finn.bodies import Found
from vision.finn.maps import KINDS
from vision.finn.pins import Axis, Body
from vision.finn.state import BOARD_CM, Place
from vision.setup import FinnTable


@dataclass(frozen=True, slots=True, kw_only=True)
class RestLimits:
    """How places tell what a pin rests on.

    Attributes
    ----------
    rail_cm
        A leaning pin whose middle is so far beyond a side rests on its rail; farther out it has left the board.
    on_rail_cm
        A flat pin whose middle is so far beyond a side still lies on its rail: beside it its own radius and the
        rail's width are more. Of 316 drawn shots those on rails were seen up to 1.9 cm out, others from 5 cm on.
    through_cm, by_network
        A flat pin cannot reach through a rail: one that would, by more than this, leans on it. What the network
        says (the logarithm of its odds of leaning against lying) counts for so many centimetres. Of 51 pins of 316
        drawn shots that would come within a centimetre of a rail or reach through it, one was taken for the other.
    end_cm, at_end
        At the open ends a pin may lie on another or hang over the edge: seen so near to them, with this chance.
    spread_cm
        Places of middles are known about so well; near a border it may be either side.
    at_rail_cm, touch_cm
        Rails and other bodies hold up what comes so near to them.
    level
        Cosine of the tilt below which either end may be the upper one.
    """

    rail_cm: float = 5.0
    on_rail_cm: float = 3.4
    through_cm: float = 0.58
    by_network: float = 0.12
    end_cm: float = 2.5
    at_end: float = 0.6
    spread_cm: float = 0.3
    at_rail_cm: float = 1.0
    touch_cm: float = 0.6
    level: float = 0.15


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
    other
        The state it may be in as well, or the same.
    """

    state: str
    xy_cm: Place
    tilt_deg: float
    confidence: float
    other: str = ""


def rest_of(body: Found, size: Body, table: FinnTable) -> Rest:
    """Say how a pin that was found rests."""
    axis = body.axis
    xy = (axis.x_cm, axis.y_cm)
    tilt = float(np.degrees(axis.tilt))
    aside = max(-xy[1], xy[1] - BOARD_CM[1])
    ahead = max(-xy[0], xy[0] - BOARD_CM[0])
    if body.kind == "leaning":
        out = max(aside, ahead)
        gone = out > LIMITS.rail_cm
        state, other = ("off_board", "leaning") if gone else ("leaning", "off_board")
        sure = _beyond(abs(out - LIMITS.rail_cm) / 3)
        return Rest(state=state, xy_cm=xy, tilt_deg=tilt, confidence=sure, other=other)
    if body.kind == "upright":
        on_board = _beyond(-max(aside, ahead))
        return Rest(state="upright", xy_cm=xy, tilt_deg=tilt, confidence=on_board, other="off_board")
    if ahead > 0:
        sure = _beyond(ahead) if ahead > LIMITS.end_cm else LIMITS.at_end
        return Rest(state="off_board", xy_cm=xy, tilt_deg=tilt, confidence=sure, other="leaning")
    across, along = abs(float(np.sin(axis.azimuth))), abs(float(np.cos(axis.azimuth)))
    reach = size.height_cm / 2 * across
    through = aside + reach + size.radius_cm * along - LIMITS.through_cm + LIMITS.by_network * _leans(body)
    over = max(reach, LIMITS.on_rail_cm) - aside
    if through <= 0:
        low = table.first_line_x_cm - xy[0]
        state, other = ("line", "fallen") if low > 0 else ("fallen", "line")
        sure = _beyond(-ahead) * _beyond(-through) * _beyond(abs(low))
        return Rest(
            state=state, xy_cm=xy, tilt_deg=tilt, confidence=sure, other="leaning" if -through < 1 else other
        )
    if over > 0:
        sure = _beyond(through) * _beyond(over)
        return Rest(state="leaning", xy_cm=xy, tilt_deg=tilt, confidence=sure, other="fallen")
    return Rest(state="off_board", xy_cm=xy, tilt_deg=tilt, confidence=_beyond(-over / 2), other="leaning")


def _leans(body: Found) -> float:
    """Give the logarithm of the network's odds that what it saw leans and does not lie."""
    if body.saw is None:
        return 0.0
    lying, leaning = (float(body.saw[KINDS.index(kind) - 1]) for kind in ("lying", "leaning"))
    return float(np.log((leaning + 0.02) / (lying + 0.02)))


def held(axis: Axis, size: Body, others: Sequence[tuple[Axis, Body]]) -> bool:
    """Say whether something is near the upper end of a pin that leans and could hold it up: a body, or a rail."""
    part = np.linspace(0.1, 1.0, 6)[:, None] * size.height_cm / 2
    ends = (1, -1) if np.cos(axis.tilt) < LIMITS.level else (1,)
    upper = np.concatenate([axis.middle + sign * part * axis.along for sign in ends])[:, :2]
    if upper[:, 1].min() < LIMITS.at_rail_cm or upper[:, 1].max() > BOARD_CM[1] - LIMITS.at_rail_cm:
        return True
    for other, body in others:
        half = max(0.0, body.height_cm / 2 - body.radius_cm)
        line = (other.middle + np.linspace(-half, half, 7)[:, None] * other.along)[:, :2]
        gap = float(np.linalg.norm(upper[:, None] - line, axis=2).min())
        own = np.allclose(other.middle, axis.middle)
        if not own and gap < size.radius_cm + body.radius_cm + LIMITS.touch_cm:
            return True
    return False


def _beyond(margin_cm: float) -> float:
    """Give the chance that what is seen so far on one side of a border is on that side."""
    return float(1 / (1 + np.exp(-1.7 * margin_cm / LIMITS.spread_cm)))
