"""Where new things stand and lie: candidates for pins and the disc, each refined, and the set that explains most.

A candidate is a body in a place. It is good if it covers what is new and little else, and if its outline meets
edges that were not there before. Two bodies cannot be in one place, and there are only so many pins.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.finn.camera import Camera
from vision.finn.focus import outline_support
from vision.finn.looks import Look, ink, unlike
from vision.finn.pins import Axis, Body, drawn, lying, outline_px, standing

Array = NDArray[np.float64]
Floats = NDArray[np.float32]
Mask = NDArray[np.uint8]


BOARD_CM: Final = (117.0, 49.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchTuning:
    """How places are searched and judged.

    Attributes
    ----------
    step_cm
        Grid of places; refined from there.
    turns
        Directions of lying pins that are tried, over half a turn: head and foot look alike from afar.
    most
        Candidates of a kind that are refined.
    edge_weight
        What an outline that meets edges all around is worth, against an area that is new all over.
    beside_weight
        What new pixels right beside the outline take off: the body is larger, or elsewhere.
    colour_weight
        What the colour of the disc counts for discs and against pins, where the disc has its own.
    head_weight
        What the colour of heads counts against lying pins, which show their sides.
    seen
        Bodies of which less is seen cannot be judged.
    hidden_weight
        What is taken off a body of which nothing is seen.
    least
        Candidates worth less are none.
    turn_from
        Lying pins from this score on are turned to find where their head is.
    drop
        Bevelled heads are lower on one side by so many radii, about.
    bevel_price
        Edges that a bevelled head must meet more than a flat one, for it is fitted more freely.
    price
        What every body of a set has to be worth, lest two stand for one.
    overlap, overlap_standing
        Bodies whose axes come nearer than this share of the sum of their radii are in one place; places of
        standing ones are better known.
    look_weight, look_level
        What it counts that a standing body looks like one of the pins before, and how unlike (0 to 1) is neither.
    ink_weight, least_ink
        What a bare head takes off a standing body, where pins are numbered so that it shows by at least this.
        Sides of lying pins measured 0.01 to 0.12 of what numbered heads do.
    cover_weight
        What covering one pin's area of new pixels counts, when a set of candidates is chosen.
    rounds
        Exchanges that are tried.
    rival_cm
        Candidates of two kinds whose middles are so near would be the same thing.
    second_looks
        How often what is left is searched again.
    beyond_cm
        Pins that flew off are looked for so far around the board.
    """

    step_cm: float = 0.5
    turns: int = 18
    most: int = 24
    edge_weight: float = 0.8
    beside_weight: float = 0.35
    colour_weight: float = 0.5
    head_weight: float = 0.4
    seen: float = 0.3
    hidden_weight: float = 0.3
    least: float = 0.35
    turn_from: float = 0.4
    drop: float = 1.6
    bevel_price: float = 0.1
    price: float = 0.65
    overlap: float = 0.77
    overlap_standing: float = 0.82
    look_weight: float = 1.5
    look_level: float = 0.6
    ink_weight: float = 0.8
    least_ink: float = 0.05
    cover_weight: float = 1.0
    rounds: int = 12
    second_looks: int = 2
    rival_cm: float = 3.0
    beyond_cm: float = 40.0


TUNING: Final = SearchTuning()


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A body that may be here.

    Attributes
    ----------
    kind
        `upright`, `lying` or `disc`.
    axis
        Where.
    score
        What speaks for it: about 0 on a bare table, 1 to 2 where one is.
    rival
        What speaks for the best candidate of another kind in the same place.
    """

    kind: str
    axis: Axis
    score: float
    rival: float = -1.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scene:
    """What candidates are judged by.

    Attributes
    ----------
    weights
        (H, W) -1 bare table … 1 new.
    hidden
        (H, W) 1 where something known hides what may be behind it.
    discs
        (H, W) -1 colours of pins … 1 colours of the disc; 0 where it cannot be told.
    heads
        (H, W) -1 colours of sides of pins … 1 colours of their heads; 0 where they are of one colour.
    edges
        (H, W, 2) slopes of the picture, levels a pixel, 0 where nothing changed.
    log
        (H, W, 3) the picture in logarithms.
    looks
        How the pins look when they stand.
    ink
        How much is written on their heads (see `vision.finn.looks.ink`); 0 where nothing can be made out.
    camera, body, disc
        The camera and the sizes of pins and disc.
    """

    weights: Floats
    hidden: Mask
    discs: Floats
    heads: Floats
    edges: Floats
    log: Floats
    looks: tuple[Look, ...]
    ink: float
    camera: Camera
    body: Body
    disc: Body

    def sizes(self, kind: str) -> Body:
        """Give the size of what this kind of candidate is."""
        return self.disc if kind == "disc" else self.body


