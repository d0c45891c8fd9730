"""Each body taken for every kind that it may be, and moved to where most speaks for it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np

from vision.finn.bodies import Found
from vision.finn.evidence import union
from vision.finn.maps import KINDS
from vision.finn.moving import likeness, moved
from vision.finn.numbers import read_heads
from vision.finn.outlines import axis_of, rows_of
from vision.finn.pins import Axis, Body, drawn, outline_px, standing
from vision.finn.resting import held
from vision.finn.state import Place
from vision.finn.weighing import NONE, Candidate, Scene, code_of, judged


@dataclass(frozen=True, slots=True, kw_only=True)
class TryingTuning:
    """How the network and the picture are weighed.

    Attributes
    ----------
    net
        What a nat of the network's odds counts against an area that is new all over.
    floor
        Chance of any kind whatever the network says.
    mixed
        Share of what it takes for leaning that lies: on scenes held back it knew one leaning pin in ten.
    rare
        What leaning pins have to be better by: they are rare, and may be fitted more freely.
    number, numbered
        What a number on the head of a standing body counts, or that there is none, where heads showed theirs with
        this chance before.
    alike
        What such a pin has to be better by: pins rarely lie just so, and lying ones are turned to fit.
    set_up
        What a pin that does not stand has to be better by, where all were set up.
    radial
        Sine of the angle to the view within which a lying pin may as well be one that stands.
    tried
        Kinds of less chance are not tried.
    apart
        How the odds of a kind grow with what its score is above that of another in its place.
    near_cm
        A pin that may stand a little aside is looked for from places so far around where it stood.
    plain
        Standing bodies for which so much speaks are there, and hide what is behind them.
    touching_cm, seen_standing
        Standing pins that touch are seen as one, and placed between the two. One that the network saw with this
        chance and for which less speaks is looked for from places so far around as well.
    covered
        A body of which they cover a larger share is looked at anew.
    unheld
        What takes off a leaning pin that nothing is near to hold its upper end up.
    flatter
        A pin that was chosen as leaning lies if it fits so much better lying.
    no_disc
        A disc for which less speaks, where the network saw something, is none wherever it is moved.
    """

    net: float = 0.4
    floor: float = 0.05
    mixed: float = 0.7
    rare: float = 0.45
    number: float = 2.0
    numbered: float = 0.5
    alike: float = 0.25
    set_up: float = 0.6
    radial: float = 0.35
    tried: float = 0.04
    apart: float = 6.0
    near_cm: float = 0.9
    plain: float = 1.8
    touching_cm: float = 1.2
    seen_standing: float = 0.5
    covered: float = 0.08
    unheld: float = 0.8
    flatter: float = 0.4
    no_disc: float = -0.3


TUNING: Final = TryingTuning()
HOPELESS: Final = -0.2
"""Bodies for which less speaks are none."""

NOWHERE: Final = -9.0
"""What speaks for one that could not be seen where it is thought to be."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Option:
    """A body taken for one kind: how it fits, the body, and what it has to be better by."""

    found: Found
    fit: Candidate
    less: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Trial:
    """A body to be taken for one kind, and what it has to be better by."""

    found: Found
    less: float = 0.0


def score_of(option: Option) -> float:
    """Give what speaks for an option."""
    return option.fit.score


def trials_of(found: Found, scene: Scene, *, stands: bool) -> Iterator[Trial]:
    """Give the kinds that a body may be of."""
    axes = dict(found.ways)
    likely = [kind for kind in KINDS[1:] if found.chances[KINDS.index(kind) - 1] > TUNING.tried]
    if "lying" in likely or "leaning" in likely:
        likely += ["lying", "leaning"]
    if scene.discs.any():
        likely.append("disc")
    alike = found.kind == "lying" and _radial(found, scene)
    if stands or alike or found.kind != "lying":
        likely.append("upright")
    lies = (TUNING.alike if alike else 0.0) + (TUNING.set_up if stands else 0.0)
    for kind in dict.fromkeys(likely):
        less = lies if kind in ("lying", "leaning") else 0.0
        yield Trial(found=replace(found, kind=kind, axis=axes[kind]), less=less)


def _radial(found: Found, scene: Scene) -> bool:
    """Say whether a lying pin points away from the camera: one that stands is seen alike."""
    x, y = scene.camera.eye_cm[:2] - (found.axis.x_cm, found.axis.y_cm)
    return bool(abs(np.sin(found.axis.azimuth - np.arctan2(y, x))) < TUNING.radial)


