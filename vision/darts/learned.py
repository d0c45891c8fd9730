"""The learned tip finder for a picture alone: a map over the board says where to look, a patch says where exactly.

Both networks see the board redrawn in its own coordinates (`vision.darts.canvas`), turned so that darts, which
lean away from the camera's foot, point up. They give places in millimetres with a covariance that was learned with
them (negative log likelihood). Made by `vision.train`; cards in `models/`.

Whether a dart stands in a place is then believed by three witnesses: the height of the map, what the patch says,
and whether the map of darts shows a body that leads there.
"""

from dataclasses import dataclass, field, replace
from functools import cache

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray
from onnxruntime import InferenceSession

from vision.darts.canvas import Canvas, Picture, redraw
from vision.darts.tips.pose import Pose
from vision.geometry import PlaneMap
from vision.models import in_use, network

Array = NDArray[np.float64]
Batch = NDArray[np.float32]

BOARD = Canvas(centre_mm=(0.0, 0.0), mm_per_px=0.75, size=640)
"""The whole board and its number ring, 240 mm to each side, from which both networks' pictures are cut."""

FIND_MM_PER_PX = 2.05
FIND_SIZE = 224
"""The whole board and the number ring: 230 mm to each side."""

PATCH_MM_PER_PX = 0.75
PATCH_SIZE = 64
WIDE_MM_PER_PX = 3.0
"""Around each place the patch network sees 48 mm sharply, for where the tip is, and 190 mm, for whether it has a
dart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What counts as found.

    Attributes
    ----------
    peak
        Height of the map from which a place is looked at. Low on purpose: the patch decides.
    looks
        Places looked at in one picture, those first for which the maps speak most.
    body
        How many nats of the map's odds a body that leads to the place is worth there.
    present
        Chance from which a tip is reported.
    apart_mm
        Two answers nearer than this are one tip: half a barrel.
    reach_mm
        No dart that stays lands farther from the bull.
    """

    peak: float = 0.04
    looks: int = 12
    body: float = 3.0
    present: float = 0.08
    apart_mm: float = 5.0
    reach_mm: float = 228.0


