"""What the tip finder's networks are shown: samples painted with more darts, relit, turned, and cut out."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.darts.canvas import Picture
from vision.darts.learned import (
    BOARD,
    CELL_MM,
    FIND_SIDE,
    FIND_SIZE,
    FIND_STEP,
    PATCH_SIZE,
    VOTE_MM,
    Flat,
    close_of,
    flat,
    paired,
    patch_at,
    patch_of,
    transfer,
    whole_board,
    whole_of,
)
from vision.train import painted
from vision.train.surround import NOTHING, paint_surround
from vision.train.tip_data import Sample

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

HEAT_SIGMA = 0.7
"""Spread of a tip in the target map, in its cells (3.4 mm): close darts stay two peaks."""

VOTER = 0.3  # a cell with as much of a dart votes
NEAR_TIP = 2.3  # so do the cells as near to a tip as this
LONG_MM = 150.0  # no dart is longer
ASIDE_MM = 40.0  # no part of one is farther from its axis, as it is seen
ALIKE_MM = 8.0  # a cell whose distances from two darts differ by less belongs to either, and does not vote

NEAR_MM = 9.0
"""A patch whose centre is farther from every tip than this shows none."""

SURROUNDS = 0.6  # share of samples that get another number ring
SCARRED = 0.35  # share of samples that get more holes
PAINTED = 0.7  # share of samples that get more darts
MOST_DARTS = 6
FOUND = 4  # places that look like tips from afar, looked at in each sample
PAIRS = 0.5  # share of the rest that is shown with a picture from before some of its darts
NEW = (0.15, 0.6, 0.15, 0.1)  # how many darts come then: none, one, two, three
OTHER_LIGHT = 0.06  # by how much two pictures of a pair differ in brightness, one standard deviation
SHAKEN_MM = 0.3  # and how well they lie on each other
ANY_EYE = 0.7  # share of bare boards that are painted for another camera than theirs
EYE_WRONG = (0.08, 0.3)  # how far off the camera's foot is taken to be, as a share of its distance from the board
LENS_UNKNOWN = 0.2  # share of looks where it is as far off as the second: nearly from ahead, its lens is a guess


@dataclass(frozen=True, slots=True, kw_only=True)
class Views:
    """What one sample gives: `whole` (S, S, 6) with `maps` (5, S / 4, S / 4); `patches` with `places` (3,).

    The maps: tips as peaks, darts, the ways to the tips (two), and which cells vote.
    """

    whole: Picture
    maps: Floats
    patches: list[Picture]
    places: list[Floats]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Board:
    """A sample as it is shown.

    The mask of darts is as in `BOARD`; tips, tails of the darts and ends that could be taken for tips (N, 2), and
    the eye, are in its frame, mm.
    """

    board: Flat
    mask: Picture
    tips: Array
    tails: Array
    ends: Array
    eye: Array


def views(sample: Sample, rng: np.random.Generator, *, vary: bool = True) -> Views:
    """Show a sample to both networks; as it was drawn, or varied."""
    board = _board_of(sample, rng, vary=vary)
    whole, maps = _whole(board, rng, vary=vary)
    looks = [_patch(board, place, rng, vary=vary) for place in _places(board, rng)]
    return Views(whole=whole, maps=maps, patches=[look for look, _ in looks], places=[at for _, at in looks])


def wholes(samples: Sequence[Sample], rng: np.random.Generator, looks: int = 1) -> list[tuple[Picture, Floats]]:
    """Show samples, varied, to the network that sees the whole board: (S, S, 6) and (5, S / 4, S / 4) each.

    Painting is dearer than looking: each painted board may be looked at several times.
    """
    boards = [_board_of(sample, rng, vary=True) for sample in samples]
    return [_whole(board, rng, vary=True) for _ in range(looks) for board in boards]


Finder = Callable[[Flat, Array], list[Array]]
"""From a board and the eye (3,) to places (2,) mm that look like tips from afar."""


def patches(
    samples: Sequence[Sample], rng: np.random.Generator, finder: Finder | None = None, looks: int = 1
) -> list[tuple[Picture, Floats]]:
    """Show samples, varied, to the network that looks closely: (S, S, 12) and (3,) each.

    With a `finder` also what that takes for tips: these are the places that the network will be asked about.
    Painting and finding are dearer than looking: each place may be looked at several times.
    """
    boards = [_board_of(sample, rng, vary=True) for sample in samples]
    found = [finder(board.board, board.eye) if finder else [] for board in boards]
    return [
        _patch(board, place, rng, vary=True)
        for _ in range(looks)
        for board, seen in zip(boards, found, strict=True)
        for place in _places(board, rng, seen)
    ]


def _board_of(sample: Sample, rng: np.random.Generator, *, vary: bool) -> _Board:
    if sample.before or (vary and rng.random() < PAIRS):
        return _pair_of(sample, rng, vary=vary)
    picture, mask = decoded(sample)
    tips = np.reshape(sample.tips_mm, (-1, 2))
    # A tip that nothing of the dart leads to cannot be asked for; its dart still shows in the mask.
    eye = np.asarray(sample.eye_mm, float)
    more: list[painted.Painted] = []
    if vary:
        if not len(tips) and rng.random() < ANY_EYE:
            # A bare board is flat: darts can be painted on it as any camera would see them.
            eye = _any_eye(rng)
        if rng.random() < SURROUNDS:
            paint_surround(picture, mask, eye, BOARD, rng)
        count = int(rng.integers(0, 5)) if rng.random() < PAINTED else 0
        if rng.random() < SCARRED:
            painted.pit(picture, mask, tips, BOARD, rng)
        more = _painted(picture, mask, tips, eye, max(0, min(count, MOST_DARTS - len(tips))), rng)
        picture = _cropped(picture, rng)
    tails = np.concatenate(
        [_ends(tips, eye, np.full((len(tips), 1), LONG_MM)), *(dart.seen(dart.at(LONG_MM)) for dart in more)]
    )
    tips = np.reshape([*tips, *(dart.tip_mm for dart in more)], (-1, 2))
    seen = _in_view(tips, picture)
    tips, tails = tips[seen], tails[seen]
    if vary:
        picture = _relit(picture, rng)
        wrong = EYE_WRONG[int(rng.random() < LENS_UNKNOWN)]
        eye = eye + np.array([*rng.normal(0, wrong * eye[2], 2), 0.0])
    ends = _ends(tips, eye, rng.uniform(20, 110, (len(tips), 1)))
    return _Board(board=flat(picture), mask=mask, tips=tips, tails=tails, ends=ends, eye=eye)


def _pair_of(sample: Sample, rng: np.random.Generator, *, vary: bool) -> _Board:
    """Show a pair as it was drawn; or, of a picture alone, what some more darts make of it."""
    picture, mask = decoded(sample)
    eye = np.asarray(sample.eye_mm, float)
    tips = np.reshape(sample.tips_mm, (-1, 2))
    tails = _ends(tips, eye, np.full((len(tips), 1), LONG_MM))
    before = decoded_before(sample)
    if before is None:
        if rng.random() < SCARRED:
            painted.pit(picture, mask, tips, BOARD, rng)
        before, mask = picture.copy(), np.zeros_like(mask)
        new = _painted(picture, mask, tips, eye, int(rng.choice(len(NEW), p=NEW)), rng)
        tails = np.reshape([dart.seen(dart.at(LONG_MM))[0] for dart in new], (-1, 2))
        tips = np.reshape([dart.tip_mm for dart in new], (-1, 2))
    seen = _in_view(tips, picture)
    tips, tails = tips[seen], tails[seen]
    if vary:
        # In one light and tone: it is one camera.
        before, picture = np.hsplit(_relit(np.hstack([before, picture]), rng), 2)
        gain = float(np.exp(rng.normal(0, OTHER_LIGHT)))
        picture = np.asarray(cv2.convertScaleAbs(picture, alpha=gain), np.uint8)
        x, y = rng.normal(0, SHAKEN_MM / BOARD.mm_per_px, 2)
        shaken = patch_of(before, np.array([[1, 0, x], [0, 1, y], [0, 0, 1.0]]), BOARD.size)
        before = _grained(shaken, rng)
        wrong = EYE_WRONG[int(rng.random() < LENS_UNKNOWN)]
        eye = eye + np.array([*rng.normal(0, wrong * eye[2], 2), 0.0])
    ends = _ends(tips, eye, rng.uniform(20, 110, (len(tips), 1)))
    return _Board(board=paired(before, picture), mask=mask, tips=tips, tails=tails, ends=ends, eye=eye)


def _in_view(tips: Array, picture: Picture) -> NDArray[np.bool_]:
    """Say which tips (N, 2) mm do not lie where the picture shows nothing: those cannot be asked for."""
    dark = cv2.inRange(picture, np.zeros(3), np.full(3, NOTHING - 1.0))
    lit = 255 - cv2.blur(dark, (9, 9))
    x, y = np.clip(np.round(BOARD.to_px(tips)).astype(int), 0, BOARD.size - 1).T
    return np.asarray(lit[y, x] > 25)


def _any_eye(rng: np.random.Generator) -> Array:
    """Draw (3,) mm: a camera before the board, often near and nearly in front, seldom from far aside."""
    height = float(np.exp(rng.uniform(np.log(250), np.log(2500))))
    aside, angle = height * abs(rng.normal(0, 0.5)), rng.uniform(0, 2 * np.pi)
    return np.array([aside * np.sin(angle), aside * np.cos(angle), height])


def _painted(  # noqa: PLR0917 - one call, each name beside its value
    picture: Picture, mask: Picture, tips: Array, eye: Array, count: int, rng: np.random.Generator
) -> list[painted.Painted]:
    own = painted.body(rng)
    places = painted.tips(count, tips, rng)
    darts = [painted.stand(own if rng.random() < 0.75 else painted.body(rng), tip, eye, rng) for tip in places]
    painted.paint(picture, mask, darts, BOARD, rng)
    return darts


def _ends(tips: Array, eye: Array, height: Array) -> Array:
    """Give (N, 2) places where darts that lean as most do are seen at heights (N, 1) mm."""
    height = np.minimum(height, 0.7 * eye[2])
    return np.asarray(tips + (tips - eye[:2] + (0, 0.1 * eye[2])) * height / (eye[2] - height))


def _places(board: _Board, rng: np.random.Generator, found: Sequence[Array] = ()) -> list[Array]:
    """Give places to look at: about each tip, and some that are none: along darts, beside them, in the rim."""
    wide = np.where(rng.random((len(board.tips), 1)) < 0.3, 4.5, 2.0)
    places = list(board.tips + rng.normal(0, 1, board.tips.shape) * wide)
    places += [rng.normal(0, 90, 2), _out(rng) * rng.uniform(165, 225)]
    if len(board.tips):
        one = int(rng.integers(len(board.tips)))
        places += [board.ends[one], board.tips[one] + _out(rng) * rng.uniform(12, 45)]
    places += [found[i] for i in rng.permutation(len(found))[:FOUND]]
    gaps = [np.linalg.norm(board.tips - place, axis=1).min(initial=np.inf) for place in places]
    return [place for place, gap in zip(places, gaps, strict=True) if not 0.8 < gap / NEAR_MM < 1.3]


def _out(rng: np.random.Generator) -> Array:
    angle = rng.uniform(0, 2 * np.pi)
    return np.array([np.sin(angle), np.cos(angle)])


def _whole(board: _Board, rng: np.random.Generator, *, vary: bool) -> tuple[Picture, Floats]:
    matrix = transfer(whole_board(board.eye))
    if vary:
        matrix = _wandering(FIND_SIZE, rng, turn_deg=6.0, shift_px=8.0) @ matrix
    shown = whole_of(board.board, matrix)
    if vary:
        shown[..., :3] = _grained(np.ascontiguousarray(shown[..., :3]), rng)
    return shown, _targets(board, matrix)


_MIDDLE = (FIND_STEP - 1) / 2
_CELLS = np.linalg.inv(np.array([[FIND_STEP, 0, _MIDDLE], [0, FIND_STEP, _MIDDLE], [0, 0, 1.0]]))
"""Pixels of what the first network sees to cells of its maps."""


def _targets(board: _Board, matrix: Array) -> Floats:
    """Give the maps of `Views`; `matrix` (3, 3) maps pixels of `BOARD` to those of the picture that is shown."""
    cells = _CELLS @ matrix
    tips, tails = (_moved(BOARD.to_px(ends), cells) for ends in (board.tips, board.tails))
    maps = np.zeros((5, FIND_SIDE, FIND_SIDE), np.float32)
    maps[0] = heat_target(tips, FIND_SIDE)
    # A cell is as wide as six pixels of the board: averaged first, or thin shafts would come and go.
    soft = np.asarray(cv2.blur(board.mask, (6, 6)), np.uint8)
    maps[1] = patch_of(soft, cells, FIND_SIDE).astype(np.float32) / 255
    if len(tips):
        _votes(maps, tips, tails)
    return maps


def _votes(maps: Floats, tips: Array, tails: Array) -> None:
    """Fill in the ways from cells to the tips of their darts, and which cells vote, in place."""
    near = np.zeros(maps[0].shape, np.uint8)
    for x, y in np.round(tips * 16).astype(int):
        cv2.circle(near, (int(x), int(y)), round(NEAR_TIP * 16), 1.0, cv2.FILLED, shift=4)
    ys, xs = np.nonzero((maps[1] > VOTER) | (near > 0))
    off = np.stack([xs, ys], axis=-1)[:, None] - tips
    axis = tails - tips
    along = np.clip((off * axis).sum(-1) / np.maximum((axis**2).sum(-1), 1e-9), 0, 1)
    gaps = np.linalg.norm(off - along[..., None] * axis, axis=-1)
    aside = np.sort(gaps, axis=-1) * CELL_MM
    clear = aside[:, 0] < ASIDE_MM
    if len(tips) > 1:
        clear &= aside[:, 1] - aside[:, 0] > ALIKE_MM
    beside = near[ys, xs] > 0
    own = np.where(beside, np.linalg.norm(off, axis=-1).argmin(-1), gaps.argmin(-1))
    votes = clear | beside
    maps[2:4, ys, xs] = (votes[:, None] * -off[np.arange(len(own)), own] * (CELL_MM / VOTE_MM)).T
    maps[4, ys, xs] = votes


def _patch(board: _Board, place: Array, rng: np.random.Generator, *, vary: bool) -> tuple[Picture, Floats]:
    window = patch_at(board.eye, place)
    moved = _wandering(PATCH_SIZE, rng, turn_deg=10.0, shift_px=0.0) if vary else np.eye(3)
    shown = close_of(board.board, window, moved)
    matrix = moved @ transfer(window)
    said = np.zeros(3, np.float32)
    if len(board.tips):
        gaps = np.linalg.norm(board.tips - place, axis=1)
        if gaps.min() < NEAR_MM:
            at = _moved(BOARD.to_px(board.tips[[int(gaps.argmin())]]), matrix)[0]
            said[:] = [*((at - (PATCH_SIZE - 1) / 2) / (PATCH_SIZE / 2)), 1.0]
    for first in (0, 6) if vary else ():
        own = slice(first, first + 3)
        shown[..., own] = _grained(np.ascontiguousarray(shown[..., own]), rng)
    return shown, said


def heat_target(tips: Array, side: int) -> Floats:
    """Draw (side, side): a Gaussian of height 1 at each of (N, 2) tips, in its cells."""
    reach = len(_PEAK) // 2
    heat = np.zeros((side + 2 * reach, side + 2 * reach), np.float32)
    # A peak on the nearest cell keeps the loss's "exactly one" meaningful; the patch does the sub-pixel part.
    for x, y in np.round(np.reshape(tips, (-1, 2))).astype(int):
        if 0 <= x < side and 0 <= y < side:
            there = heat[y : y + len(_PEAK), x : x + len(_PEAK)]
            np.maximum(there, _PEAK, out=there)
    return np.ascontiguousarray(heat[reach:-reach, reach:-reach])


def _peak() -> Floats:
    along = np.arange(-4, 5) ** 2
    return np.exp(-(along[:, None] + along) / (2 * HEAT_SIGMA**2)).astype(np.float32)


_PEAK = _peak()


def _moved(px: Array, matrix: Array) -> Array:
    return np.asarray(np.reshape(px, (-1, 2)) @ matrix[:2, :2].T + matrix[:2, 2])


def _wandering(size: int, rng: np.random.Generator, *, turn_deg: float, shift_px: float) -> Array:
    """Draw a (3, 3) motion about the middle of a picture, mirrored half of the time."""
    middle = (size - 1) / 2
    angle, scale = np.radians(rng.normal(0, turn_deg)), rng.uniform(0.93, 1.07)
    turn = scale * np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    if rng.random() < 0.5:
        turn = np.diag([-1.0, 1.0]) @ turn
    shift = middle - turn @ np.full(2, middle) + rng.uniform(-shift_px, shift_px, 2)
    return np.vstack([np.column_stack([turn, shift]), [0, 0, 1]])


def _cropped(picture: Picture, rng: np.random.Generator) -> Picture:
    """Blacken what lies beyond a straight edge outside the double ring, as where the picture ends."""
    if rng.random() < 0.3:
        away = BOARD.size / 2 - rng.uniform(165, 225) / BOARD.mm_per_px
        turns = int(rng.integers(4))
        np.rot90(picture, turns)[: int(max(away, 1))] = 0
    return picture


def _relit(picture: Picture, rng: np.random.Generator) -> Picture:
    """Change light, tone and colour by tables, focus by a blur."""
    levels = np.arange(256) / 255.0
    gamma, gain = np.exp(rng.normal(0, 0.25)), np.exp(rng.normal(0.2, 0.3))
    lift = rng.uniform(-0.06, 0.1)
    tables = [
        np.clip(255 * (gain * np.exp(rng.normal(0, 0.07)) * levels**gamma + lift), 0, 255).astype(np.uint8)
        for _ in range(3)
    ]
    out = np.asarray(cv2.LUT(picture, np.dstack(tables)), np.uint8)
    kind = rng.random()
    if kind < 0.12:
        out = np.ascontiguousarray(out[..., rng.permutation(3)])
    elif kind < 0.2:
        grey = cv2.cvtColor(cv2.cvtColor(out, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
        share = float(rng.uniform(0.3, 1.0))
        out = np.asarray(cv2.addWeighted(grey, share, out, 1 - share, 0), np.uint8)
    if rng.random() < 0.35:
        out = np.asarray(cv2.GaussianBlur(out, (0, 0), float(rng.uniform(0.5, 2.2))), np.uint8)
    elif rng.random() < 0.3:
        soft = cv2.GaussianBlur(out, (0, 0), 1.5)
        out = np.asarray(cv2.addWeighted(out, 1.9, soft, -0.9, 0), np.uint8)
    return out


def _grained(picture: Picture, rng: np.random.Generator) -> Picture:
    if rng.random() < 0.4:
        grain = rng.standard_normal(picture.shape, dtype=np.float32) * np.float32(rng.uniform(1, 9))
        picture = np.asarray(np.clip(picture + grain, 0, 255), np.uint8)
    if rng.random() < 0.25:
        _, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(45, 95))])
        picture = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
    return picture


def decoded(sample: Sample) -> tuple[Picture, Picture]:
    """Give a sample's picture (H, W, 3) and where darts are (H, W), both as `BOARD` shows them."""
    small = _decoded(sample.darts, cv2.IMREAD_GRAYSCALE)
    mask = np.asarray(cv2.resize(small, (BOARD.size, BOARD.size)), np.uint8)
    return _decoded(sample.picture, cv2.IMREAD_COLOR), mask


def decoded_before(sample: Sample) -> Picture | None:
    """Give the picture (H, W, 3) from before, as `BOARD` shows it, or None where all darts are asked for."""
    return _decoded(sample.before, cv2.IMREAD_COLOR) if sample.before else None


def _decoded(data: bytes, how: int) -> Picture:
    return np.asarray(cv2.imdecode(np.frombuffer(data, np.uint8), how), np.uint8)
