"""The learned tip finder for a picture alone: a map over the board says where to look, a patch says where exactly.

Both networks see the board redrawn in its own coordinates (`vision.darts.canvas`), turned so that darts, which
lean away from the camera's foot, point up. The first also lets every part of a dart vote for where its point is
(after Peng et al., PVNet, 2019), so that a hidden point has its barrel and flight to speak for it. The second
gives a place in millimetres with a covariance that was learned with it (negative log likelihood). Made by
`vision.train`; cards in `models/`.

Whether a dart stands in a place is then believed by three witnesses: the height of the map, what the patch says,
and how much of a dart votes for the place. Votes that no dart claims, or too many for one, say that there is one
more.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

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

FIND_MM_PER_PX = 1.2
FIND_SIZE = 384
"""The whole board and the number ring: 230 mm to each side. A point is as wide as a pixel or two."""

FIND_STEP = 4
"""The maps have a cell for as many pixels to each side (4.8 mm)."""

FIND_SIDE = FIND_SIZE // FIND_STEP
CELL_MM = FIND_STEP * FIND_MM_PER_PX

VOTE_MM = 50.0
"""The unit of the votes."""

VOTER = 0.2
"""A cell that shows a dart with this chance votes."""

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
    led
        Cells of darts that vote for a place from which it is looked at, whatever its height.
    looks
        Places looked at in one picture, those first for which the maps speak most.
    vote
        How many nats of the map's odds it is worth that twice as much of a dart votes for a place.
    present
        Chance from which a tip is reported.
    dart
        Chance from which a tip is held to be a dart: about half of the F1 that is reached on boards held back,
        where F1 is highest for chances that are true (Lipton, Elkan, Naryanaswamy: Optimal Thresholding of
        Classifiers to Maximize F1 Measure, 2014).
    claim_mm
        A dart claims the votes that miss it by no more.
    apart_mm
        Two answers nearer than this are one tip: half a barrel.
    reach_mm
        No dart that stays lands farther from the bull.
    """

    peak: float = 0.04
    led: float = 6.0
    looks: int = 9
    vote: float = 1.0
    present: float = 0.08
    dart: float = 0.35
    claim_mm: float = 25.0
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
        (5,) what speaks for it: log-odds of the map's height, log-odds of the patch, the logarithm of how many
        cells of darts vote for it (and one), whether it lies beyond the doubles, where few darts land and
        much glitters (0 or 1), and by how many nats these say more for it than for the best other place that the
        same cells vote for: a dart has one point.
    """

    xy_mm: Array
    cov_mm: Array
    chance: float
    signs: Array = field(default_factory=lambda: np.zeros(5))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Votes:
    """What cells of darts vote for: (M, 2) mm where they say that their points are; (M,) how sure each is."""

    xy_mm: Array
    weight: Array


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Seen:
    """What a picture alone shows.

    Attributes
    ----------
    tips
        The surest first.
    more
        Chance that there are darts besides those of `Limits.dart`.
    votes
        By which that is told.
    eye_mm
        (3,) mm, where the camera is.
    """

    tips: list[LearnedTip]
    more: float
    votes: Votes
    eye_mm: Array


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Flat:
    """The board as `BOARD` shows it, and without darts, (H, W, 3); both also at a quarter of its side.

    A board repeats itself every two sectors: the median of the nine other places has no dart.
    """

    picture: Picture
    expected: Picture
    small: Picture
    small_expected: Picture


def flat(picture: Picture) -> Flat:
    """Work out what a board (H, W, 3), redrawn as `BOARD` says, should show."""
    turned = [patch_of(picture, _turn(36.0 * k), BOARD.size) for k in range(1, 5)]
    # By half a turn more nothing has to be sampled anew.
    expected = _median_of_nine([*turned, *(np.asarray(cv2.flip(one, -1), np.uint8) for one in (picture, *turned))])
    return Flat(picture=picture, expected=expected, small=shrunk(picture, 4), small_expected=shrunk(expected, 4))


def paired(before: Picture, after: Picture) -> Flat:
    """Put a board (H, W, 3) beside what it showed before, both redrawn as `BOARD` says: only what came differs."""
    return Flat(picture=after, expected=before, small=shrunk(after, 4), small_expected=shrunk(before, 4))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Maps:
    """What the first network says in each cell of a window, (S, S) each, S = `FIND_SIDE`.

    Attributes
    ----------
    tips, darts
        Chances that a tip lies here, and that a dart, from point to flight, is seen here.
    led
        How many cells of darts vote for a point here, smoothed over neighbours.
    ways
        (2, S, S) mm right and down in the window, from here to the tip.
    """

    tips: Array
    darts: Array
    led: Array
    ways: Array


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Trust:
    """What the networks' answers are worth, learned from boards held back.

    Attributes
    ----------
    belief
        (6,) weights of `believed` for a tip.
    more
        (5,) weights of it for darts besides those seen (`signs_of_more`).
    spread
        By how much covariances have to be widened to be true.
    """

    belief: Array
    more: Array
    spread: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Nets:
    """Both networks, the map and the patch, and what they are worth on a picture alone and on a pair."""

    find: InferenceSession
    tip: InferenceSession
    alone: Trust
    pair: Trust


@cache
def nets() -> Nets:
    """Give the networks that are in use; raises `ModelRefused`."""
    return nets_of(network("dart-find"), network("dart-tip"), in_use("dart-tip").card)


def nets_of(find: InferenceSession, tip: InferenceSession, card: Mapping[str, Any]) -> Nets:
    """Put both networks together with what the patch network's card says of them.

    A card that says nothing of pairs says the same of them. One that says nothing of darts besides those seen
    leaves open whether there are.
    """
    return Nets(find=find, tip=tip, alone=_trust(card), pair=_trust(card.get("pair", card)))


def _trust(said: Mapping[str, Any]) -> Trust:
    more = np.asarray(said.get("more", np.zeros(5)), float)
    return Trust(belief=np.asarray(said["belief"], float), more=more, spread=float(said["spread"]))


def find_tips(picture: Picture, plane: PlaneMap, before: Picture | None = None, asked: Nets | None = None) -> Seen:
    """Find all tips in a picture, or those that another one does not have.

    Parameters
    ----------
    picture
        (H, W, 3) BGR.
    plane
        The board in it (mm).
    before
        (H, W, 3) the board as it was, lying in the picture as it does now.
    asked
        The networks, where not those in use.
    """
    eye = Pose(plane, (picture.shape[1], picture.shape[0])).eye_mm()
    was = None if before is None else redraw(before, plane, BOARD)
    return look(redraw(picture, plane, BOARD), eye, asked or nets(), LIMITS, was)


def darts_at(picture: Picture, plane: PlaneMap, places_mm: Array, asked: Nets | None = None) -> Array:
    """Give the chance, (N,), that a dart is seen at each of (N, 2) mm of the board in a picture alone."""
    canvas = whole_board(Pose(plane, (picture.shape[1], picture.shape[0])).eye_mm())
    maps = maps_of(flat(redraw(picture, plane, BOARD)), canvas, (asked or nets()).find)
    cells = np.round((canvas.to_px(places_mm) - (FIND_STEP - 1) / 2) / FIND_STEP).astype(int)
    x, y = np.clip(cells, 0, FIND_SIDE - 1).T
    return np.asarray(maps.darts[y, x])


def look(shown: Picture, eye_mm: Array, asked: Nets, limits: Limits, before: Picture | None = None) -> Seen:
    """Do the same with the board redrawn as `BOARD` says, for a camera at (3,) mm."""
    board = flat(shown) if before is None else paired(before, shown)
    trust = asked.alone if before is None else asked.pair
    canvas = whole_board(eye_mm)
    maps = maps_of(board, canvas, asked.find)
    places = candidates(maps, canvas, limits)
    looked = [_closely(board, patch_at(eye_mm, at), height, asked.tip, trust.spread) for at, height in places]
    voted = votes(maps, canvas)
    tips = weighed(_apart(looked, limits), voted, trust.belief)
    more = believed(signs_of_more(tips, voted, limits), trust.more)
    tips = [tip for tip in tips if tip.chance >= limits.present]
    return Seen(tips=sorted(tips, key=lambda tip: -tip.chance), more=more, votes=voted, eye_mm=eye_mm)


VOTE_SD_MM = 12.0
"""How far votes miss their point, as a rule."""

RIVAL = 0.5
"""Two places for which this share of the one's or the other's cells vote both are places of one dart."""

CLEAR = 4.0
"""Nats beyond which it does not matter how much less there is for another place."""


def weighed(tips: list[LearnedTip], voted: Votes, belief: Array) -> list[LearnedTip]:
    """Say how likely each place is a tip, knowing the others.

    Parameters
    ----------
    tips
        Places with what map and patch say of them.
    voted
        What cells of darts vote for.
    belief
        Weights of `believed`.
    """
    places = np.reshape([tip.xy_mm for tip in tips], (-1, 2))
    square = ((places[:, None] - voted.xy_mm) ** 2).sum(axis=2)
    votes = voted.weight * np.exp(-0.5 * square / VOTE_SD_MM**2)
    signs = np.reshape([tip.signs for tip in tips], (-1, 5))
    signs[:, 2] = np.log1p(votes.sum(axis=1))
    said = signs[:, :3].sum(axis=1)
    shared = np.minimum(votes[:, None], votes[None]).sum(axis=2)
    own = np.maximum(votes.sum(axis=1), 1e-9)
    rivals = (shared / np.minimum(own[:, None], own[None]) > RIVAL) & (shared > 1.0)
    np.fill_diagonal(rivals, False)
    other = np.where(rivals, said[None], -np.inf).max(axis=1, initial=-np.inf)
    signs[:, 4] = np.clip(said - other, -CLEAR, CLEAR)
    return [replace(tip, signs=one, chance=believed(one, belief)) for tip, one in zip(tips, signs, strict=True)]


def signs_of_more(tips: list[LearnedTip], voted: Votes, limits: Limits = LIMITS) -> Array:
    """Give (4,) what speaks for darts besides those that are seen.

    The logarithms (of one more) of the votes that no dart claims and of the most that one claims; by how much, in
    cm, the votes scatter of which that is most; and the best chance of a tip that is held to be none, times four.
    """
    chances = np.array([tip.chance for tip in tips])
    darts = [tip.xy_mm for tip in tips if tip.chance >= limits.dart]
    left = 4 * float(chances[chances < limits.dart].max(initial=0.0))
    if not darts:
        return np.array([np.log1p(voted.weight.sum()), 0.0, 0.0, left])
    miss_mm = np.linalg.norm(voted.xy_mm[None] - np.stack(darts)[:, None], axis=2)
    near = miss_mm.min(axis=0) <= limits.claim_mm
    owned = np.zeros_like(miss_mm)
    owned[miss_mm.argmin(axis=0)[near], np.flatnonzero(near)] = voted.weight[near]
    claimed = owned.sum(axis=1)
    scatter_mm = np.sqrt((owned * miss_mm**2).sum(axis=1) / np.maximum(claimed, 1e-6))
    return np.array([np.log1p(voted.weight[~near].sum()), np.log1p(claimed.max()), scatter_mm.max() / 10, left])


def votes(maps: Maps, canvas: Canvas) -> Votes:
    """Ask the maps what cells of darts vote for."""
    to, weight = _voted(maps.darts, maps.ways)
    return Votes(xy_mm=canvas.to_mm(middle_px(to)), weight=weight)


def middle_px(cells: Array) -> Array:
    """Give the pixels of what the first network sees, (…, 2), in the middle of cells of its maps."""
    return cells * FIND_STEP + (FIND_STEP - 1) / 2


def believed(signs: Array, weights: Array) -> float:
    """Give the chance of something from its signs (S,): a logistic of 1 and the signs, by weights (S + 1,)."""
    return float(_sigmoid(weights[0] + weights[1:] @ signs))


def _apart(tips: list[LearnedTip], limits: Limits) -> list[LearnedTip]:
    """Give the surest first, without those too near to a surer one."""
    kept: list[LearnedTip] = []
    for tip in sorted(tips, key=lambda found: -found.chance):
        if all(np.linalg.norm(tip.xy_mm - other.xy_mm) > limits.apart_mm for other in kept):
            kept.append(tip)
    return kept


def maps_of(board: Flat, canvas: Canvas, find: InferenceSession) -> Maps:
    """Ask the first network about a window of `FIND_SIZE`, as it is and mirrored: the mean of both errs less."""
    seen = whole_of(board, transfer(canvas))
    plain, mirrored = _asked(find, [seen, seen[:, ::-1]]).astype(np.float64)
    back = mirrored[:, :, ::-1] * np.array([1.0, 1.0, -1.0, 1.0])[:, None, None]
    return maps_from((plain + back) / 2)


def maps_from(said: Array) -> Maps:
    """Read the first network's answer (4, S, S) (see `vision.train.nets.TipVotes`)."""
    tips, darts = _sigmoid(said[:2])
    ways = said[2:] * VOTE_MM
    return Maps(tips=tips, darts=darts, led=_led(darts, ways), ways=ways)