def fitted(trials: Sequence[Trial], scene: Scene) -> list[Option]:
    """Move bodies to where most speaks for them; their scores are what picture and network say together."""
    if not trials:
        return []
    kinds = np.array([code_of(trial.found.kind) for trial in trials])
    rows, scores = moved(scene, kinds, rows_of([trial.found.axis for trial in trials]))
    options = []
    for trial, row, score in zip(trials, rows, scores, strict=True):
        kind = trial.found.kind
        chance = _chance(trial.found, kind)
        odds = float(TUNING.net * (np.log(chance + TUNING.floor) - np.log(0.25)))
        odds -= trial.less + (TUNING.rare if kind == "leaning" else 0.0)
        worth = float(score) + odds if score > NONE else NOWHERE
        fit = Candidate(kind=kind, axis=axis_of(row), score=worth)
        options.append(Option(found=trial.found, fit=fit, less=trial.less))
    return _numbered(options, scene)


def unstuck(options: Sequence[Option], scene: Scene) -> list[Option]:
    """Move standing bodies that were placed between two pins to where one looks like itself (`TryingTuning`)."""
    upright = KINDS.index("upright") - 1
    stuck = [
        k
        for k, one in enumerate(options)
        if one.found.kind == "upright"
        and one.found.chances[upright] > TUNING.seen_standing
        and NOWHERE < one.fit.score < TUNING.plain
    ]
    if not stuck or not len(scene.looks):
        return list(options)
    found = np.array([[options[k].found.axis.x_cm, options[k].found.axis.y_cm] for k in stuck])
    places = found[:, None] + TUNING.touching_cm * _AROUND
    axes = [standing((float(x), float(y)), scene.body) for x, y in places.reshape(-1, 2)]
    worth = judged(scene, np.full(len(axes), code_of("upright")), rows_of(axes))
    worth += likeness(scene, places.reshape(-1, 2))
    best = places[np.arange(len(stuck)), worth.reshape(len(stuck), -1).argmax(axis=1)]
    anew = fitted(
        [
            Trial(
                found=replace(options[k].found, axis=standing((float(x), float(y)), scene.body)),
                less=options[k].less,
            )
            for k, (x, y) in zip(stuck, best, strict=True)
        ],
        scene,
    )
    freed = list(options)
    for k, other in zip(stuck, anew, strict=True):
        if score_of(other) > score_of(options[k]):
            freed[k] = other
    return freed


_AROUND: Final = np.array([(np.cos(turn), np.sin(turn)) for turn in np.arange(8) * np.pi / 4])


def likely(trials: Sequence[Trial], scene: Scene) -> list[Trial]:
    """Leave out discs that are far from looking like one: their colours tell."""
    discs = [k for k, trial in enumerate(trials) if trial.found.kind == "disc"]
    rows = rows_of([trials[k].found.axis for k in discs])
    scores = judged(scene, np.full(len(discs), code_of("disc")), rows) if discs else np.zeros(0)
    unlikely = {k for k, score in zip(discs, scores, strict=True) if score < TUNING.no_disc}
    return [trial for k, trial in enumerate(trials) if k not in unlikely]


def _numbered(options: Sequence[Option], scene: Scene) -> list[Option]:
    """Count what heads of standing pins show: one that lies with its end away from the camera looks else alike."""
    upright = [k for k, one in enumerate(options) if one.found.kind == "upright"]
    if scene.numbered < TUNING.numbered or not upright:
        return list(options)
    # No number can save what nothing else speaks for.
    upright = [k for k in upright if options[k].fit.score + TUNING.number / 2 > HOPELESS]
    places = [(options[k].fit.axis.x_cm, options[k].fit.axis.y_cm) for k in upright]
    written = read_heads(scene.log, places, scene.body, scene.camera, scene.slopes, quick=True).written
    counted = list(options)
    for k, seen in zip(upright, written, strict=True):
        worth = TUNING.number * (min(1.0, float(seen) / scene.numbered) - 0.5)
        fit = options[k].fit
        counted[k] = replace(options[k], fit=replace(fit, score=fit.score + worth))
    return counted


def _chance(found: Found, kind: str) -> float:
    """Say with what chance the network saw this kind; pins that lean and pins that lie it confuses."""
    _, lying, leaning, _ = (float(chance) for chance in found.chances)
    match kind:
        case "lying":
            return lying + TUNING.mixed * leaning
        case "leaning":
            return leaning + (1 - TUNING.mixed) * lying
    return float(found.chances[KINDS.index(kind) - 1])