def judged(scene: Scene, kind: str, axis: Axis) -> float:
    """Say what speaks for a body here."""
    outline = outline_px(axis, scene.sizes(kind), scene.camera)
    low = np.floor(outline.min(axis=0)).astype(int) - 6
    high = np.ceil(outline.max(axis=0)).astype(int) + 7
    height, width = scene.weights.shape
    x0, y0, x1, y1 = max(0, low[0]), max(0, low[1]), min(width, high[0]), min(height, high[1])
    if x1 - x0 < 4 or y1 - y0 < 4 or (kind == "upright" and not _stands(axis)):
        return -1.0
    part, free = scene.weights[y0:y1, x0:x1], 1 - scene.hidden[y0:y1, x0:x1]
    body = drawn(outline - (x0, y0), part.shape)
    inside, beside = body * free, (cv2.dilate(body, _RING) - body) * free
    area, whole = int(cv2.countNonZero(inside)), int(cv2.countNonZero(body))
    if area < max(12, TUNING.seen * whole):
        return -1.0
    new = float(cv2.sumElems(part * inside)[0]) / area
    more = float(cv2.sumElems(np.maximum(part, 0) * beside)[0]) / max(1, int(cv2.countNonZero(beside)))
    disc = float(cv2.sumElems(scene.discs[y0:y1, x0:x1] * inside)[0]) / area
    edge = outline_support(outline, scene.edges, scene.hidden) - (TUNING.bevel_price if axis.drop_cm else 0.0)
    colour = TUNING.colour_weight * (disc if kind == "disc" else -disc)
    if kind == "lying":
        colour -= TUNING.head_weight * float(cv2.sumElems(scene.heads[y0:y1, x0:x1] * inside)[0]) / area
    doubt = TUNING.hidden_weight * (1 - area / whole)
    return new + TUNING.edge_weight * edge - TUNING.beside_weight * more + colour - doubt


def _stands(axis: Axis) -> bool:
    """Say whether a pin can stand here: its middle is on the board."""
    return 0.0 <= axis.x_cm <= BOARD_CM[0] and 0.0 <= axis.y_cm <= BOARD_CM[1]


_RING: Final = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (7, 7)).astype(np.uint8)


def refined(scene: Scene, kind: str, axis: Axis) -> Candidate:
    """Move and turn a body to where most speaks for it, by steps that shrink."""
    best, score = axis, judged(scene, kind, axis)
    for step in (0.6, 0.3, 0.12):
        moved = True
        for _ in range(6):
            if not moved:
                break
            moved = False
            for other in _neighbours(kind, best, step):
                value = judged(scene, kind, other)
                if value > score:
                    best, score, moved = other, value, True
    return Candidate(kind=kind, axis=best, score=score)


def _neighbours(kind: str, axis: Axis, step: float) -> Iterator[Axis]:
    for sign in (-1, 1):
        if kind == "lying":
            along = sign * step * np.array([np.cos(axis.azimuth), np.sin(axis.azimuth)])
            yield replace(axis, x_cm=axis.x_cm + along[0], y_cm=axis.y_cm + along[1])
            yield replace(axis, x_cm=axis.x_cm - along[1], y_cm=axis.y_cm + along[0])
            yield replace(axis, azimuth=axis.azimuth + sign * step * 0.25)
        else:
            yield replace(axis, x_cm=axis.x_cm + sign * step)
            yield replace(axis, y_cm=axis.y_cm + sign * step)