LIMITS = Limits()
DOUBLES_MM = 171.0
"""Where the playing field ends, with a wire's width for doubt."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LearnedTip:
    """A tip on the board.

    Attributes
    ----------
    xy_mm
        (2,) board frame.
    cov_mm
        (2, 2) mm².
    chance
        That a dart ends here.
    signs
        (4,) what speaks for it: log-odds of the map's height, log-odds of the patch, how much of a body leads
        here (0 to 1), and whether it lies beyond the doubles, where few darts land and much glitters (0 or 1).
    """

    xy_mm: Array
    cov_mm: Array
    chance: float
    signs: Array = field(default_factory=lambda: np.zeros(4))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Seen:
    """What a picture alone shows.

    Attributes
    ----------
    tips
        The surest first.
    darts
        (S / 2, S / 2) chance that a dart, from point to flight, is seen there.
    canvas
        Where `darts` lies on the board (of twice its side).
    eye_mm
        (3,) where the camera is.
    """

    tips: list[LearnedTip]
    darts: Array
    canvas: Canvas
    eye_mm: Array


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Nets:
    """Both networks and what the patch network's card says of them.

    Attributes
    ----------
    find, tip
        The map and the patch.
    belief
        (5,) weights of `believed`.
    spread
        By how much covariances have to be widened to be true on boards held back.
    """

    find: InferenceSession
    tip: InferenceSession
    belief: Array
    spread: float


@cache
def nets() -> Nets:
    """Give the networks that are in use; raises `ModelRefused`."""
    card = in_use("dart-tip").card
    belief, spread = np.asarray(card["belief"], float), float(card["spread"])
    return Nets(find=network("dart-find"), tip=network("dart-tip"), belief=belief, spread=spread)


def find_tips(picture: Picture, plane: PlaneMap, limits: Limits | None = None) -> Seen:
    """Find all tips in a picture.

    Parameters
    ----------
    picture
        (H, W, 3) BGR.
    plane
        The board in it (mm).
    limits
        What counts as found.
    """
    eye = Pose(plane, (picture.shape[1], picture.shape[0])).eye_mm()
    return look(redraw(picture, plane, BOARD), eye, nets(), limits or LIMITS)


def look(shown: Picture, eye_mm: Array, asked: Nets, limits: Limits) -> Seen:
    """Do the same with the board redrawn as `BOARD` says, for a camera at (3,) mm."""
    canvas = whole_board(eye_mm)
    heat, darts = _maps(shown, canvas, asked.find)
    places = [
        (at, np.array([_log_odds(peak), 0.0, body_share(at, darts, canvas, eye_mm), 0.0]))
        for at, peak in peaks(heat, canvas, limits)
        if np.hypot(*at) < limits.reach_mm
    ]
    places.sort(key=lambda place: -(place[1][0] + limits.body * place[1][2]))
    both = shown, shrunk(shown, 4)
    tips = [_closely(both, patch_at(eye_mm, at), signs, asked) for at, signs in places[: limits.looks]]
    kept = _apart([tip for tip in tips if tip.chance >= limits.present], limits)
    return Seen(tips=kept, darts=darts, canvas=canvas, eye_mm=eye_mm)


def believed(signs: Array, weights: Array) -> float:
    """Give the chance of a tip from its signs (4,): a logistic of 1 and the signs, by weights (5,)."""
    return float(_sigmoid(weights[0] + weights[1:] @ signs))


_TURNS = np.radians(np.arange(-30.0, 31.0, 6.0))
_ALONG = np.linspace(0.08, 0.75, 12)
_DART_MM = 110.0  # of a dart's length that is counted on
_LEAST_MM = 12.0  # a dart that points at the camera still is as wide as this


def body_share(at_mm: Array, darts: Array, canvas: Canvas, eye_mm: Array) -> float:
    """Say how much of a dart that leads to a place (2,) mm the map of darts shows, 0 to 1.

    Looked for along the way that darts are seen to lean there, for as far as one would be seen.
    """
    x, y = leaning(eye_mm, at_mm)
    aside = float(np.hypot(*(at_mm - eye_mm[:2])))
    length = max(_LEAST_MM, _DART_MM * aside / max(float(eye_mm[2]) - _DART_MM, _DART_MM))
    c, s = np.cos(_TURNS), np.sin(_TURNS)
    ways = np.stack([c * x - s * y, s * x + c * y], axis=1)
    points = at_mm + length * _ALONG[None, :, None] * ways[:, None]
    px = ((canvas.to_px(points) - 0.5) / 2).astype(np.float32).reshape(len(ways), -1, 2)
    met = cv2.remap(darts.astype(np.float32), px[..., 0], px[..., 1], cv2.INTER_LINEAR)
    return float(met.mean(axis=1).max())


def _apart(tips: list[LearnedTip], limits: Limits) -> list[LearnedTip]:
    """Give the surest first, without those too near to a surer one."""
    kept: list[LearnedTip] = []
    for tip in sorted(tips, key=lambda found: -found.chance):
        if all(np.linalg.norm(tip.xy_mm - other.xy_mm) > limits.apart_mm for other in kept):
            kept.append(tip)
    return kept


WAYS = ((0.0, False), (0.0, True), (9.0, False), (-9.0, True))
"""How the whole board is shown: turned by degrees, mirrored. The mean of the maps errs less than one, and a tip
that only one of them sees stays low."""

CLOSE_WAYS = ((0.0, False), (0.0, True), (10.0, False), (-10.0, True))
"""The same for a patch; the scatter of the answers adds to their covariance."""


def _maps(shown: Picture, canvas: Canvas, find: InferenceSession) -> tuple[Array, Array]:
    """Give the maps of tips and of darts, (S / 2, S / 2) chances each."""
    turns = [_turned(canvas, degrees) for degrees, _ in WAYS]
    seen = [whole_of(shown, transfer(turn), FIND_SIZE) for turn in turns]
    said = _asked(find, [p[:, ::-1] if mirrored else p for p, (_, mirrored) in zip(seen, WAYS, strict=True)])
    total = np.zeros((2, FIND_SIZE // 2, FIND_SIZE // 2))
    for maps, turn, (_, mirrored) in zip(said, turns, WAYS, strict=True):
        back = np.linalg.inv(HALVED) @ np.linalg.inv(canvas.matrix()) @ turn.matrix() @ HALVED
        for place, one in enumerate(_sigmoid(maps.astype(np.float64))):
            upright = np.ascontiguousarray(one[:, ::-1] if mirrored else one)
            total[place] += cv2.warpAffine(upright, back[:2], (FIND_SIZE // 2, FIND_SIZE // 2))
    heat, darts = total / len(WAYS)
    return heat, darts


def _turned(canvas: Canvas, degrees: float) -> Canvas:
    x, y = canvas.up
    c, s = float(np.cos(np.radians(degrees))), float(np.sin(np.radians(degrees)))
    return replace(canvas, up=(c * x - s * y, s * x + c * y))


def whole_board(eye_mm: Array) -> Canvas:
    """Give the window that the map sees, for a camera at (3,) mm."""
    return Canvas(centre_mm=(0.0, 0.0), mm_per_px=FIND_MM_PER_PX, size=FIND_SIZE, up=leaning(eye_mm, np.zeros(2)))


def patch_at(eye_mm: Array, xy_mm: Array) -> Canvas:
    """Give the window that the patch network sees around a place."""
    return Canvas(
        centre_mm=(float(xy_mm[0]), float(xy_mm[1])),
        mm_per_px=PATCH_MM_PER_PX,
        size=PATCH_SIZE,
        up=leaning(eye_mm, xy_mm),
    )


def leaning(eye_mm: Array, xy_mm: Array) -> tuple[float, float]:
    """Give the unit vector on the board along which a dart at a place is seen: away from the camera's foot.

    Darts hold their flights a little up, which decides where the camera is right before the place.
    """
    x, y = xy_mm - eye_mm[:2] + (0.0, 0.1 * eye_mm[2])
    length = float(np.hypot(x, y)) or 1.0
    return float(x) / length, float(y) / length


def transfer(canvas: Canvas) -> Array:
    """Give the (3, 3) map of pixels of `BOARD` to those of another window."""
    return np.asarray(np.linalg.inv(canvas.matrix()) @ BOARD.matrix())


HALVED = np.array([[2.0, 0, 0.5], [0, 2.0, 0.5], [0, 0, 1]])
"""Pixels of a picture of half the size to those of the whole one."""

_SAME = np.eye(3)


def whole_of(shown: Picture, matrix: Array, size: int) -> Picture:
    """Cut (size, size, 6) out of a picture of `BOARD`, shrunk by about three.

    The last three channels are what the board should show there: a board repeats itself every two sectors, and
    the median of the nine other places has no dart.
    """
    return _beside_expected(shrunk(shown, 2), matrix, HALVED, size)


def close_of(shown: Picture, quarter: Picture, window: Canvas, moved: Array = _SAME) -> Picture:
    """Cut (S, S, 12) out of a picture of `BOARD` and one of a quarter of its side: sharp, and wide; both as above.

    `moved` (3, 3) moves the pixels of what was cut.
    """
    wide = replace(window, mm_per_px=WIDE_MM_PER_PX)
    return np.dstack(
        [
            _beside_expected(shown, moved @ transfer(window), _SAME, PATCH_SIZE),
            _beside_expected(quarter, moved @ transfer(wide), HALVED @ HALVED, PATCH_SIZE),
        ]
    )


def shrunk(shown: Picture, times: int) -> Picture:
    """Shrink a picture to a whole part of its size."""
    small = cv2.resize(shown, None, fx=1 / times, fy=1 / times, interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.uint8)


def _beside_expected(shown: Picture, matrix: Array, scale: Array, size: int) -> Picture:
    others = [patch_of(shown, matrix @ _turn(36.0 * k) @ scale, size) for k in range(1, 10)]
    return np.dstack([patch_of(shown, matrix @ scale, size), _median_of_nine(others)])


@cache
def _turn(degrees: float) -> Array:
    """Give the (3, 3) turn of `BOARD`'s pixels about the bull."""
    middle, angle = (BOARD.size - 1) / 2, np.radians(degrees)
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, middle * (1 - c + s)], [s, c, middle * (1 - s - c)], [0, 0, 1]])


