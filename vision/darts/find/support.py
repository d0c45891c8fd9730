"""What a picture bears out of a fitted board: its lines, its light and dark areas, the colours of its rings."""

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.darts.board import REGULATION, Rings, on_board
from vision.darts.find.lines import RINGS, Measured, measure, model_lines
from vision.darts.find.pencil import ALTERNATING
from vision.darts.find.start import START, area_scores
from vision.geometry import PlaneMap

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class SupportTuning:
    """What counts as a line that is seen.

    Attributes
    ----------
    window_mm
        Half widths of the search across rings and across sector edges.
    weak
        Steps weaker than this share of the median step are no lines.
    inlier
        Steps within this many robust standard deviations count as seen.
    coloured
        Grey levels by which red less green differs between the two colours of rings that are coloured at all.
    beside_mm, blur_px
        Half a ring beside it no colour is left, unless the picture is so small that colours blur that far.
    spill
        Share of it that colour bleeding brings beside the rings of boards that are fitted well (0.5 at most).
    """

    window_mm: tuple[float, float] = (2.0, 2.0)
    weak: float = 0.3
    inlier: float = 4.0
    coloured: float = 15.0
    beside_mm: float = 4.0
    blur_px: float = 2.5
    spill: float = 0.55


SUPPORT = SupportTuning()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Fit:
    """A board model in a picture.

    Attributes
    ----------
    plane, rings
        The board as fitted; the first sector (light) is up.
    shrink_mm
        How much narrower dark sectors look on either side.
    """

    plane: PlaneMap
    rings: Rings = REGULATION
    shrink_mm: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """How well a picture bears out a fit.

    Attributes
    ----------
    residual_px, residual_mm
        Root mean square of the steps that count as seen.
    ring_mm, edge_mm
        The same for rings and sector edges alone, in mm.
    seen
        Share of all points of the model at which there is a step where it should be.
    weakest
        The same for the worst of the four great rings and the sector edges (one dart hides the bull).
    visible
        Share of the model's points that lie inside the picture.
    areas
        How light and dark take turns within the lines, as `Start.score`: 1.4 on clean boards, 0.9 with six
        darts in.
    """

    residual_px: float
    residual_mm: float
    ring_mm: float
    edge_mm: float
    seen: float
    weakest: float
    visible: float
    areas: float

    def scaled(self, factor: float) -> "Support":
        """Give the same for a picture `factor` times as large."""
        return replace(self, residual_px=self.residual_px * factor)


def plausibility(found: tuple[Fit, Support]) -> float:
    """Rank fits of one picture; up to about 3.4."""
    fit, support = found
    return support.weakest + support.seen + support.areas - float(forced(fit.rings))


def supported(bgr: NDArray[np.uint8], fit: Fit, tuning: SupportTuning = SUPPORT) -> Support:
    """Say how well a picture (H, W, 3) bears out a fit."""
    lines = model_lines(fit.rings)
    found = measure(bgr, fit.plane, lines, tuning.window_mm)
    strong = strong_steps(found, tuning)
    rest = found.offset_px - fit.shrink_mm * lines.sign * found.px_per_mm
    if not strong.any():
        return Support(
            residual_px=np.inf,
            residual_mm=np.inf,
            ring_mm=np.inf,
            edge_mm=np.inf,
            seen=0,
            weakest=0,
            visible=0,
            areas=0,
        )
    seen = strong & (np.abs(rest) < tuning.inlier * robust_spread(rest[strong], 0.1))
    rest_mm = rest / found.px_per_mm
    kinds = [lines.line == ring for ring in range(2, RINGS)] + [~lines.on_ring]
    points_px = fit.plane.to_px(lines.xy_mm)
    inside = np.all((points_px >= 0) & (points_px < (bgr.shape[1], bgr.shape[0])), axis=1)
    return Support(
        residual_px=_rms(rest[seen]),
        residual_mm=_rms(rest_mm[seen]),
        ring_mm=_rms(rest_mm[seen & lines.on_ring]),
        edge_mm=_rms(rest_mm[seen & ~lines.on_ring]),
        seen=float(seen[inside].mean()) if inside.any() else 0.0,
        weakest=min(float(seen[kind & inside].mean()) if (kind & inside).any() else 1.0 for kind in kinds),
        visible=float(inside.mean()),
        areas=_areas(bgr, fit, tuning),
    )


