"""The axis of a dart in a map of change: a line through barrel, shaft and flight, and which end is the tip."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vision.darts.tips.likeness import tilt_needed

Array = NDArray[np.float64]
Map = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class AxisLimits:
    """What a dart looks like, in millimetres at the board, and how its axis is searched.

    Attributes
    ----------
    thin_mm
        Half width of barrel, shaft and point: nothing narrower than twice this is a flight.
    aside_mm
        Half width of a flight: what lies further from a line than this belongs to something else, a shadow mostly.
    apart_mm
        Thin stretches with more than this of a wide one between them are two: a flight ends in a corner, and that
        is not on the axis.
    gap_mm
        A barrel in the colour of what is behind it, or behind another dart, leaves a gap up to about this long.
    pairs
        Lines tried through pairs of changed pixels.
    sample, finalists
        Pixels that lines are held against, and how many of the lines are looked at closely.
    tilt
        How far a dart leans from the board's normal, as a share of its length: 0.25 is 14 degrees.
    length_mm, tip_mm
        From point to flight's end; of that the part whose width tells a point from a flight.
    seen
        Change, in noise units, that counts as seen along the axis; strong change counts up to `strong`.
    strong
        Upper end of what a single station may contribute: with this little, only a run as long as the gap before
        it is believed.
    """

    thin_mm: float = 6.0
    aside_mm: float = 22.0
    apart_mm: float = 5.0
    gap_mm: float = 60.0
    pairs: int = 300
    sample: int = 700
    finalists: int = 28
    tilt: float = 0.25
    length_mm: float = 150.0
    tip_mm: float = 20.0
    seen: float = 2.6
    strong: float = 6.5


LIMITS = AxisLimits()


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """A dart's line in the picture.

    Attributes
    ----------
    origin_px
        (2,) a point on it.
    along_px
        (2,) unit vector from the tip to the flight.
    span_px
        First and last changed station along it, px from `origin_px`; the first is the tip's end.
    across_sd_px
        How far the slices' middles scatter from the line.
    slices
        How many thin slices the line was fitted to.
    tip_odds
        Logarithm of the odds that the tip's end is the right one.
    support
        Surely changed pixels within a flight's half width of the line.
    covered
        Share of the stations between first and last that show change.
    tip_width_px
        How wide the change is at the tip's end.
    body_width_px, flight_width_px
        How wide it is over the third at the tip's end, and over the half at the other, at the 80th percentile.
    wings_at
        Where along it, 0 at the tip to 1, the middle of the change is that lies beside a barrel's width.
    """

    origin_px: Array
    along_px: Array
    span_px: tuple[float, float]
    across_sd_px: float
    slices: int
    tip_odds: float
    support: int = 0
    covered: float = 0.0
    tip_width_px: float = 0.0
    body_width_px: float = 0.0
    flight_width_px: float = 0.0
    wings_at: float = 1.0

    def across(self, points: Array) -> Array:
        """Give the signed distance of (N, 2) px from the axis."""
        return np.asarray((points - self.origin_px) @ np.array([-self.along_px[1], self.along_px[0]]))

    def shifted(self, by_px: Array) -> "Axis":
        """Give the same axis in a picture whose pixels are counted from elsewhere."""
        return replace(self, origin_px=self.origin_px + by_px)


def fit_axis(
    points: Array, weight: Array, lean_px: Array, mm_px: float, limits: AxisLimits = LIMITS
) -> Axis | None:
    """Fit a dart's axis to changed pixels.

    Parameters
    ----------
    points
        (N, 2) px.
    weight
        (N,) their change; 1 or less where it is not sure.
    lean_px
        (2,) where the point one dart's length in front of the board appears, from its foot.
    mm_px
        Pixels a millimetre at the board.
    limits
        What a dart looks like.

    Returns
    -------
    The axis, or None where the pixels are no line.
    """
    if len(points) < 8:
        return None
    line = _best_line(points, weight, lean_px, mm_px, limits)
    if line is None:
        return None
    origin, along = line
    sd, count = 1.0, 0
    for _ in range(4):
        normal = np.array([-along[1], along[0]])
        near = np.abs((points - origin) @ normal) < limits.aside_mm * mm_px
        if not np.any(near):
            return None
        middles, stations, widths, mass = _slices(points[near], weight[near], origin, along)
        chosen = _body(widths, mm_px, limits)
        slope, offset, sd, count = _fit(stations[chosen], middles[chosen], np.sqrt(mass[chosen]))
        origin = origin + offset * normal
        along = along + slope * normal
        along = along / np.linalg.norm(along)
    axis = Axis(origin_px=origin, along_px=along, span_px=(0.0, 0.0), across_sd_px=sd, slices=count, tip_odds=0.0)
    return _oriented(axis, (points, weight), lean_px, mm_px, limits)


def _best_line(
    points: Array, weight: Array, lean_px: Array, mm_px: float, limits: AxisLimits
) -> tuple[Array, Array] | None:
    """Try lines through pairs of pixels; the best has the strongest run of changed stations close to it."""
    rng = np.random.default_rng(len(points))
    chance = weight / weight.sum()
    some = rng.choice(len(points), min(len(points), limits.sample), replace=False)
    sample, strength = points[some], weight[some] / weight.max()
    origins, alongs = _trial_lines(points, chance, rng, max(8 * mm_px, 5), limits)
    if not len(origins):
        return None
    normals = np.column_stack([-alongs[:, 1], alongs[:, 0]])
    offsets = normals @ sample.T - (normals * origins).sum(axis=1)[:, None]
    near = np.abs(offsets) < 0.4 * limits.thin_mm * mm_px + 0.5
    # The full score is dear, so only lines with much change close to them get it.
    promising = np.argsort(-(near @ strength), kind="stable")[: limits.finalists]
    best, found, whole = 0.0, None, limits.length_mm * mm_px
    for k in promising:
        if np.count_nonzero(near[k]) < 6:
            continue
        stations = (sample[near[k]] - origins[k]) @ alongs[k]
        score, run = _strongest_run(stations, strength[near[k]], limits.gap_mm * mm_px)
        if score <= best:  # what follows only takes away
            continue
        score *= _fits(run * alongs[k] / whole, lean_px / whole, limits)
        if score <= best:
            continue
        # Of lines along one dart that in the middle of the flight wins: as much change left as right.
        score -= 0.5 * abs(_median(offsets[k][np.abs(offsets[k]) < 20 * mm_px]))
        if score > best:
            best, found = score, (origins[k], alongs[k])
    return found


def _trial_lines(
    points: Array, chance: Array, rng: np.random.Generator, least_px: float, limits: AxisLimits
) -> tuple[Array, Array]:
    """Give lines through pairs of pixels and the main axis of all: points on them, and their unit vectors."""
    first = points[rng.choice(len(points), limits.pairs, p=chance)]
    second = points[rng.choice(len(points), limits.pairs, p=chance)]
    centre = (points * chance[:, None]).sum(axis=0)
    spread = (points - centre).T @ ((points - centre) * chance[:, None])
    main = np.linalg.eigh(spread)[1][:, 1]
    first = np.vstack([centre, first])
    second = np.vstack([centre + (least_px + 1) * main, second])
    length = np.linalg.norm(second - first, axis=1)
    far = length >= least_px
    return first[far], (second - first)[far] / length[far, None]


def _fits(seen: Array, lean: Array, limits: AxisLimits) -> float:
    """Weigh a line by how little a dart has to lean to look like it, whichever end is its tip."""
    tilt = min(tilt_needed(seen, lean)[0], tilt_needed(-seen, lean)[0])
    return float(0.25 + 0.75 * np.exp(-0.5 * (tilt / limits.tilt) ** 2))


def _strongest_run(stations: Array, strength: Array, gap: float) -> tuple[float, float]:
    """Sum, over the run of stations without a long gap that gives most, the strongest changes; its length."""
    cell = np.floor(stations - stations.min()).astype(np.intp)
    strongest = np.zeros(int(cell.max()) + 1)
    np.maximum.at(strongest, cell, strength)
    covered = np.flatnonzero(strongest)
    starts, ends = _runs(covered, gap)
    sums = np.add.reduceat(strongest[covered], starts)
    best = int(np.argmax(sums))
    return float(sums[best]), float(covered[ends[best]] - covered[starts[best]])


def _runs(stations: NDArray[Any], gap: float) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Give the first and last places of the runs of rising stations that have no gap longer than this."""
    breaks = np.flatnonzero(np.diff(stations) > gap)
    return np.append(0, breaks + 1), np.append(breaks, len(stations) - 1)


