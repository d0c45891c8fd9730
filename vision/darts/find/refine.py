"""From a first homography to a fraction of a pixel: the whole board fitted to the steps across its lines.

Unknowns are the homography, radial distortion where it shows, the radii of the rings (the outer edge of the
double ring fixes the scale: 170 mm by definition) and how much wires and blooming make dark sectors narrower.
Gauss–Newton with weights that forget what lies far off: darts, shadows, glare.
"""

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.darts.board import REGULATION, Rings, on_board
from vision.darts.find.lines import RINGS, Measured, measure, model_lines
from vision.darts.find.pencil import ALTERNATING
from vision.darts.find.start import START, area_scores
from vision.geometry import Lens, PlaneMap

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class RefineTuning:
    """How the fit closes in.

    Attributes
    ----------
    windows_mm
        Half widths of the search across rings and across sector edges, one pair a round. The first homography is
        good to 3 mm near the bull and 10 mm at the rim of a flat view; a toy board's rings lie up to 5 mm from
        regulation, and rings are 8 mm wide.
    weak
        Steps weaker than this share of the median step are no lines.
    ring_sigma_mm
        How far the rings of boards lie from regulation: holds a ring that is hardly seen.
    regulation_mm
        Boards whose rings are all this near to regulation are regulation: wires, light and blur move the measured
        rings by half a millimetre.
    lens_windows_mm
        Rounds for the distortion, once the homography stands.
    lens_sigma
        Spread of k1 (focal length: longer side of the picture) of real lenses.
    lens_gain
        Distortion is believed where it makes the sector edges, which are straight on every board, this much
        straighter without making the rings worse. Pictures of straight lenses gained up to 0.07.
    inlier
        Steps within this many robust standard deviations count as seen.
    doubtful, other_sizes
        Where a fit is less plausible than this it may have taken one edge of a ring for the other: it is tried
        again from a board larger and smaller by half the width of a ring. Clean boards reach 3.1 to 3.3.
    """

    windows_mm: tuple[tuple[float, float], ...] = (
        (5.0, 12.0),
        (5.0, 9.0),
        (4.0, 6.0),
        (3.5, 4.5),
        (3.0, 3.0),
        (2.5, 2.5),
        (2.0, 2.0),
    )
    lens_windows_mm: tuple[tuple[float, float], ...] = ((2.5, 2.5), (2.0, 2.0), (2.0, 2.0))
    weak: float = 0.3
    ring_sigma_mm: float = 3.0
    regulation_mm: float = 1.0
    lens_sigma: float = 0.15
    lens_gain: float = 0.07
    inlier: float = 4.0
    doubtful: float = 2.9
    other_sizes: tuple[float, ...] = (1.03, 0.97)


REFINE = RefineTuning()
_COLOURED = 15.0
"""Grey levels by which red less green differs between the two colours of rings that are coloured at all."""

_BESIDE_MM = 4.0
_BLUR_PX = 2.5
"""Half a ring beside it no colour is left, unless the picture is so small that colours blur that far."""

_SPILL = 0.55
"""Share of it that colour bleeding brings beside the rings of boards that are fitted well (0.5 at most)."""


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


def close_in(bgr: NDArray[np.uint8], homography: Array, tuning: RefineTuning = REFINE) -> tuple[Fit, Support]:
    """Fit the board without distortion.

    Parameters
    ----------
    bgr
        (H, W, 3).
    homography
        (3, 3), mm to px, first sector up; good to a few millimetres.
    """
    fit = Fit(plane=PlaneMap(homography=homography))
    for place, half_mm in enumerate(tuning.windows_mm):
        fit = _round(bgr, fit, half_mm, tuning, radii=place > 0)
    return fit, supported(bgr, fit, tuning)


def finish(
    bgr: NDArray[np.uint8], found: tuple[Fit, Support], tuning: RefineTuning = REFINE
) -> tuple[Fit, Support]:
    """Mend a fit that took one edge of a ring for the other, and bend it where the lens does."""
    if plausibility(found) < tuning.doubtful:
        sizes = [np.diag([size, size, 1.0]) for size in tuning.other_sizes]
        homography = found[0].plane.homography
        others = [close_in(bgr, np.asarray(homography @ size), tuning) for size in sizes]
        found = max([found, *others], key=plausibility)
    fit, support = _bent(bgr, found, tuning)
    return _to_regulation(fit, tuning), support


def plausibility(found: tuple[Fit, Support]) -> float:
    """Rank fits of one picture; up to about 3.4."""
    fit, support = found
    return support.weakest + support.seen + support.areas - float(_forced(fit.rings))