def aside(near: Sequence[Place], scene: Scene) -> list[Trial]:
    """Give pins that may stand a little aside of where each stood."""
    if not near:
        return []
    step = TUNING.near_cm
    around = np.array(((0.0, 0.0), (step, 0.0), (-step, 0.0), (0.0, step), (0.0, -step)))
    places = np.array(near)[:, None] + around
    axes = [standing((float(x), float(y)), scene.body) for x, y in places.reshape(-1, 2)]
    scores = judged(scene, np.full(len(axes), code_of("upright")), rows_of(axes)).reshape(len(near), -1)
    best = places[np.arange(len(near)), scores.argmax(axis=1)]
    return [Trial(found=_at_start((float(x), float(y)), scene.body)) for x, y in best]


def _at_start(xy: Place, body: Body) -> Found:
    chances = np.array([0.25, 0.25, 0.25, 0.25])
    return Found(
        kind="upright", axis=standing(xy, body), chances=chances, ways=(), pixels=0.0, share=1.0, spread_px=0.0
    )


def behind(options: Sequence[Option], picked: Sequence[Candidate], scene: Scene) -> list[Option] | None:
    """Fit bodies anew of which standing pins that are surely there hide a part; None if there are none."""
    plain = [one for one in picked if one.kind == "upright" and one.score >= TUNING.plain]
    outlines = [outline_px(one.axis, scene.body, scene.camera).astype(np.float32) for one in plain]
    far = [_distance(one.axis, scene) for one in plain]
    anew = []
    for k, option in enumerate(options):
        if option.fit in plain:
            continue
        mine = outline_px(option.fit.axis, scene.sizes(option.fit.kind), scene.camera).astype(np.float32)
        area = cv2.contourArea(mine)
        meets = [
            place
            for place, other in enumerate(outlines)
            if cv2.intersectConvexConvex(mine, other)[0] > TUNING.covered * area
        ]
        if meets and all(far[place] < _distance(option.fit.axis, scene) for place in meets):
            anew.append(k)
    if not anew:
        return None
    shape = scene.hidden.shape
    rest = scene.without(union([drawn(outline.astype(np.float64), shape) for outline in outlines], shape))
    fresh = fitted([Trial(found=options[k].found, less=options[k].less) for k in anew], rest)
    changed = dict(zip(anew, fresh, strict=True))
    every = [changed.get(k, option) for k, option in enumerate(options)]
    return [one for one in every if one.fit.score > HOPELESS]


def _distance(axis: Axis, scene: Scene) -> float:
    """Give how far a body is from the camera over the board, cm."""
    return float(np.hypot(*(scene.camera.eye_cm[:2] - (axis.x_cm, axis.y_cm))))


def counted_held(
    options: Sequence[Option], picked: Sequence[Candidate], taken: Sequence[tuple[Axis, Body]], scene: Scene
) -> list[Option]:
    """Count against leaning pins that nothing is near that could hold their upper ends up (FB-22)."""
    others = [*taken, *((one.axis, scene.sizes(one.kind)) for one in picked)]
    return [
        replace(one, fit=replace(one.fit, score=one.fit.score - TUNING.unheld))
        if one.fit.kind == "leaning" and not held(one.fit.axis, scene.body, others)
        else one
        for one in options
    ]


def decided(option: Option, options: Sequence[Option]) -> Found:
    """Give the body with the chances of its kinds, by how much better one fits than another.

    One that fits much better lying is said to lie, though something stands so near that it could not quite there:
    it may as well lean on that.
    """
    mine = [
        other
        for other in options
        if other is option or (other.found.pixels and other.found.ways is option.found.ways)
    ]
    best = np.full(4, -np.inf)
    for other in mine:
        place = KINDS.index(other.found.kind) - 1
        best[place] = max(best[place], other.fit.score)
    odds = np.exp(TUNING.apart * (best - best.max()))
    lying = max((one for one in mine if one.found.kind == "lying"), key=score_of, default=option)
    if option.found.kind == "leaning" and score_of(lying) > score_of(option) + TUNING.flatter:
        option = lying
        odds[[KINDS.index("lying") - 1, KINDS.index("leaning") - 1]] = 1.0
        return replace(option.found, axis=option.fit.axis, chances=odds / odds.sum(), score=option.fit.score)
    return replace(
        option.found,
        axis=option.fit.axis,
        chances=np.asarray(odds / odds.sum()),
        score=option.fit.score,
        saw=option.found.chances if option.found.pixels else None,
    )
