"""Whether a picture can be trusted at all: black, blinded by light, covered, or out of focus it shows nothing.

Such pictures are kept from whoever watches the scene. When the view is back, what changed meanwhile is found by
comparing with the last good picture, and asks for a look.
"""

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from vision.changes import Region
from vision.frames import Frame, Picture


@dataclass(frozen=True, slots=True, kw_only=True)
class SightLimits:
    """When a picture shows nothing.

    Attributes
    ----------
    flat, flat_share
        Standard deviation of brightness, levels, and as a share of the usual one: boards and tables have 15 to 70,
        noise at night 2 to 5, a room with a third of its light a third of what is usual.
    dark, bright
        Mean level below which a flat picture is black, and above which it is blinded.
    glare_level, glare_share
        Pixels from this level on are burnt out; this share of the region more than usual is a lamp in the lens.
        Measured: 0 to 0.01 in play, hands in white sleeves too; 0.2 to 0.9 at five times the light.
    sharp, alike
        Energy of the steps between neighbours, for the contrast there is, falls below this share of what is usual
        when the picture is blurred; a body before the board may have few steps too, but then the picture is not
        like the last good one (correlation). Measured: in play no less than 0.66, blurred by 4 px 0.1 to 0.4 and
        alike from 0.96 on.
    follow
        How quickly what is usual follows pictures at rest.
    every
        Of pictures that look as the one before at rest, only one in so many is measured.
    told_ms
        It is told after this time: a hand brushes past a lens in less.
    """

    flat: float = 5.0
    flat_share: float = 0.25
    dark: float = 64.0
    bright: float = 192.0
    glare_level: int = 250
    glare_share: float = 0.2
    sharp: float = 0.45
    alike: float = 0.95
    follow: float = 0.2
    every: int = 16
    told_ms: int = 300


LIMITS: Final = SightLimits()


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """Nothing can be seen.

    Attributes
    ----------
    why
        `dark`, `glare`, `covered` or `blurred`.
    since
        Index and time (ms) of the first such frame.
    """

    why: str
    since: tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Usual:
    spread: float
    steps: float
    burnt: float

    def followed(self, now: "_Usual", part: float) -> "_Usual":
        """Give what is usual after one more picture."""
        pairs = ((self.spread, now.spread), (self.steps, now.steps), (self.burnt, now.burnt))
        return _Usual(*(old + part * (new - old) for old, new in pairs))


class Sight:
    """Looks at every frame of one region before anybody else does.

    Attributes
    ----------
    lost
        What is wrong right now, or None.
    """

    def __init__(self, region: Region, limits: SightLimits = LIMITS) -> None:
        self.lost: Lost | None = None
        self._region, self._limits = region, limits
        self._usual: _Usual | None = None
        self._good: Picture | None = None

    def trusts(self, frame: Frame, *, moving: bool, calm: bool = False) -> bool:
        """Say whether a frame shows the scene.

        Parameters
        ----------
        frame
            The next one.
        moving
            Something moved in the one before.
        calm
            It looks as the last good picture at rest does: then only now and then is asked what is usual.
        """
        if calm and self._usual is not None and frame.index % self._limits.every:
            self.lost = None
            return True
        picture = self._region.seen(frame)
        why = self._why(picture, moving)
        if why is None:
            self.lost = None
            return True
        self.lost = self.lost or Lost(why=why, since=(frame.index, frame.t_ms))
        return False

    def _why(self, picture: Picture, moving: bool) -> str | None:
        limits, usual = self._limits, self._usual
        mean, spread = (float(value[0, 0]) for value in cv2.meanStdDev(picture, mask=self._region.mask))
        if spread < (limits.flat if usual is None else min(limits.flat, limits.flat_share * usual.spread)):
            return "dark" if mean < limits.dark else "glare" if mean > limits.bright else "covered"
        now = _Usual(spread, _steps(picture) / spread**2, _share_from(picture, limits.glare_level))
        if usual is not None and now.burnt > usual.burnt + limits.glare_share:
            return "glare"
        if usual is not None and now.steps < limits.sharp * usual.steps and self._is_alike(picture):
            return "blurred"
        if usual is None or not moving:
            self._usual = now if usual is None else usual.followed(now, limits.follow)
            self._good = picture
        return None

    def _is_alike(self, picture: Picture) -> bool:
        """Say whether the picture is the last good one but for its sharpness."""
        assert self._good is not None
        now, then = (cv2.blur(one, (9, 9)).astype(np.float32) for one in (picture, self._good))
        inside = self._region.inside
        return float(np.corrcoef(now[inside], then[inside])[0, 1]) > self._limits.alike


def _steps(picture: Picture) -> float:
    """Give the mean square of the steps, levels, from a pixel to its neighbour."""
    return cv2.norm(picture[:, 1:], picture[:, :-1], cv2.NORM_L2SQR) / picture.size


def _share_from(picture: Picture, level: int) -> float:
    return cv2.countNonZero(cv2.threshold(picture, level - 1, 1, cv2.THRESH_BINARY)[1]) / picture.size