def _slices(points: Array, weight: Array, origin: Array, along: Array) -> tuple[Array, Array, Array, Array]:
    """Cut the pixels across the axis, one slice a pixel: middles, stations, widths (px), mass."""
    station = (points - origin) @ along
    offset = (points - origin) @ np.array([-along[1], along[0]])
    cell = np.floor(station).astype(int)
    cell -= cell.min()
    size = int(cell.max()) + 1
    mass = np.bincount(cell, weights=weight, minlength=size).astype(np.float64)
    filled = mass > 0
    low = np.full(size, np.inf)
    high = np.full(size, -np.inf)
    np.minimum.at(low, cell, offset)
    np.maximum.at(high, cell, offset)
    low, high = low[filled], high[filled]
    where = np.arange(size) + np.floor(station.min()) + 0.5
    return 0.5 * (low + high), where[filled], high - low + 1, np.asarray(mass[filled], np.float64)


def _body(widths: Array, mm_px: float, limits: AxisLimits) -> NDArray[np.intp]:
    """Give the places of the slices that the axis goes through the middle of: point, barrel and shaft.

    Where hardly any slice is that thin, the dart is seen from its end, and all of them are taken.
    """
    thin = widths <= 2 * limits.thin_mm * mm_px
    places = np.flatnonzero(thin)
    if len(places):
        starts, ends = _runs(np.cumsum(~thin)[places], limits.apart_mm * mm_px)
        longest = int(np.argmax(ends - starts))
        places = places[starts[longest] : ends[longest] + 1]
    return places if len(places) >= max(6, 0.25 * len(widths)) else np.arange(len(widths))