def candidates(scene: Scene, near: Sequence[tuple[float, float]] = (), *, lying: bool = True) -> list[Candidate]:
    """Find bodies that may be in the picture, refined, the best first.

    Parameters
    ----------
    scene
        What they are judged by.
    near
        Places where pins stood that stand there no more as they did: they may stand close by.
    lying
        Whether pins may lie; else they all stand.
    """
    free = (1 - scene.hidden).astype(np.float32)
    weights = scene.weights * free
    discs = np.clip(weights + TUNING.colour_weight * (scene.discs * free), -1, 1) if scene.discs.any() else weights
    starts = [("upright", axis) for axis in _upright_starts(scene, scene.body, weights)]
    starts += [("lying", axis) for axis in _lying_starts(scene, weights)] if lying else []
    starts += [("disc", axis) for axis in _upright_starts(scene, scene.disc, discs)]
    found = [refined(scene, kind, axis) for kind, axis in _best_starts(scene, starts)]
    found = [_turned(scene, one) if one.kind == "lying" else one for one in _distinct(found, 0.0)]
    likely = _distinct(found, -0.2) + [_at_start(scene, xy) for xy in near]
    return _distinct([one if one.kind != "upright" else _looked(scene, one) for one in likely])


def _best_starts(scene: Scene, starts: Sequence[tuple[str, Axis]]) -> list[tuple[str, Axis]]:
    """Leave the best starts of each kind: refining is what takes time."""
    ranked = sorted(((judged(scene, kind, axis), -k) for k, (kind, axis) in enumerate(starts)), reverse=True)
    left = {"upright": TUNING.most, "lying": 2 * TUNING.most, "disc": TUNING.most}
    kept = []
    for score, k in ranked:
        kind, axis = starts[-k]
        if left[kind] and score > -0.5:
            left[kind] -= 1
            kept.append((kind, axis))
    return kept


def _at_start(scene: Scene, xy: tuple[float, float]) -> Candidate:
    axis = standing(xy, scene.body)
    return Candidate(kind="upright", axis=axis, score=judged(scene, "upright", axis))


def explained(
    scene: Scene,
    pins: int,
    taken: Sequence[tuple[Axis, Body]],
    near: Sequence[tuple[float, float]] = (),
    *,
    lying: bool = True,
) -> list[Candidate]:
    """Find what lies and stands in a picture, besides what is known to stand.

    Parameters
    ----------
    scene
        What is judged by.
    pins
        How many pins there can be.
    taken
        Bodies that are known to stand.
    near, lying
        See `candidates`.
    """
    found = candidates(scene, near, lying=lying)
    picked = chosen(found, pins, taken, scene)
    for _ in range(TUNING.second_looks):
        covered = [
            drawn(outline_px(one.axis, scene.sizes(one.kind), scene.camera), scene.hidden.shape) for one in picked
        ]
        hidden = scene.hidden
        for mask in covered:
            hidden = np.maximum(hidden, mask)
        more = [
            replace(one, score=_score(scene, one))
            for one in candidates(replace(scene, hidden=hidden), lying=lying)
        ]
        grown = _distinct([*found, *more])
        if len(grown) == len(found):
            break
        found = grown
        again = chosen(found, pins, taken, scene)
        if again == picked:
            break
        picked = again
    return [replace(one, rival=_rival(one, found)) for one in picked]


def _rival(one: Candidate, found: Sequence[Candidate]) -> float:
    near = [
        other.score
        for other in found
        if other.kind != one.kind
        and np.hypot(other.axis.x_cm - one.axis.x_cm, other.axis.y_cm - one.axis.y_cm) < TUNING.rival_cm
    ]
    return max(near, default=-1.0)


def _score(scene: Scene, one: Candidate) -> float:
    return _looked(scene, one).score if one.kind == "upright" else judged(scene, one.kind, one.axis)


def _turned(scene: Scene, one: Candidate) -> Candidate:
    """Turn a lying pin end for end and around itself, to where the bevel of its head fits best."""
    if one.score < TUNING.turn_from:
        return one
    turns = [
        replace(one.axis, azimuth=one.axis.azimuth + flip, roll=roll, drop_cm=TUNING.drop * scene.body.radius_cm)
        for flip in (0.0, np.pi)
        for roll in np.arange(4) * np.pi / 2
    ]
    ranked = sorted(((judged(scene, "lying", axis), k) for k, axis in enumerate(turns)), reverse=True)
    best = max((refined(scene, "lying", turns[k]) for _, k in ranked[:2]), key=lambda other: other.score)
    return best if best.score > one.score else one


