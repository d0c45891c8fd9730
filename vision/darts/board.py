"""The dartboard itself: rings, sectors, and which segment a point or an uncertain point lies in.

Board frame: millimetres, origin at the bull, x right, y up toward 20; angles run clockwise from 20, as the numbers
do.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

SECTORS = (20, 1, 18, 4, 13, 6, 10, 15, 2, 17, 3, 19, 7, 16, 8, 11, 14, 9, 12, 5)
"""Numbers clockwise from the top."""

SECTOR_DEGREES = 18.0

_PREFIX = ("DB", "SB", "S", "T", "S", "D", "MISS")
_BULLS = 2
_MISS_ZONE = 6
_TIPS = 4000


def _sunflower() -> Array:
    """Spread points as a standard normal has them, on a golden spiral: even, so that no chance is in the sums."""
    place = (np.arange(_TIPS) + 0.5) / _TIPS
    radius, angle = np.sqrt(-2 * np.log1p(-place)), np.arange(_TIPS) * np.pi * (3 - np.sqrt(5))
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)


_NORMAL = _sunflower()
"""4,000 of them halve right to 0.2 % when a wire runs through the middle, in a third of a millisecond."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rings:
    """Radii in mm at which a score changes (the middle of the wire between the two)."""

    bull: float = 6.35
    outer_bull: float = 15.9
    treble_inner: float = 99.0
    treble_outer: float = 107.0
    double_inner: float = 162.0
    double_outer: float = 170.0

    def __post_init__(self) -> None:
        radii = self.radii()
        if radii[0] <= 0 or any(small >= large for small, large in pairwise(radii)):
            raise ValueError(f"the radii of a board grow outward, these do not: {radii}")

    def radii(self) -> tuple[float, float, float, float, float, float]:
        """Give the six radii in mm from the bull outward."""
        return (
            self.bull,
            self.outer_bull,
            self.treble_inner,
            self.treble_outer,
            self.double_inner,
            self.double_outer,
        )

    @classmethod
    def of(cls, radii: ArrayLike) -> "Rings":
        """Make rings of six radii in mm from the bull outward; raises ValueError unless they are six and grow."""
        values = [float(radius) for radius in np.ravel(np.asarray(radii, dtype=np.float64))]
        if len(values) != 6:
            raise ValueError(f"a board has six radii, not {len(values)}")
        names = ("bull", "outer_bull", "treble_inner", "treble_outer", "double_inner", "double_outer")
        return cls(**dict(zip(names, values, strict=True)))


REGULATION = Rings()
"""World Darts Federation, playing and tournament rules: the board."""


def segment_at(xy_mm: ArrayLike, rings: Rings = REGULATION) -> str:
    """Name the segment under one point.

    Parameters
    ----------
    xy_mm
        (2,) mm in the board frame.
    rings
        Radii of the board.

    Returns
    -------
    str
        `S20`, `T19`, `D3`, `SB`, `DB`, or `MISS` outside the double ring.
    """
    return segment_names(_codes(np.reshape(np.asarray(xy_mm, dtype=np.float64), (1, 2)), rings))[0]


def segment_probabilities(xy_mm: ArrayLike, cov_mm: ArrayLike, rings: Rings = REGULATION) -> dict[str, float]:
    """Integrate a Gaussian tip over the board.

    Parameters
    ----------
    xy_mm
        (2,) mm, the likeliest place of the tip.
    cov_mm
        (2, 2) mm², its covariance.
    rings
        Radii of the board.

    Returns
    -------
    dict
        Segment to probability, likeliest first, sum 1; only those above 1e-4. The singles inside and outside the
        treble ring are one segment.
    """
    points = _NORMAL @ _root(np.asarray(cov_mm, dtype=np.float64)).T
    codes = _codes(points + np.ravel(np.asarray(xy_mm, dtype=np.float64)), rings)
    names = segment_names(np.unique(codes))
    sums = np.bincount(codes)[np.unique(codes)] / len(codes)
    merged: dict[str, float] = {}
    for name, share in zip(names, sums, strict=True):
        merged[name] = merged.get(name, 0.0) + float(share)
    kept = {name: share for name, share in merged.items() if share > 1e-4}
    total = sum(kept.values())
    return {name: kept[name] / total for name in sorted(kept, key=lambda name: (-kept[name], name))}


def sector_at(xy_mm: ArrayLike) -> int:
    """Give the number whose sector a point (2,) mm lies in, however far out (what a miss was beside)."""
    x, y = np.ravel(np.asarray(xy_mm, dtype=np.float64))
    return SECTORS[int(_sector_index(np.array([[x, y]]))[0])]


def wire_distance_mm(xy_mm: ArrayLike, rings: Rings = REGULATION) -> float:
    """Give the distance in mm of a point (2,) to the nearest border between two segments."""
    x, y = np.ravel(np.asarray(xy_mm, dtype=np.float64))
    radius = float(np.hypot(x, y))
    nearest = min(abs(radius - border) for border in rings.radii())
    if rings.outer_bull < radius < rings.double_outer:
        turned = (np.degrees(np.arctan2(x, y)) + SECTOR_DEGREES / 2) % SECTOR_DEGREES
        off = min(turned, SECTOR_DEGREES - turned)
        nearest = min(nearest, radius * float(np.sin(np.radians(off))))
    return float(nearest)


def on_board(radius_mm: ArrayLike, clockwise_degrees: ArrayLike) -> Array:
    """Give (N, 2) mm for radii and angles clockwise from the middle of 20 (either may be one number)."""
    radius, angle = np.broadcast_arrays(np.asarray(radius_mm, dtype=np.float64), np.radians(clockwise_degrees))
    return np.stack([radius * np.sin(angle), radius * np.cos(angle)], axis=-1).reshape(-1, 2)


def segment_names(codes: NDArray[np.intp]) -> list[str]:
    """Name the codes that the vector form of the segments uses (`zone * 20 + place of the sector`)."""
    return [_name(int(code)) for code in codes]


def _name(code: int) -> str:
    zone, place = divmod(code, 20)
    return _PREFIX[zone] if zone < _BULLS or zone == _MISS_ZONE else f"{_PREFIX[zone]}{SECTORS[place]}"


def _codes(xy_mm: Array, rings: Rings) -> NDArray[np.intp]:
    zone = np.searchsorted(rings.radii(), np.hypot(xy_mm[:, 0], xy_mm[:, 1]), side="right")
    place = np.where((zone < _BULLS) | (zone == _MISS_ZONE), 0, _sector_index(xy_mm))
    return zone * 20 + place


def _sector_index(xy_mm: Array) -> NDArray[np.intp]:
    degrees = np.degrees(np.arctan2(xy_mm[:, 0], xy_mm[:, 1]))
    return np.floor((degrees + SECTOR_DEGREES / 2) / SECTOR_DEGREES).astype(np.intp) % len(SECTORS)


def _root(cov: Array) -> Array:
    values, vectors = np.linalg.eigh((cov + cov.T) / 2)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0)))