def _fit(stations: Array, middles: Array, weight: Array) -> tuple[float, float, float, int]:
    """Fit middle = slope x station + offset, outliers losing their say (Cauchy)."""
    slope, offset = 0.0, _median(middles)
    for _ in range(8):
        residual = middles - (slope * stations + offset)
        scale = max(0.5, 1.48 * _median(np.abs(residual)))
        w = weight / (1 + (residual / (1.5 * scale)) ** 2)
        total = w.sum()
        ms, mm = (w * stations).sum() / total, (w * middles).sum() / total
        spread = (w * (stations - ms) ** 2).sum()
        slope = float((w * (stations - ms) * (middles - mm)).sum() / spread) if spread > 1e-9 else 0.0
        offset = float(mm - slope * ms)
    residual = middles - (slope * stations + offset)
    return slope, offset, max(0.3, 1.48 * _median(np.abs(residual))), len(stations)


def _median(values: Array) -> float:
    """Give the median of a few hundred values; `np.median` takes ten times as long to get going."""
    half = len(values) // 2
    if len(values) % 2:
        return float(np.partition(values, half)[half])
    low, high = np.partition(values, (half - 1, half))[half - 1 : half + 1]
    return float(0.5 * (low + high))


def _oriented(
    axis: Axis, pixels: tuple[Array, Array], lean_px: Array, mm_px: float, limits: AxisLimits
) -> Axis | None:
    """Decide which end is in the board: the end away from where the board's normal points, and the thin end."""
    near = np.abs(axis.across(pixels[0])) < limits.aside_mm * mm_px
    if not np.any(near):
        return None
    _, stations, widths, mass = _slices(pixels[0][near], pixels[1][near], axis.origin_px, axis.along_px)
    run = _heaviest_run(stations, mass, limits.gap_mm * mm_px)
    stations, widths = stations[run], widths[run]
    low, high = float(stations[0]), float(stations[-1])
    length, reach = high - low, limits.length_mm * mm_px
    pose = 2 * float(lean_px @ axis.along_px) / reach * min(1.0, length / reach) / limits.tilt**2
    third = max(2.0, length / 3)
    wider = float(np.mean(widths[stations >= high - third]) - np.mean(widths[stations <= low + third]))
    odds = pose + float(np.clip(wider / (4 * mm_px), -3.0, 3.0))
    seen = replace(
        axis, support=int(np.count_nonzero(near & (pixels[1] > 1.0))), covered=len(stations) / (length + 1)
    )
    tip = stations <= low + limits.tip_mm * mm_px if odds >= 0 else stations >= high - limits.tip_mm * mm_px
    from_tip = stations - low if odds >= 0 else high - stations
    seen = replace(
        seen,
        tip_width_px=_median(widths[tip]),
        body_width_px=float(np.quantile(widths[from_tip <= 0.35 * length], 0.8)),
        flight_width_px=float(np.quantile(widths[from_tip >= 0.55 * length], 0.8)),
        wings_at=_wings_at(axis, pixels[0], (low, high) if odds >= 0 else (high, low), mm_px, limits),
        tip_odds=abs(odds),
    )
    if odds >= 0:
        return replace(seen, span_px=(low, high))
    return replace(seen, along_px=-axis.along_px, span_px=(-high, -low))


def _wings_at(axis: Axis, points: Array, ends: tuple[float, float], mm_px: float, limits: AxisLimits) -> float:
    """Say where, from one end (0) to the other (1), the change beside a barrel's width has its middle."""
    aside = np.abs(axis.across(points))
    wings = points[(aside > limits.thin_mm * mm_px + 1.0) & (aside < 40 * mm_px)]
    if not len(wings):
        return 1.0
    stations = (wings - axis.origin_px) @ axis.along_px
    first, last = ends
    shares = (stations - first) / (last - first if last != first else 1.0)
    shares = shares[(shares > -0.1) & (shares < 1.3)]
    return _median(shares) if len(shares) else 1.0


def _heaviest_run(stations: Array, mass: Array, gap: float) -> NDArray[np.intp]:
    """Give the places of the run of stations without a long gap that has most change."""
    starts, ends = _runs(stations, gap)
    best = int(np.argmax(np.add.reduceat(mass, starts)))
    return np.arange(starts[best], ends[best] + 1)