def _distinct(found: Sequence[Candidate], least: float | None = None) -> list[Candidate]:
    """Leave one of those that came to the same place, the best first."""
    least = TUNING.least if least is None else least
    kept: list[Candidate] = []
    for one in sorted((one for one in found if one.score >= least), key=lambda one: -one.score):
        if not any(_same(one, other) for other in kept):
            kept.append(one)
    return kept


def _looked(scene: Scene, one: Candidate) -> Candidate:
    """Count whether a standing body looks like one of the pins, and move it to where it does most."""

    def cost(look: Look, axis: Axis) -> float:
        return unlike(look, scene.log, (axis.x_cm, axis.y_cm), scene.camera, scene.hidden)

    steps = (-0.3, 0.0, 0.3)
    around = [replace(one.axis, x_cm=one.axis.x_cm + dx, y_cm=one.axis.y_cm + dy) for dx in steps for dy in steps]
    _, which = min((cost(look, axis), k) for k, look in enumerate(scene.looks) for axis in around)
    look = scene.looks[which]

    def worth(axis: Axis) -> float:
        looks_so = TUNING.look_weight * (TUNING.look_level - cost(look, axis))
        return judged(scene, "upright", axis) + looks_so - _unwritten(scene, axis)

    best, score = one.axis, worth(one.axis)
    for step in (0.6, 0.3, 0.12):
        for _ in range(4):
            value, k = max((worth(axis), -k) for k, axis in enumerate(_neighbours("upright", best, step)))
            if value <= score:
                break
            best, score = list(_neighbours("upright", best, step))[-k], value
    return replace(one, axis=best, score=score)


def _unwritten(scene: Scene, axis: Axis) -> float:
    """Say what it takes off a standing pin that no number shows on its head: sides of lying pins are bare."""
    if scene.ink < TUNING.least_ink:
        return 0.0
    seen = ink(scene.log, (axis.x_cm, axis.y_cm), scene.body, scene.camera, scene.hidden)
    return 0.0 if seen is None else TUNING.ink_weight * (1 - float(np.clip(2 * seen / scene.ink, 0, 1)))


def _same(one: Candidate, other: Candidate) -> bool:
    if one.kind != other.kind or np.hypot(one.axis.x_cm - other.axis.x_cm, one.axis.y_cm - other.axis.y_cm) > 0.7:
        return False
    return one.kind != "lying" or abs(np.sin(one.axis.azimuth - other.axis.azimuth)) < 0.2


def _upright_starts(scene: Scene, body: Body, weights: Floats) -> list[Axis]:
    """Give places where a standing body would cover what is new: sampled at points of it and around it."""
    step = TUNING.step_cm * (1.0 if body is scene.body else 2.0)
    margin = 0.0 if body is scene.body else TUNING.beyond_cm
    xs, ys = np.arange(-margin, 117.01 + margin, step), np.arange(-margin, 49.01 + margin, step)
    places = np.stack(np.meshgrid(xs, ys), axis=2).reshape(-1, 2)
    top = np.column_stack([places, np.full(len(places), body.height_cm)])
    smooth = np.asarray(cv2.blur(np.maximum(weights, 0), (9, 9)), np.float32)
    likely = _sampled(smooth, scene.camera.to_px(top)) > 0.1
    if not likely.any():
        return []
    inner = _inner_points(scene, places[likely], body)
    value = _sampled(weights, inner).mean(axis=1)
    score = np.full(len(places), -1.0)
    score[likely] = value
    return [standing((float(x), float(y)), body) for x, y in _peaks(places, score.reshape(len(ys), len(xs)))]


def _inner_points(scene: Scene, places: Array, body: Body) -> Array:
    """Give (N, M, 2) px of points within the outline of a body that stands at (N, 2)."""
    toward = scene.camera.eye_cm[:2] - places
    toward /= np.maximum(np.linalg.norm(toward, axis=1, keepdims=True), 1e-6)
    across = np.column_stack([-toward[:, 1], toward[:, 0]])
    points = []
    for part in (-0.8, 0.0, 0.8):
        side = places + 0.9 * body.radius_cm * (part * across + np.sqrt(1 - part**2) * toward)
        points += [
            np.column_stack([side, np.full(len(places), z)]) for z in np.linspace(0.05, 0.95, 5) * body.height_cm
        ]
    for turn in np.arange(6) * np.pi / 3:
        top = places + 0.75 * body.radius_cm * np.array([np.cos(turn), np.sin(turn)])
        points.append(np.column_stack([top, np.full(len(places), body.height_cm)]))
    stacked = np.stack(points, axis=1)
    return scene.camera.to_px(stacked.reshape(-1, 3)).reshape(len(places), -1, 2)


