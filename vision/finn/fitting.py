"""What the network found, held against the picture itself.

Each body is taken for every kind that it may be and moved to where most speaks for it (`vision.finn.trying`); of
all those the set that explains most is what is there. What is missing then is looked for everywhere.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.finn.before import View
from vision.finn.bodies import Found
from vision.finn.choosing import Covers, chosen, gaps
from vision.finn.evidence import union
from vision.finn.finding import by_mark, kept_apart
from vision.finn.light import Pair
from vision.finn.looks import Looks
from vision.finn.moving import climbed
from vision.finn.numbers import read_heads
from vision.finn.outlines import axis_of, rows_of
from vision.finn.pins import Axis, drawn, outline_px, standing
from vision.finn.scenes import Stage, scene_of
from vision.finn.searching import starts
from vision.finn.state import Place
from vision.finn.trying import (
    HOPELESS,
    Option,
    Trial,
    aside,
    behind,
    counted_held,
    decided,
    fitted,
    likely,
    score_of,
    trials_of,
    unstuck,
)
from vision.finn.trying import TUNING as TRYING
from vision.finn.weighing import Candidate, Scene, code_of, judged

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class FittingTuning:
    """How what is missed is looked for.

    Attributes
    ----------
    worth
        What has to speak for such a pin; less by the second for each step of the board's contrast.
    unseen
        Chance of a pin where the network saw none.
    aside, aside_cm
        So many places that show a number most are looked at so far aside too: strokes may not be in the middle.
    marked, marked_apart, alone
        With this chance of a number a place is a head, if no pin that is known stands nearer than so many
        diameters: its own number is read a little aside of its head too; what it takes off that nothing else of
        the pin is seen.
    left_px, left, left_missing
        A body of more pixels, for which so much speaks, is something though it was not chosen; where a pin is
        missing it need be less.
    beside
        Where a pin is missing, one that lies beside another may be it: so many diameters from its axis.
    shared
        One that has a larger share of its area in common with those that were chosen is one of them.
    """

    worth: tuple[float, float] = (0.5, 0.1)
    unseen: float = 0.05
    aside: int = 3
    aside_cm: float = 0.8
    marked: float = 0.8
    marked_apart: float = 0.8
    alone: float = 0.2
    left_px: float = 60.0
    left: float = 0.7
    left_missing: float = -0.2
    beside: float = 0.55
    shared: float = 0.35


TUNING: Final = FittingTuning()


def fitted_bodies(  # noqa: PLR0917 - a scene, and what was found in it
    view: View, pair: Pair, stage: Stage, free: Sequence[Found], stay: Sequence[Place], gone: Sequence[Place],
    near: Sequence[Place], disc_was: Axis | None, looks: Looks, heads: tuple[Array, float],
    *, stands: bool = False,
) -> tuple[list[Found], bool]:  # fmt: skip
    """Decide which bodies there are besides pins that stand as they did, what each is, and where exactly.

    Parameters
    ----------
    view, pair
        The camera with the pins before, and the pictures.
    stage
        What the picture before gives.
    free
        What the network found.
    stay, gone
        Places of pins that stand as they did, and of those that do not, cm.
    near
        Those of the latter where one may stand a little aside.
    disc_was
        The disc where it waited.
    looks
        How pins look that stand.
    heads
        How heads are cut and with what chance they show a number, as `vision.finn.numbers.slopes_of` gives it.
    stands
        Whether all pins are likely to stand, for they have been set up.

    Returns
    -------
    list of Found, bool
        The bodies, and whether something else that may well be one is left over.
    """
    if not free and not gone:
        return [], False
    scene = scene_of(view, pair, stage, free, stay, gone, disc_was, looks, heads)
    trials = [trial for one in free for trial in trials_of(one, scene, stands=stands)]
    trials = likely(trials, scene)
    options = fitted([*trials, *aside(near, scene)], scene)
    options = [*unstuck(options[: len(trials)], scene), *options[len(trials) :]]
    options = [one for one in options if one.fit.score > HOPELESS]
    taken = [(standing(xy, view.body), view.body) for xy in stay]

    covers: Covers = {}

    def choose() -> list[Candidate]:
        return chosen([one.fit for one in options], len(gone), taken, scene, covers)

    picked = choose()
    anew = behind(options, picked, scene)
    if anew is not None:
        options = anew
        picked = choose()
    if any(one.fit.kind == "leaning" for one in options):
        less = counted_held(options, picked, taken, scene)
        # Those that were chosen are still the best if nothing was taken off them.
        again = any(now is not then and then.fit in picked for now, then in zip(less, options, strict=True))
        options = less
        if again:
            picked = choose()
    if sum(one.kind != "disc" for one in picked) < len(gone):
        more = [*_missed(scene, picked, view.contrast), *_by_number(scene, picked, stay)]
        options = [*options, *(one for one in more if one.fit.score > HOPELESS)]
        picked = choose()
    fits = [one.fit for one in options]
    bodies = [decided(options[fits.index(fit)], options) for fit in picked]
    missing = len(gone) - sum(one.kind != "disc" for one in picked)
    if missing <= 0:
        return bodies, bool(_left_over(options, picked, stay, TUNING.left, scene))
    return _with_left_over(bodies, options, picked, stay, missing, scene)


def _with_left_over(  # noqa: PLR0917
    bodies: list[Found], options: Sequence[Option], picked: Sequence[Candidate], stay: Sequence[Place],
    missing: int, scene: Scene,
) -> tuple[list[Found], bool]:  # fmt: skip
    """Add what the network saw to bodies where pins are missing; gives them and whether anything was left over.

    Pins of the board's colour stand out too little to be chosen.
    """
    free = [one for one in options if one.found.kind != "disc"]
    pins = [one for one in picked if one.kind != "disc"]
    # What was taken for the disc may be the pin that is missed.
    more = bool(_left_over(free, pins, stay, TUNING.left_missing, scene))
    added: list[Option] = []
    while len(added) < missing:
        known = [*picked, *(one.fit for one in added)]
        left = _left_over(free, known, stay, TUNING.left_missing, scene)
        if not left:
            break
        added.append(max(left, key=score_of))
    return [*bodies, *(decided(one, options) for one in added)], more


def _missed(scene: Scene, picked: Sequence[Candidate], contrast: int) -> list[Option]:
    """Look for a missing pin in what is new and not explained, though the network saw none there."""
    covers = [
        drawn(outline_px(one.axis, scene.sizes(one.kind), scene.camera), scene.hidden.shape) for one in picked
    ]
    rest = scene.without(union(covers, scene.hidden.shape))
    unseen = np.full(4, TUNING.unseen)
    places = list(starts(rest))
    if not places:
        return []
    kinds = np.array([code_of(kind) for kind, _ in places])
    rows, scores = climbed(
        lambda which, at: judged(rest, kinds[which], at), kinds, rows_of([a for _, a in places])
    )
    trials = [
        Trial(found=Found(kind=kind, axis=axis_of(row), chances=unseen, pixels=0.0, share=0.0, spread_px=0.0))
        for (kind, _), row, score in zip(places, rows, scores, strict=True)
        if score > TUNING.worth[0] - contrast * TUNING.worth[1]
    ]
    return fitted(trials, scene)


def _by_number(scene: Scene, picked: Sequence[Candidate], stay: Sequence[Place]) -> list[Option]:
    """Look for standing pins of which little more than the head is seen, by the number on it."""
    if scene.numbered < TRYING.numbered:
        return []
    known = [*stay, *((one.axis.x_cm, one.axis.y_cm) for one in picked if one.kind == "upright")]
    places = by_mark(scene.log, scene.body, scene.camera, scene.fresh)

    def free(at: Array) -> Array:
        gaps_cm = np.linalg.norm(at - np.array(known).reshape(-1, 1, 2), axis=2)
        return np.asarray(at[(gaps_cm > TUNING.marked_apart * 2 * scene.body.radius_cm).all(axis=0)])

    places = free(places)
    places, _ = kept_apart(places, -np.arange(len(places), dtype=float), scene.body, len(places))

    def shown(at: Array) -> Array:
        spots = [(float(x), float(y)) for x, y in at]
        return read_heads(scene.log, spots, scene.body, scene.camera, scene.slopes, quick=True).written

    written = shown(places)
    most = np.argsort(-written, kind="stable")[: TUNING.aside]
    around = [free(places[k] + TUNING.aside_cm * _BESIDE) for k in most]
    shows = np.split(shown(np.concatenate([places[:0], *around])), np.cumsum([len(one) for one in around]))
    for k, beside, more in zip(most, around, shows[:-1], strict=True):
        if len(more) and more.max() > written[k]:
            places[k], written[k] = beside[more.argmax()], more.max()
    marks = [(float(x), float(y)) for x, y in places]
    options = []
    unseen = np.full(4, TUNING.unseen)
    for xy, seen in zip(marks, written, strict=True):
        if seen < TUNING.marked:
            continue
        axis = standing(xy, scene.body)
        found = Found(kind="upright", axis=axis, chances=unseen, pixels=0.0, share=0.0, spread_px=0.0)
        whole = fitted([Trial(found=found)], scene)[0]
        # Where nothing but the head is seen the number alone speaks.
        alone = TRYING.number * (float(seen) - 0.5) - TUNING.alone
        options.append(
            max(whole, Option(found=found, fit=Candidate(kind="upright", axis=axis, score=alone)), key=score_of)
        )
    return options


_BESIDE: Final = np.array([(np.cos(turn), np.sin(turn)) for turn in np.arange(6) * np.pi / 3])


def _left_over(
    options: Sequence[Option], picked: Sequence[Candidate], stay: Sequence[Place], least: float, scene: Scene
) -> list[Option]:
    """Give what the network saw and what fits, and is none of those that were chosen."""
    known = [(one.axis.x_cm, one.axis.y_cm) for one in picked] + list(stay)
    outlines = [_outline(one, scene) for one in picked]
    no_disc = all(one.kind != "disc" for one in picked)
    chosen_ways = [one.found.ways for one in options if one.fit in picked]
    left = []
    for one in options:
        if one.found.pixels <= TUNING.left_px or one.fit.score <= least:
            continue
        if any(one.found.ways is ways for ways in chosen_ways) or (no_disc and _is_disc(one, options)):
            continue
        if _is_at(one.fit, known, scene, beside=least < TUNING.left):
            continue
        mine = _outline(one.fit, scene)
        shared = sum(cv2.intersectConvexConvex(mine, other)[0] for other in outlines)
        if shared < TUNING.shared * cv2.contourArea(mine):
            left.append(one)
    return left


def _is_at(one: Candidate, known: Sequence[Place], scene: Scene, *, beside: bool) -> bool:
    """Say whether a body is at one of places, (x, y) cm; `beside`: one that lies right beside a pin is not."""
    body = scene.body
    if beside and one.kind == "lying" and known:
        sizes = [body] * len(known)
        apart = gaps([one.axis], [body], [standing(xy, body) for xy in known], sizes)
        return bool(apart.min() < TUNING.beside * 2 * body.radius_cm)
    return any(np.hypot(one.axis.x_cm - x, one.axis.y_cm - y) <= NEAR_CM for x, y in known)


def _is_disc(option: Option, options: Sequence[Option]) -> bool:
    """Say whether what this is of fits best as the disc."""
    mine = [other for other in options if other.found.ways is option.found.ways]
    return max(mine, key=score_of).fit.kind == "disc"


def _outline(one: Candidate, scene: Scene) -> NDArray[np.float32]:
    return outline_px(one.axis, scene.sizes(one.kind), scene.camera).astype(np.float32)


NEAR_CM: Final = 3.0
"""Bodies whose middles are so near would be the same thing."""
