"""What the network found, held against the picture itself.

Each body is taken for every kind that it may be and moved to where most speaks for it; of all those the set that
explains most is what is there.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.finn.before import View
from vision.finn.bodies import Found
from vision.finn.camera import Camera
from vision.finn.choosing import chosen
from vision.finn.disc import disc_odds
from vision.finn.evidence import colour_odds, evidence, union
from vision.finn.focus import edges_of
from vision.finn.light import Pair
from vision.finn.looks import Look, ink
from vision.finn.maps import KINDS
from vision.finn.numbers import read_heads
from vision.finn.pins import Axis, Body, drawn, outline_px, standing
from vision.finn.searching import starts
from vision.finn.state import BOARD_CM, Place
from vision.finn.weighing import Candidate, Floats, Scene, looked, refined, turned_best

Owner = NDArray[np.int16]


@dataclass(frozen=True, slots=True, kw_only=True)
class FittingTuning:
    """How the network and the picture are weighed.

    Attributes
    ----------
    margin_px
        So much around everything is looked at.
    around
        Outlines are this much wider when pins are painted over.
    changed
        Edges count where at least so much changed.
    own_head
        Mean odds from which heads have a colour of their own.
    net
        What a nat of the network's odds counts against an area that is new all over.
    floor
        Chance of any kind whatever the network says.
    rare
        What leaning pins have to be better by: they are rare, and may be fitted more freely.
    unseen
        Chance of a pin where the network saw none.
    worth
        What has to speak for such a pin; less by the second for each step of the board's contrast.
    hopeless
        Bodies for which less speaks are none.
    number, numbered
        What a number on the head of a standing body counts, or that there is none, where heads showed theirs with
        this chance before.
    left_px, left, left_missing
        A body of more pixels, for which so much speaks, is something though it was not chosen; where a pin is
        missing it need be less.
    least_look
        Points of a pin that have to be seen to say how it looks.
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
    """

    margin_px: int = 60
    around: float = 1.12
    changed: float = 0.06
    own_head: float = 0.4
    net: float = 0.4
    floor: float = 0.03
    rare: float = 0.45
    unseen: float = 0.05
    worth: tuple[float, float] = (0.5, 0.1)
    hopeless: float = -0.5
    number: float = 0.6
    numbered: float = 0.5
    left_px: float = 60.0
    left: float = 0.7
    left_missing: float = -0.2
    least_look: int = 30
    alike: float = 0.25
    set_up: float = 0.6
    radial: float = 0.35
    tried: float = 0.04
    apart: float = 6.0


TUNING: Final = FittingTuning()


def fitted_bodies(  # noqa: PLR0917 - a scene, and what was found in it
    view: View, pair: Pair, owner: Owner, free: Sequence[Found], stay: Sequence[Place], gone: Sequence[Place],
    near: Sequence[Place], disc_was: Axis | None, looks: Sequence[Look], *, stands: bool = False,
) -> tuple[list[Found], bool]:  # fmt: skip
    """Decide which bodies there are besides pins that stand as they did, what each is, and where exactly.

    Parameters
    ----------
    view, pair
        The camera with the pins before, and the pictures.
    owner
        (H, W) whose each pixel was, as `vision.finn.looks.seen_pins` gives it.
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
    stands
        Whether all pins are likely to stand, for they have been set up.

    Returns
    -------
    list of Found, bool
        The bodies, and whether something else that may well be one is left over.
    """
    if not free and not gone:
        return [], False
    usual = _usual(view, pair, gone)
    scene = _scene(view, pair, owner, free, stay, gone, disc_was, looks)
    options = [option for one in free for option in _options(one, scene, stands=stands)]
    options += [_fitted(_at_start(xy, view.body), scene) for xy in near]
    options = _numbered([one for one in options if one.fit.score > TUNING.hopeless], scene, usual)
    taken = [(standing(xy, view.body), view.body) for xy in stay]
    fits = [one.fit for one in options]
    picked = chosen(fits, len(gone), taken, scene)
    if sum(one.kind != "disc" for one in picked) < len(gone):
        options += _numbered(_missed(scene, picked, view.contrast), scene, usual)
        fits = [one.fit for one in options]
        picked = chosen(fits, len(gone), taken, scene)
    bodies = [_decided(options[fits.index(fit)], options) for fit in picked]
    pins = [one for one in picked if one.kind != "disc"]
    if len(pins) < len(gone):
        # What was taken for the disc may be the pin that is missed.
        return bodies, _left_over(
            [one for one in options if one.found.kind != "disc"], pins, stay, TUNING.left_missing
        )
    return bodies, _left_over(options, picked, stay, TUNING.left)


def _usual(view: View, pair: Pair, gone: Sequence[Place]) -> float:
    """Say with what chance the heads of pins that are gone showed a number before."""
    if not gone:
        return 0.0
    return float(np.median(read_heads(pair.before, list(gone), view.body, view.camera).written))


def _numbered(options: Sequence["_Option"], scene: Scene, usual: float) -> list["_Option"]:
    """Count what heads of standing pins show: one that lies with its end away from the camera looks else alike."""
    upright = [k for k, one in enumerate(options) if one.found.kind == "upright"]
    if usual < TUNING.numbered or not upright:
        return list(options)
    places = [(options[k].fit.axis.x_cm, options[k].fit.axis.y_cm) for k in upright]
    written = read_heads(scene.log, places, scene.body, scene.camera).written
    counted = list(options)
    for k, seen in zip(upright, written, strict=True):
        worth = TUNING.number * (min(1.0, float(seen) / usual) - 0.5)
        fit = options[k].fit
        counted[k] = replace(options[k], fit=replace(fit, score=fit.score + worth))
    return counted


def _left_over(
    options: Sequence["_Option"], picked: Sequence[Candidate], stay: Sequence[Place], least: float
) -> bool:
    """Say whether a body that the network saw and that fits is none of those that were chosen."""
    known = [(one.axis.x_cm, one.axis.y_cm) for one in picked] + list(stay)
    return any(
        one.found.pixels > TUNING.left_px
        and one.fit.score > least
        and all(np.hypot(one.fit.axis.x_cm - x, one.fit.axis.y_cm - y) > NEAR_CM for x, y in known)
        for one in options
    )


def _missed(scene: Scene, picked: Sequence[Candidate], contrast: int) -> list["_Option"]:
    """Look for a missing pin in what is new and not explained, though the network saw none there."""
    worth = TUNING.worth[0] - contrast * TUNING.worth[1]
    covers = [
        drawn(outline_px(one.axis, scene.sizes(one.kind), scene.camera), scene.hidden.shape) for one in picked
    ]
    rest = replace(scene, hidden=union([scene.hidden, *covers], scene.hidden.shape))
    unseen = np.full(4, TUNING.unseen)
    options = []
    for kind, axis in starts(rest):
        found = Found(kind=kind, axis=axis, chances=unseen, pixels=0.0, share=0.0, spread_px=0.0)
        fit = refined(rest, kind, axis)
        if fit.score > worth:
            options.append(_fitted(replace(found, axis=fit.axis), scene))
    return options


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Option:
    """A body taken for one kind: how it fits, and the body."""

    found: Found
    fit: Candidate


def _options(found: Found, scene: Scene, *, stands: bool) -> list[_Option]:
    axes = dict(found.ways)
    likely = [kind for kind in KINDS[1:] if found.chances[KINDS.index(kind) - 1] > TUNING.tried]
    if scene.discs.any():
        likely.append("disc")
    alike = found.kind == "lying" and _radial(found, scene)
    if stands or alike or found.kind != "lying":
        likely.append("upright")
    options = [_fitted(replace(found, kind=kind, axis=axes[kind]), scene) for kind in dict.fromkeys(likely)]
    less = (TUNING.alike if alike else 0.0) + (TUNING.set_up if stands else 0.0)
    return [
        replace(one, fit=replace(one.fit, score=one.fit.score - less))
        if one.found.kind in ("lying", "leaning")
        else one
        for one in options
    ]


def _radial(found: Found, scene: Scene) -> bool:
    """Say whether a lying pin points away from the camera: one that stands is seen alike."""
    x, y = scene.camera.eye_cm[:2] - (found.axis.x_cm, found.axis.y_cm)
    return bool(abs(np.sin(found.axis.azimuth - np.arctan2(y, x))) < TUNING.radial)


def _at_start(xy: Place, body: Body) -> Found:
    chances = np.array([0.25, 0.25, 0.25, 0.25])
    return Found(
        kind="upright", axis=standing(xy, body), chances=chances, ways=(), pixels=0.0, share=1.0, spread_px=0.0
    )


def _fitted(found: Found, scene: Scene) -> _Option:
    """Move a body to where most speaks for it; its score is what the picture and the network say together."""
    fit = refined(scene, found.kind, found.axis)
    if found.kind == "lying":
        fit = turned_best(scene, fit)
    elif found.kind == "upright":
        fit = looked(scene, fit)
    chance = float(found.chances[KINDS.index(found.kind) - 1])
    odds = TUNING.net * (np.log(chance + TUNING.floor) - np.log(0.25))
    odds -= TUNING.rare if found.kind == "leaning" else 0.0
    return _Option(found=found, fit=replace(fit, score=fit.score + float(odds)))


def _decided(option: _Option, options: Sequence[_Option]) -> Found:
    """Give the body with the chances of its kinds, by how much better one fits than another."""
    best = np.full(4, -np.inf)
    for other in options:
        if other is option or (other.found.pixels and other.found.ways is option.found.ways):
            place = KINDS.index(other.found.kind) - 1
            best[place] = max(best[place], other.fit.score)
    odds = np.exp(TUNING.apart * (best - best.max()))
    return replace(
        option.found,
        axis=option.fit.axis,
        chances=np.asarray(odds / odds.sum()),
        score=option.fit.score,
    )


NEAR_CM: Final = 3.0
"""Bodies whose middles are so near would be the same thing."""


def _scene(  # noqa: PLR0917
    view: View, pair: Pair, owner: Owner, free: Sequence[Found], stay: Sequence[Place], gone: Sequence[Place],
    disc_was: Axis | None, looks: Sequence[Look],
) -> Scene:  # fmt: skip
    rows, columns = _part(view, free, gone, pair.change.shape)
    camera = _cut(view.camera, columns.start, rows.start)
    part = Pair(
        before=pair.before[rows, columns],
        after=pair.after[rows, columns],
        picture=pair.picture[rows, columns],
        change=pair.change[rows, columns],
        noise=pair.noise,
        shift_px=pair.shift_px,
    )
    mine, body, shape = owner[rows, columns], view.body, part.change.shape
    places = list(view.places.values())
    pins = (mine >= 0).astype(np.uint8)
    wide = Body(radius_cm=TUNING.around * body.radius_cm, height_cm=1.02 * body.height_cm)
    around = union([drawn(outline_px(standing(xy, wide), wide, camera), shape) for xy in places], shape)
    disc = np.zeros(shape, np.uint8)
    if disc_was is not None:
        disc = drawn(outline_px(disc_was, view.disc, camera), shape)
        around = np.maximum(around, cv2.dilate(disc, np.ones((5, 5), np.uint8)))
    corners = np.array([[0, 0, 0], [BOARD_CM[0], 0, 0], [*BOARD_CM, 0], [0, BOARD_CM[1], 0]], np.float64)
    fresh = cv2.dilate((part.change > TUNING.changed).astype(np.uint8), np.ones((3, 3), np.uint8))
    grown = Body(radius_cm=1.05 * body.radius_cm, height_cm=body.height_cm)
    hidden = union([drawn(outline_px(standing(xy, body), grown, camera), shape) for xy in stay], shape)
    written = [ink(part.before, xy, body, camera) for xy in places]
    return Scene(
        weights=evidence(part, pins, around, drawn(camera.to_px(corners), shape), view.contrast),
        hidden=hidden,
        discs=disc_odds(part, disc, pins),
        heads=_heads(part, places, mine, camera, body),
        edges=edges_of(part.picture) * fresh[..., None],
        log=part.after,
        looks=tuple(look for look in looks if len(look.colours) >= TUNING.least_look),
        ink=float(np.percentile([value for value in written if value is not None] or [0.0], 30)),
        camera=camera,
        body=body,
        disc=view.disc,
    )


def _part(view: View, free: Sequence[Found], gone: Sequence[Place], shape: tuple[int, ...]) -> tuple[slice, slice]:
    """Give the part of the picture in which something happened."""
    outlines = [outline_px(one.axis, view.disc if one.kind == "disc" else view.body, view.camera) for one in free]
    outlines += [outline_px(standing(xy, view.body), view.body, view.camera) for xy in gone]
    points = np.clip(np.concatenate(outlines), 0, (shape[1], shape[0]))
    low, high = (
        points.min(axis=0).astype(int) - TUNING.margin_px,
        points.max(axis=0).astype(int) + TUNING.margin_px,
    )
    return slice(max(0, int(low[1])), int(high[1])), slice(max(0, int(low[0])), int(high[0]))


def _cut(camera: Camera, x_px: int, y_px: int) -> Camera:
    lens = replace(camera.lens, cx_px=camera.lens.cx_px - x_px, cy_px=camera.lens.cy_px - y_px)
    return replace(camera, lens=lens)


def _heads(part: Pair, places: Sequence[Place], owner: Owner, camera: Camera, body: Body) -> Floats:
    """Give (H, W) -1 to 1: the colours of sides of pins, those of their heads; 0 where they have the same."""
    cap = Body(radius_cm=0.8 * body.radius_cm, height_cm=0.2 * body.height_cm)
    foot = Body(radius_cm=body.radius_cm, height_cm=0.55 * body.height_cm)
    shape = owner.shape
    high = [Axis(x_cm=x, y_cm=y, z_cm=0.9 * body.height_cm) for x, y in places]
    tops = union([drawn(outline_px(axis, cap, camera), shape) for axis in high], shape)
    feet = union([drawn(outline_px(standing(xy, foot), foot, camera), shape) for xy in places], shape)
    top = tops > 0
    side = (owner >= 0) & (feet > 0) & (cv2.dilate(tops, np.ones((5, 5), np.uint8)) == 0)
    nothing = np.zeros(shape, np.float32)
    if side.sum() < 200 or top.sum() < 200:
        return nothing
    own = colour_odds(part.before, part.before[top], part.before[side])
    if min(float(own[top].mean()), float(-own[side].mean())) < TUNING.own_head:
        return nothing
    return colour_odds(part.after, part.before[top], part.before[side])
