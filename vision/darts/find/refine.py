"""From a first homography to a fraction of a pixel: the whole board fitted to the steps across its lines.

Unknowns are the homography, radial distortion where it shows, the radii of the rings (the outer edge of the
double ring fixes the scale: 170 mm by definition) and how much wires and blooming make dark sectors narrower.
Gauss–Newton with weights that forget what lies far off: darts, shadows, glare.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.darts.board import REGULATION
from vision.darts.find.lines import RINGS, Measured, measure, model_lines
from vision.darts.find.support import (
    Fit,
    Support,
    plausibility,
    plausible_rings,
    robust_spread,
    strong_steps,
    supported,
)
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
    ring_sigma_mm: float = 3.0
    regulation_mm: float = 1.0
    lens_sigma: float = 0.15
    lens_gain: float = 0.07
    doubtful: float = 2.9
    other_sizes: tuple[float, ...] = (1.03, 0.97)


REFINE = RefineTuning()


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
    return fit, supported(bgr, fit)


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
    bent_support = supported(bgr, bent)
    straighter = bent_support.edge_mm < (1 - tuning.lens_gain) * support.edge_mm
    if straighter and bent_support.ring_mm < 1.05 * support.ring_mm:
        return bent, bent_support
    return found


def _round(
    bgr: NDArray[np.uint8], fit: Fit, half_mm: tuple[float, float], tuning: RefineTuning, *, radii: bool
) -> Fit:
    found = measure(bgr, fit.plane, model_lines(fit.rings), half_mm)
    strong = strong_steps(found)
    if np.count_nonzero(strong) < 40:
        return fit
    reach = 2 * robust_spread(found.offset_px[strong], 0.15)
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
    return Fit(plane=plane, rings=plausible_rings(moved), shrink_mm=float(step[-1]))


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