def _voted(darts: Array, ways: Array) -> tuple[Array, Array]:
    """Give (M, 2) cells to which those that show a dart lead, and (M,) how surely they show it."""
    ys, xs = np.nonzero(darts > VOTER)
    return np.stack([xs, ys], axis=1) + ways[:, ys, xs].T / CELL_MM, darts[ys, xs]


def _led(darts: Array, ways: Array) -> Array:
    """Count the votes for each cell."""
    to, weight = _voted(darts, ways)
    x, y = np.round(to).astype(int).T
    inside = (x >= 0) & (y >= 0) & (x < FIND_SIDE) & (y < FIND_SIDE)
    total = np.zeros((FIND_SIDE, FIND_SIDE))
    np.add.at(total, (y[inside], x[inside]), weight[inside])
    # Of the votes for one point nearly all fall within two cells of it.
    return np.asarray(cv2.GaussianBlur(total, (0, 0), 1.2) * (2 * np.pi * 1.2**2))


def candidates(maps: Maps, canvas: Canvas, limits: Limits) -> list[tuple[Array, float]]:
    """Give the places worth a closer look, (2,) mm, and the map's height; those first for which most speaks."""
    near = np.ones((3, 3), np.uint8)
    top = (maps.tips >= cv2.dilate(maps.tips, near)) & (maps.tips >= limits.peak)
    voted = (maps.led >= cv2.dilate(maps.led, near)) & (maps.led >= limits.led)
    # A place that is voted for beside one that the map shows is the same.
    voted &= cv2.dilate(top.astype(np.uint8), np.ones((5, 5), np.uint8)) == 0
    led = cv2.dilate(maps.led, near)
    found = []
    for y, x in np.argwhere(top | voted):
        moved = maps.ways[:, y, x] / FIND_MM_PER_PX if top[y, x] else np.zeros(2)
        # No farther than the cell's neighbours: a wild vote must not carry a tip away.
        moved = np.clip(moved, -1.5 * FIND_STEP, 1.5 * FIND_STEP)
        at = canvas.to_mm(middle_px(np.array([x, y])) + moved)[0]
        height = float(maps.tips[y, x])
        if np.hypot(*at) < limits.reach_mm:
            found.append((_log_odds(height) + limits.vote * np.log2(1 + float(led[y, x])), at, height))
    found.sort(key=lambda place: -place[0])
    return [(at, height) for _, at, height in found[: limits.looks]]


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