def _sampled(image: Floats, points: Array) -> Floats:
    height, width = image.shape
    at = np.round(points).astype(np.intp)
    inside = (at[..., 0] >= 0) & (at[..., 1] >= 0) & (at[..., 0] < width) & (at[..., 1] < height)
    values = image[np.clip(at[..., 1], 0, height - 1), np.clip(at[..., 0], 0, width - 1)]
    return np.where(inside, values, -1.0).astype(np.float32)


def _peaks(places: Array, score: Array) -> Array:
    """Give the places of the best local maxima of a grid of scores, (M, 2)."""
    near = cv2.dilate(score.astype(np.float32), np.ones((3, 3), np.uint8))
    flat = np.flatnonzero(((score >= near) & (score > 0.0)).ravel())
    order = flat[np.argsort(-score.ravel()[flat], kind="stable")][: TUNING.most]
    return places[order]


_PX_PER_CM: Final = 4.0


def _lying_starts(scene: Scene, weights: Floats) -> list[Axis]:
    """Give lying pins that would cover what is new: the plane of their axes is searched with their outline."""
    margin = TUNING.beyond_cm
    size = (int((117 + 2 * margin) * _PX_PER_CM), int((49 + 2 * margin) * _PX_PER_CM))
    corners_cm = np.array(
        [[-margin, -margin], [117 + margin, -margin], [117 + margin, 49 + margin], [-margin, 49 + margin]]
    )
    level = scene.body.radius_cm
    seen = scene.camera.to_px(np.column_stack([corners_cm, np.full(4, level)]))
    flat = np.array([[0, 0], [size[0], 0], [size[0], size[1]], [0, size[1]]], np.float64)
    matrix = cv2.getPerspectiveTransform(seen.astype(np.float32), flat.astype(np.float32))
    plane = np.asarray(
        cv2.warpPerspective(weights, matrix, size, flags=cv2.INTER_AREA, borderValue=(-0.5,)), np.float32
    )
    found: list[tuple[float, Axis]] = []
    for turn in np.arange(TUNING.turns) * np.pi / TUNING.turns:
        answer = cv2.filter2D(plane, cv2.CV_32F, _kernel(scene, float(turn)), borderType=cv2.BORDER_REPLICATE)
        near = cv2.dilate(answer, np.ones((7, 7), np.uint8))
        ys, xs = np.nonzero((answer >= near) & (answer > 0.15))
        for x, y in zip(xs, ys, strict=True):
            xy = (float(x / _PX_PER_CM - margin), float(y / _PX_PER_CM - margin))
            found.append((float(answer[y, x]), lying(xy, float(turn), scene.body)))
    found.sort(key=lambda one: -one[0])
    kept: list[Axis] = []
    for _, axis in found:
        if all(_apart(axis, other) for other in kept):
            kept.append(axis)
        if len(kept) == 2 * TUNING.most:
            break
    return kept


def _apart(one: Axis, other: Axis) -> bool:
    far = np.hypot(one.x_cm - other.x_cm, one.y_cm - other.y_cm) > 1.2
    return bool(far) or abs(np.sin(one.azimuth - other.azimuth)) > 0.3


def _kernel(scene: Scene, turn: float) -> Floats:
    """Give the outline of a pin in the plane of its axis as a filter: 1 inside, less than 0 around it."""
    outline = outline_px(lying((85.0, 24.5), turn, scene.body), scene.body, scene.camera)
    flat = (scene.camera.to_plane(outline, scene.body.radius_cm) - (85.0, 24.5)) * _PX_PER_CM
    half = int(np.abs(flat).max()) + 4
    inside = drawn(flat + half, (2 * half + 1, 2 * half + 1))
    around = cv2.dilate(inside, np.ones((5, 5), np.uint8)) - inside
    kernel = inside / max(1, inside.sum()) - 0.3 * around / max(1, around.sum())
    return np.asarray(kernel, np.float32)