def _areas(bgr: NDArray[np.uint8], fit: Fit, tuning: SupportTuning) -> float:
    """Score how light and dark take turns between the lines of a fit, near the sector edges and away from them."""
    _, _, inner, outer, low, high = fit.rings.radii()
    single = [*np.linspace(35, inner - 6, 5), *np.linspace(outer + 6, low - 6, 5)]
    radii = np.array([*single, (inner + outer) / 2, (low + high) / 2, *START.outside_mm])
    angles = 18.0 * np.arange(20)[None, :, None] + np.array([-5.0, -2.0, 2.0, 5.0])[:, None, None]
    points = fit.plane.to_px(on_board(radii, angles)).reshape(4, 20, len(radii), 2)
    luma = np.asarray(cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
    return float(area_scores(luma, points[..., 0], points[..., 1], ALTERNATING).mean()) - _spilt(bgr, fit, tuning)


def _spilt(bgr: NDArray[np.uint8], fit: Fit, tuning: SupportTuning) -> float:
    """Say how much red and green take turns beside the rings, as a share of how they do on them: 0 to 1.

    The quarter of the board where it is worst counts: a fit that took the inner edge of the double ring for the
    outer one does so on one side. Boards whose rings are not coloured give 0.
    """
    _, _, inner, outer, low, high = fit.rings.radii()
    rim = fit.plane.px_per_unit(on_board(high, np.arange(0.0, 360.0, 36.0)))
    if float(np.median(rim)) * tuning.beside_mm < tuning.blur_px:
        return 0.0
    radii = np.array([60, (outer + low) / 2, (inner + outer) / 2, (low + high) / 2])
    radii = np.concatenate(
        [
            radii,
            [inner - tuning.beside_mm, outer + tuning.beside_mm, low - tuning.beside_mm, high + tuning.beside_mm],
        ]
    )
    points = fit.plane.to_px(on_board(radii, 18.0 * np.arange(20)[:, None])).reshape(20, len(radii), 2)
    inside = np.all((points >= 0) & (points < (bgr.shape[1], bgr.shape[0])), axis=2)
    x = np.clip(points[..., 0], 0, bgr.shape[1] - 1).astype(np.intp)
    y = np.clip(points[..., 1], 0, bgr.shape[0] - 1).astype(np.intp)
    turns = bgr[y, x].astype(np.float64) * (ALTERNATING[:, None] * inside)[..., None]
    # Tinted light tints the light sectors too: red is weighed so that the single areas show no turns.
    _, green, red = np.median(turns[:, :2].reshape(20, -1, 3), axis=(0, 1))
    redness = turns[..., 2] - np.clip(red / green if green > 1 else 1.0, 0.3, 3.0) * turns[..., 1]
    sign = np.sign(np.median(redness[:, 2:4]))
    # Four sectors of a quarter have to agree: a logo or a dart colours two of them at most.
    quarters = np.sort(sign * redness.reshape(4, 5, len(radii)), axis=1)[:, 1]
    on_rings = float((sign * np.median(redness[:, 2:4], axis=0)).min()) if sign else 0.0
    if on_rings < tuning.coloured:
        return 0.0
    return min(1.0, max(0.0, float(quarters[:, 4:].max()) / on_rings - tuning.spill))


_LEAST_MM = np.array([4.0, 11.0, 88.0, 100.0, 152.0, 170.0])
_MOST_MM = np.array([11.0, 24.0, 101.5, 112.0, 164.5, 170.0])
"""Boards had trebles from 94 to 99 to 105 to 110 mm, doubles from 157 to 163 to 170 mm."""


def plausible_rings(radii: Array) -> Rings:
    """Keep six radii within the sizes of boards, so that a ring cannot take its neighbour's place."""
    return Rings.of(np.clip(radii, _LEAST_MM, _MOST_MM))


def forced(rings: Rings) -> bool:
    """Tell whether a great ring would lie where no board has it: then the outer edge is not the outer edge."""
    great = np.array(rings.radii())[2:5]
    return bool(np.any((great <= _LEAST_MM[2:5] + 0.01) | (great >= _MOST_MM[2:5] - 0.01)))


def strong_steps(found: Measured, tuning: SupportTuning = SUPPORT) -> NDArray[np.bool_]:
    """Tell which steps (N,) are usable and strong enough to be lines."""
    strong = found.usable.copy()
    for kind in (found.lines.on_ring, ~found.lines.on_ring):
        candidates = kind & found.usable
        if candidates.any():
            strong &= ~kind | (found.strength > tuning.weak * np.median(found.strength[candidates]))
    return strong


def robust_spread(offsets: Array, floor: float) -> float:
    """Give a standard deviation that outliers do not move, plus a floor for what is hardly any."""
    return 1.4826 * float(np.median(np.abs(offsets))) + floor


def _rms(values: Array) -> float:
    return float(np.sqrt(np.mean(values**2))) if len(values) else np.inf