_QUARTER = np.array([[4.0, 0, 1.5], [0, 4.0, 1.5], [0, 0, 1]])
"""Pixels of a picture of a quarter of the side to those of the whole one."""

_SAME = np.eye(3)


def whole_of(board: Flat, matrix: Array) -> Picture:
    """Cut (`FIND_SIZE`, `FIND_SIZE`, 6) out of a board; the last three channels are what it should show there."""
    return np.dstack([patch_of(one, matrix, FIND_SIZE) for one in (board.picture, board.expected)])


def close_of(board: Flat, window: Canvas, moved: Array = _SAME) -> Picture:
    """Cut (`PATCH_SIZE`, `PATCH_SIZE`, 12) out of a board: sharp, and wide; both with what it should show there.

    `moved` (3, 3) moves the pixels of what was cut.
    """
    sharp = moved @ transfer(window)
    wide = moved @ transfer(replace(window, mm_per_px=WIDE_MM_PER_PX)) @ _QUARTER
    parts = (
        (board.picture, sharp), (board.expected, sharp), (board.small, wide), (board.small_expected, wide),
    )  # fmt: skip
    return np.dstack([patch_of(one, matrix, PATCH_SIZE) for one, matrix in parts])


def shrunk(shown: Picture, times: int) -> Picture:
    """Shrink a picture to a whole part of its size."""
    small = cv2.resize(shown, None, fx=1 / times, fy=1 / times, interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.uint8)


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