_EXCHANGES = (
    (0, 3), (1, 7), (2, 5), (4, 8), (0, 7), (2, 4), (3, 8), (5, 6), (0, 2), (1, 3), (4, 5), (7, 8), (1, 4), (3, 6),
    (5, 7), (0, 1), (2, 4), (3, 5), (6, 8), (2, 3), (4, 5), (6, 7), (1, 2), (3, 4), (5, 6),
)  # fmt: skip
"""Comparisons that sort nine values (Knuth, The Art of Computer Programming 3, 5.3.4)."""


def _median_of_nine(pictures: list[Picture]) -> Picture:
    rows = list(pictures)
    for low, high in _EXCHANGES:
        rows[low], rows[high] = np.minimum(rows[low], rows[high]), np.maximum(rows[low], rows[high])
    return rows[4]


def patch_of(shown: Picture, matrix: Array, size: int) -> Picture:
    """Cut (size, size[, 3]) out of a picture; `matrix` maps its pixels to the patch's."""
    return np.asarray(cv2.warpAffine(shown, matrix[:2], (size, size), flags=cv2.INTER_LINEAR), np.uint8)


def as_input(shown: Picture) -> Batch:
    """Lay a picture (S, S, 3) as the networks take them, (3, S, S) from -1 to 1."""
    return np.asarray(shown.transpose(2, 0, 1) / np.float32(127.5) - 1, np.float32)