def chosen(
    found: Sequence[Candidate], pins: int, taken: Sequence[tuple[Axis, Body]], scene: Scene
) -> list[Candidate]:
    """Choose at most so many pins and one disc that explain most and are in nobody's way.

    Parameters
    ----------
    found
        Candidates.
    pins
        How many pins there can be.
    taken
        Bodies that are known to stand.
    scene
        What they are judged by.
    """
    free = [one for one in found if not any(_meet(one.axis, scene.sizes(one.kind), *other) for other in taken)]
    if not free:
        return []
    puzzle = _Puzzle(free, pins, scene)
    starts = [puzzle.grown([])] + [puzzle.grown([place]) for place in range(len(free))]
    best = max(starts, key=puzzle.worth)
    for _ in range(TUNING.rounds):
        better = puzzle.improved(best)
        if better is None:
            break
        best = better
    return [free[place] for place in sorted(best)]


class _Puzzle:
    """Sets of candidates, and what a set is worth: what is new and covered, once, and what speaks for each."""

    def __init__(self, free: Sequence[Candidate], pins: int, scene: Scene) -> None:
        self._free, self._pins = free, pins
        half = cv2.resize(scene.weights * (1 - scene.hidden), None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
        masks = [
            drawn(outline_px(one.axis, scene.sizes(one.kind), scene.camera) / 2, half.shape).ravel()
            for one in free
        ]
        covers = np.array(masks, bool).reshape(len(free), -1)
        used = covers.any(axis=0)
        self._covers, self._weights = covers[:, used], half.ravel()[used]
        self._size = max(1.0, float(covers.sum(axis=1).mean()))
        self._own = np.array([one.score - TUNING.price for one in free])
        self._clash = np.eye(len(free), dtype=bool)
        for a, one in enumerate(free):
            for b in range(a):
                other = free[b]
                meet = _meet(one.axis, scene.sizes(one.kind), other.axis, scene.sizes(other.kind))
                self._clash[a, b] = self._clash[b, a] = meet

    def worth(self, picked: Sequence[int]) -> float:
        """Say what a set is worth."""
        if not picked:
            return 0.0
        covered = self._covers[list(picked)].any(axis=0)
        return float(
            self._own[list(picked)].sum() + TUNING.cover_weight * self._weights[covered].sum() / self._size
        )

    def allowed(self, picked: Sequence[int]) -> bool:
        """Say whether a set can be: not two in one place, not too many."""
        discs = sum(self._free[place].kind == "disc" for place in picked)
        if discs > 1 or len(picked) - discs > self._pins:
            return False
        return not any(self._clash[a, b] for k, a in enumerate(picked) for b in picked[:k])

    def grown(self, picked: Sequence[int]) -> list[int]:
        """Add what is worth most until nothing is."""
        best = list(picked)
        if not self.allowed(best):
            return []
        while True:
            options = [[*best, place] for place in range(len(self._free)) if place not in best]
            worths = [(self.worth(one), -k) for k, one in enumerate(options) if self.allowed(one)]
            if not worths or max(worths)[0] <= self.worth(best) + 0.02:
                return best
            best = options[-max(worths)[1]]

    def improved(self, picked: Sequence[int]) -> list[int] | None:
        """Put one candidate in place of those it clashes with, and perhaps one more, if that is worth more."""
        now = self.worth(picked)
        for place in range(len(self._free)):
            if place in picked:
                continue
            kept = [other for other in picked if not self._clash[place, other]]
            for rest in [kept, *([other for other in kept if other != less] for less in kept)]:
                option = self.grown([*rest, place])
                if self.worth(option) > now + 0.02:
                    return option
        return None


def _meet(one: Axis, first: Body, other: Axis, second: Body) -> bool:
    """Say whether two bodies would be in one place."""
    gap = _distance(one, first, other, second)
    both = abs(np.cos(one.tilt)) > 0.99 and abs(np.cos(other.tilt)) > 0.99
    return gap < (TUNING.overlap_standing if both else TUNING.overlap) * (first.radius_cm + second.radius_cm)


def _distance(one: Axis, first: Body, other: Axis, second: Body) -> float:
    """Give how near the axes come, cm, without the rounding of the ends."""
    p = _line(one, first)
    q = _line(other, second)
    return float(np.linalg.norm(p[:, None] - q[None], axis=2).min())


def _line(axis: Axis, body: Body) -> Array:
    half = max(0.0, body.height_cm / 2 - 0.5 * body.radius_cm)
    return axis.middle + np.linspace(-half, half, 9)[:, None] * axis.along