def _to_regulation(fit: Fit, tuning: RefineTuning) -> Fit:
    """Give regulation rings to a board that has them, but for one factor and the noise of measuring them."""
    measured, known = np.array(fit.rings.radii()), np.array(REGULATION.radii())
    factor = float(measured[2:] @ known[2:] / (measured[2:] @ measured[2:]))
    if np.max(np.abs(factor * measured - known)) > tuning.regulation_mm:
        return fit
    shrunk = fit.plane.homography @ np.diag([1 / factor, 1 / factor, 1.0])
    return replace(fit, plane=replace(fit.plane, homography=shrunk), rings=REGULATION)


def _bent(bgr: NDArray[np.uint8], found: tuple[Fit, Support], tuning: RefineTuning) -> tuple[Fit, Support]:
    fit, support = found
    height, width = bgr.shape[:2]
    lens = Lens(f_px=float(max(width, height)), cx_px=(width - 1) / 2, cy_px=(height - 1) / 2)
    bent = replace(fit, plane=PlaneMap(homography=fit.plane.homography, lens=lens))
    for half_mm in tuning.lens_windows_mm:
        bent = _round(bgr, bent, half_mm, tuning, radii=True)
    bent_support = supported(bgr, bent, tuning)
    straighter = bent_support.edge_mm < (1 - tuning.lens_gain) * support.edge_mm
    if straighter and bent_support.ring_mm < 1.05 * support.ring_mm:
        return bent, bent_support
    return found


def supported(bgr: NDArray[np.uint8], fit: Fit, tuning: RefineTuning = REFINE) -> Support:
    """Say how well a picture (H, W, 3) bears out a fit."""
    lines = model_lines(fit.rings)
    found = measure(bgr, fit.plane, lines, tuning.windows_mm[-1])
    strong = _strong(found, tuning)
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
    seen = strong & (np.abs(rest) < tuning.inlier * _spread(rest[strong], 0.1))
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
        areas=_areas(bgr, fit),
    )