_STRIP = 32
"""Rows of which nine strips stay in a core's cache while they are sorted: three times as fast as all at once."""


def _median_of_nine(pictures: list[Picture]) -> Picture:
    out = np.empty_like(pictures[0])
    for top in range(0, len(out), _STRIP):
        rows = [np.array(picture[top : top + _STRIP]) for picture in pictures]
        spare = np.empty_like(rows[0])
        for low, high in _EXCHANGES:
            a, b = rows[low], rows[high]
            np.minimum(a, b, out=spare)
            np.maximum(a, b, out=b)
            rows[low], spare = spare, a
        out[top : top + _STRIP] = rows[4]
    return out


def patch_of(shown: Picture, matrix: Array, size: int) -> Picture:
    """Cut (size, size[, 3]) out of a picture; `matrix` maps its pixels to the patch's."""
    return np.asarray(cv2.warpAffine(shown, matrix[:2], (size, size), flags=cv2.INTER_LINEAR), np.uint8)


def as_input(shown: Picture) -> Batch:
    """Lay a picture (S, S, 3) as the networks take them, (3, S, S) from -1 to 1."""
    return np.asarray(shown.transpose(2, 0, 1) / np.float32(127.5) - 1, np.float32)


def _closely(board: Flat, window: Canvas, height: float, net: InferenceSession, spread: float) -> LearnedTip:
    """Look at a place as it is and mirrored; how far the answers scatter adds to their covariance."""
    seen = close_of(board, window)
    said = _asked(net, [seen, seen[:, ::-1]])
    said[1, [0, 4]] *= -1  # mirrored, x changes its sign, and with it what links x and y
    tips = [tip_of(answer, window) for answer in said]
    places = np.array([tip.xy_mm for tip in tips])
    scatter = places - places.mean(axis=0)
    middle = places.mean(axis=0)
    beyond = float(np.hypot(*middle) > DOUBLES_MM)
    patch = float(said[:, 5].mean())
    return LearnedTip(
        xy_mm=middle,
        cov_mm=spread * (np.mean([tip.cov_mm for tip in tips], axis=0) + scatter.T @ scatter / len(tips)),
        chance=float(_sigmoid(patch)),
        signs=np.array([_log_odds(height), patch, 0.0, beyond, 0.0]),
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