def peaks(heat: Array, canvas: Canvas, limits: Limits) -> list[tuple[Array, float]]:
    """Give the local maxima of a map of half the canvas's side, (2,) mm and height, the highest first."""
    top = cv2.dilate(heat, np.ones((3, 3), np.uint8))
    ys, xs = np.nonzero((heat >= top) & (heat >= limits.peak))
    order = np.argsort(-heat[ys, xs])[: limits.looks]
    return [
        (canvas.to_mm(np.array(_centroid(heat, int(x), int(y))) * 2 + 0.5)[0], float(heat[y, x]))
        for x, y in zip(xs[order], ys[order], strict=True)
    ]


def _centroid(heat: Array, x: int, y: int) -> tuple[float, float]:
    x0, y0 = max(x - 1, 0), max(y - 1, 0)
    part = heat[y0 : y + 2, x0 : x + 2]
    ys, xs = np.mgrid[y0 : y0 + part.shape[0], x0 : x0 + part.shape[1]]
    return float((xs * part).sum() / part.sum()), float((ys * part).sum() / part.sum())


def _closely(shown: tuple[Picture, Picture], window: Canvas, signs: Array, asked: Nets) -> LearnedTip:
    windows = [_turned(window, degrees) for degrees, _ in CLOSE_WAYS]
    seen = [close_of(*shown, one) for one in windows]
    turned = [p[:, ::-1] if mirrored else p for p, (_, mirrored) in zip(seen, CLOSE_WAYS, strict=True)]
    said = _asked(asked.tip, turned)
    # Mirrored, x changes its sign, and with it what links x and y.
    said = said * np.where([[mirrored] for _, mirrored in CLOSE_WAYS], np.array([-1, 1, 1, 1, -1, 1]), 1)
    tips = [tip_of(answer, one) for answer, one in zip(said, windows, strict=True)]
    places = np.array([tip.xy_mm for tip in tips])
    scatter = places - places.mean(axis=0)
    middle = places.mean(axis=0)
    beyond = float(np.hypot(*middle) > DOUBLES_MM)
    all_signs = np.array([signs[0], float(said[:, 5].mean()), signs[2], beyond])
    return LearnedTip(
        xy_mm=middle,
        cov_mm=asked.spread * (np.mean([tip.cov_mm for tip in tips], axis=0) + scatter.T @ scatter / len(tips)),
        chance=believed(all_signs, asked.belief),
        signs=all_signs,
    )


def _asked(net: InferenceSession, shown: list[Picture]) -> Batch:
    seen = np.stack([as_input(picture) for picture in shown])
    return np.asarray(net.run(None, {"seen": seen})[0], np.float32)


def tip_of(answer: NDArray[np.float32], window: Canvas) -> LearnedTip:
    """Read the patch network's six numbers (see `vision.train.nets.PointInPatch`)."""
    x, y, log_a, log_c, b, there = answer.astype(np.float64)
    unit = PATCH_SIZE / 2
    log_a, log_c = np.clip((log_a, log_c), -3, 6)
    root = np.array([[np.exp(log_a), 0], [b, np.exp(log_c)]])
    cov_px = np.linalg.inv(root @ root.T) * unit**2
    middle = (PATCH_SIZE - 1) / 2
    return LearnedTip(
        xy_mm=window.to_mm([[middle + x * unit, middle + y * unit]])[0],
        cov_mm=window.cov_mm(cov_px),
        chance=float(_sigmoid(there)),
    )


def _log_odds(chance: float) -> float:
    chance = min(max(chance, 1e-4), 1 - 1e-4)
    return float(np.log(chance / (1 - chance)))


def _sigmoid(logit: ArrayLike) -> Array:
    return np.asarray(1 / (1 + np.exp(-np.asarray(logit, float))))