def _areas(bgr: NDArray[np.uint8], fit: Fit) -> float:
    """Score how light and dark take turns between the lines of a fit, near the sector edges and away from them."""
    _, _, inner, outer, low, high = fit.rings.radii()
    single = [*np.linspace(35, inner - 6, 5), *np.linspace(outer + 6, low - 6, 5)]
    radii = np.array([*single, (inner + outer) / 2, (low + high) / 2, *START.outside_mm])
    angles = 18.0 * np.arange(20)[None, :, None] + np.array([-5.0, -2.0, 2.0, 5.0])[:, None, None]
    points = fit.plane.to_px(on_board(radii, angles)).reshape(4, 20, len(radii), 2)
    luma = np.asarray(cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
    return float(area_scores(luma, points[..., 0], points[..., 1], ALTERNATING).mean()) - _spilt(bgr, fit)


def _spilt(bgr: NDArray[np.uint8], fit: Fit) -> float:
    """Say how much red and green take turns beside the rings, as a share of how they do on them: 0 to 1.

    The quarter of the board where it is worst counts: a fit that took the inner edge of the double ring for the
    outer one does so on one side. Boards whose rings are not coloured give 0.
    """
    _, _, inner, outer, low, high = fit.rings.radii()
    rim = fit.plane.px_per_unit(on_board(high, np.arange(0.0, 360.0, 36.0)))
    if float(np.median(rim)) * _BESIDE_MM < _BLUR_PX:
        return 0.0
    radii = np.array([60, (outer + low) / 2, (inner + outer) / 2, (low + high) / 2])
    radii = np.concatenate([radii, [inner - _BESIDE_MM, outer + _BESIDE_MM, low - _BESIDE_MM, high + _BESIDE_MM]])
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
    if on_rings < _COLOURED:
        return 0.0
    return min(1.0, max(0.0, float(quarters[:, 4:].max()) / on_rings - _SPILL))


def _round(
    bgr: NDArray[np.uint8], fit: Fit, half_mm: tuple[float, float], tuning: RefineTuning, *, radii: bool
) -> Fit:
    found = measure(bgr, fit.plane, model_lines(fit.rings), half_mm)
    strong = _strong(found, tuning)
    if np.count_nonzero(strong) < 40:
        return fit
    reach = 2 * _spread(found.offset_px[strong], 0.15)
    weight = strong / (1 + (found.offset_px / reach) ** 2) ** 2
    columns = [_homography_slopes(fit.plane, found)]
    if fit.plane.lens:
        columns.append(_lens_slopes(fit.plane, found))
    if radii:
        columns += [_radius_slopes(found), (found.lines.sign * found.px_per_mm)[:, None]]
    step = _solve(columns, found, weight, fit, tuning, radii=radii)
    return _moved(fit, step, radii=radii)


def _solve(
    columns: list[Array], found: Measured, weight: Array, fit: Fit, tuning: RefineTuning, *, radii: bool
) -> Array:
    slopes = np.concatenate(columns, axis=1)
    scale = np.sqrt(np.sum(slopes**2 * weight[:, None], axis=0)) + 1e-9
    normals = (slopes * weight[:, None]).T @ slopes
    towards = slopes.T @ (weight * found.offset_px)
    noise = float(np.sum(weight * found.offset_px**2) / np.sum(weight)) + 0.05
    if fit.plane.lens:
        held = noise / tuning.lens_sigma**2
        normals[8, 8] += held
        towards[8] -= held * fit.plane.lens.k1
    if radii:
        first = slopes.shape[1] - RINGS
        held = noise / tuning.ring_sigma_mm**2
        for ring in range(RINGS - 1):
            normals[first + ring, first + ring] += held
            towards[first + ring] += held * (REGULATION.radii()[ring] - fit.rings.radii()[ring])
    scaled = normals / np.outer(scale, scale) + 1e-9 * np.eye(len(scale))
    return np.asarray(np.linalg.solve(scaled, towards / scale) / scale)


def _moved(fit: Fit, step: Array, *, radii: bool) -> Fit:
    homography = fit.plane.homography.ravel().copy()
    homography[:8] += step[:8]
    lens = fit.plane.lens and replace(fit.plane.lens, k1=fit.plane.lens.k1 + float(step[8]))
    plane = PlaneMap(homography=homography.reshape(3, 3), lens=lens)
    if not radii:
        return replace(fit, plane=plane)
    moved = np.array(fit.rings.radii())
    moved[: RINGS - 1] += step[-RINGS:-1]
    return Fit(plane=plane, rings=_plausible(moved), shrink_mm=float(step[-1]))


_LEAST_MM = np.array([4.0, 11.0, 88.0, 100.0, 152.0, 170.0])
_MOST_MM = np.array([11.0, 24.0, 101.5, 112.0, 164.5, 170.0])
"""Boards had trebles from 94 to 99 to 105 to 110 mm, doubles from 157 to 163 to 170 mm."""


def _plausible(radii: Array) -> Rings:
    """Keep six radii within the sizes of boards, so that a ring cannot take its neighbour's place."""
    return Rings.of(np.clip(radii, _LEAST_MM, _MOST_MM))


def _forced(rings: Rings) -> bool:
    """Tell whether a great ring would lie where no board has it: then the outer edge is not the outer edge."""
    great = np.array(rings.radii())[2:5]
    return bool(np.any((great <= _LEAST_MM[2:5] + 0.01) | (great >= _MOST_MM[2:5] - 0.01)))


def _homography_slopes(plane: PlaneMap, found: Measured) -> Array:
    """Give (N, 8) how the points move along their normals with the entries of the homography."""
    ones = np.ones((len(found.offset_px), 1))
    board = np.concatenate([found.lines.xy_mm, ones], axis=1)
    mapped = board @ plane.homography.T
    ideal = mapped[:, :2] / mapped[:, 2:]
    rows = board / mapped[:, 2:]
    normal = found.normal_px
    if plane.lens:
        normal = np.squeeze(plane.lens.jacobian(ideal).transpose(0, 2, 1) @ normal[:, :, None], 2)
    last = -np.sum(normal * ideal, axis=1, keepdims=True) * rows[:, :2]
    return np.concatenate([normal[:, :1] * rows, normal[:, 1:] * rows, last], axis=1)


def _lens_slopes(plane: PlaneMap, found: Measured) -> Array:
    """Give (N, 1) how the points move along their normals with k1."""
    if plane.lens is None:
        raise ValueError("a plane without a lens has no distortion to fit")
    ideal = PlaneMap(homography=plane.homography).to_px(found.lines.xy_mm)
    centred = ideal - (plane.lens.cx_px, plane.lens.cy_px)
    squared = np.sum(centred**2, axis=1, keepdims=True) / plane.lens.f_px**2
    return np.asarray(np.sum(found.normal_px * centred * squared, axis=1, keepdims=True))


def _radius_slopes(found: Measured) -> Array:
    """Give (N, 5) how the points move with the radii of all rings but the outermost."""
    return np.asarray((found.lines.line[:, None] == np.arange(RINGS - 1)) * found.px_per_mm[:, None])


def _strong(found: Measured, tuning: RefineTuning) -> NDArray[np.bool_]:
    strong = found.usable.copy()
    for kind in (found.lines.on_ring, ~found.lines.on_ring):
        candidates = kind & found.usable
        if candidates.any():
            strong &= ~kind | (found.strength > tuning.weak * np.median(found.strength[candidates]))
    return strong


def _spread(offsets: Array, floor: float) -> float:
    return 1.4826 * float(np.median(np.abs(offsets))) + floor


def _rms(values: Array) -> float:
    return float(np.sqrt(np.mean(values**2))) if len(values) else np.inf
