"""Numbers on the heads of standing pins, read from the picture alone.

A head is cut out as it lies before the thrower (the far end of the board is up) and read by a small network,
which says which number it shows and how that is turned. A 6 without a mark is a 9 that is turned over, so the
network gives both; how the other pins of the same picture are turned decides, where it can.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.finn.camera import Camera
from vision.finn.identity import TUNING as MOTION
from vision.finn.light import grey_of
from vision.finn.pins import Body
from vision.finn.state import Place
from vision.models import network

Floats = NDArray[np.float32]
Array = NDArray[np.float64]

SIDE: Final = 40
"""Side of a crop, px."""

HALF: Final = 1.5
"""Half its side, in radii of a pin."""

CLOSE: Final = 0.7
"""Heads are cut out so much narrower than that: printed numbers fill less of a head than drawn ones. At 0.5 89 %
of the numbers of 24 shots of the twin were read, at 0.7 all, at 1 98 %."""

TURNS: Final = 12
"""Ways a number may be turned that the network tells apart."""

COUNT: Final = 12
CLASSES: Final = COUNT * TURNS + 1
"""Numbers times turns, and no number last."""


def normal(crops: Floats) -> Floats:
    """Give (N, 1, SIDE, SIDE) of mean 0 and spread 1 within the head, from (N, SIDE, SIDE) logarithms."""
    inner = _inner()
    values = crops[:, inner]
    mean, spread = values.mean(axis=1), values.std(axis=1)
    out = (crops - mean[:, None, None]) / np.maximum(spread, 0.03)[:, None, None]
    return np.asarray(np.clip(out, -4, 4)[:, None], np.float32)


@cache
def _inner() -> NDArray[np.bool_]:
    across = (np.arange(SIDE) - (SIDE - 1) / 2) * (2 * HALF / SIDE)
    return np.asarray(np.hypot(across[None], across[:, None]) <= 0.85)


CUTS: Final = ((0.0, 0.0), (0.45, 0.0), (0.8, 0.0), (0.7, 90.0), (0.7, -90.0), (0.7, 180.0))
"""Heads as they may be cut: how steep, rise over run, and where the low side looks, degrees clockwise from the
thrower. The middle of a head lies so many radii below the top of the pin as it is steep."""

USUAL: Final = 3
"""The first of these are tried always, the others where those show no number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberTuning:
    """How far the network is believed.

    Attributes
    ----------
    trust
        Power of its chances: it has learnt from drawings, and what blurs one head blurs all. (`assigned` has a
        power of its own, for pins that push each other; that is taken back.)
    floor
        Chance of any number whatever the network says, so that one head that is misread cannot decide.
    blank
        With more chance of no number a head is cut in other ways too.
    unlikely
        Cuts of less chance are not looked at.
    habit
        So many pins that are turned anyhow are thought of besides those that are seen, before a common way to turn
        them is believed.
    spread
        Shares of pins that are turned as the others, to the turn itself and to the turns beside it.
    """

    trust: float = 0.9
    floor: float = 0.002
    blank: float = 0.4
    unlikely: float = 0.02
    habit: float = 1.0
    spread: tuple[float, float] = (0.56, 0.22)


TUNING: Final = NumberTuning()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Heads:
    """What heads show.

    Attributes
    ----------
    chances
        (N, COUNT, TURNS): of each number, turned so far clockwise from the way the thrower reads it.
    nothing
        (N,): that no number is seen.
    """

    chances: Array
    nothing: Array

    @property
    def written(self) -> Array:
        """Chance, (N,), that there is a number at all."""
        return 1 - self.nothing


def read_heads(
    log: Floats, places: Sequence[Place], body: Body, camera: Camera, slopes: Array | None = None,
    *, quick: bool = False,
) -> Heads:  # fmt: skip
    """Read the heads of pins that stand at `places`, cm, in a picture, (H, W, 3) logarithms.

    `slopes`, from `slopes_of`, says how heads of this game are cut; without it that follows from these heads.
    `quick` looks at each once, to see whether there is a number at all, else at four quarter turns.
    """
    if not places:
        return Heads(chances=np.zeros((0, COUNT, TURNS)), nothing=np.zeros(0))
    quarters = 1 if quick else 4
    likely = np.ones(USUAL, bool) if slopes is None else slopes > TUNING.unlikely
    usual = _as_cut(log, places, body, camera, [CUTS[k] for k in np.flatnonzero(likely)], quarters)
    if slopes is None and not quick:
        slopes = _plain(usual)
    if slopes is None:
        chances = _plainest(usual)
    else:
        chances = np.tensordot(slopes[likely] / slopes[likely].sum(), usual, axes=1)
    blank = [int(k) for k in np.flatnonzero(chances[:, -1] > TUNING.blank)]
    if blank and likely[1:].any():  # bevelled heads may look elsewhere
        rest = [how for k, how in enumerate(CUTS) if k >= USUAL or not likely[k]]
        others = _as_cut(log, [places[k] for k in blank], body, camera, rest, quarters)
        others = _plainest(np.concatenate([usual[:, blank], others]))
        better = others[:, -1] < chances[blank, -1]
        chances[np.array(blank)[better]] = others[better]
    return Heads(chances=chances[:, :-1].reshape(-1, COUNT, TURNS), nothing=chances[:, -1])


def slopes_of(log: Floats, places: Sequence[Place], body: Body, camera: Camera) -> tuple[Array, float]:
    """Say how heads of pins that stand at `places`, cm, are cut: (USUAL,) chances; and that they show a number."""
    usual = _as_cut(log, places, body, camera, CUTS[:USUAL], 1)
    slopes = _plain(usual)
    return slopes, float(np.median(1 - np.tensordot(slopes, usual, axes=1)[:, -1]))


def _plain(usual: Array) -> Array:
    """Give the chances of cuts, from (USUAL, N, CLASSES).

    All pins of a game have the same slope: the cut in which most of their numbers are plain is every head's.
    """
    plain = np.log(usual[..., :-1].max(axis=2) + TUNING.floor).sum(axis=1)
    shares = np.exp(plain - plain.max())
    return np.asarray(shares / shares.sum())


def _as_cut(  # noqa: PLR0917
    log: Floats,
    places: Sequence[Place],
    body: Body,
    camera: Camera,
    cuts: Sequence[tuple[float, float]],
    quarters: int,
) -> Array:
    """Read heads cut in several ways: (cuts, N, CLASSES)."""
    crops = normal(cut(log, places, body, camera, cuts))
    return chances_of(crops, quarters).reshape(len(cuts), len(places), CLASSES)


def _plainest(chances: Array) -> Array:
    """Choose of (cuts, N, CLASSES) for each head the cut that shows a number most: (N, CLASSES)."""
    return np.asarray(chances[chances[..., -1].argmin(axis=0), np.arange(chances.shape[1])])


def read_crops(crops: Floats) -> Heads:
    """Read heads that somebody else has cut, (N, SIDE, SIDE) logarithms."""
    said = chances_of(normal(crops))
    return Heads(chances=said[:, :-1].reshape(-1, COUNT, TURNS), nothing=said[:, -1])


def cut(
    log: Floats, places: Sequence[Place], body: Body, camera: Camera, cuts: Sequence[tuple[float, float]]
) -> Floats:
    """Cut heads out of a picture as they lie before the thrower.

    Parameters
    ----------
    log
        (H, W, 3) logarithms.
    places
        N pins, cm.
    body, camera
        Sizes and view.
    cuts
        C of `CUTS`.

    Returns
    -------
    NDArray
        (C * N, SIDE, SIDE) mean logarithms, one cut after another. Where the view is oblique a level circle
        shows as half as flat (by its logarithm) as in the picture: a bevelled head that faces the camera as half
        as high.
    """
    steep, low = np.array([how[0] for how in cuts]), np.radians([how[1] for how in cuts])
    middles = np.empty((len(cuts), len(places), 3))
    middles[..., :2] = places
    middles[..., 2] = (body.height_cm - steep * body.radius_cm)[:, None]
    # The low side looks toward the thrower, -x; a quarter turn clockwise, as seen from above, toward +y.
    ahead, right = np.zeros_like(middles), np.zeros_like(middles)
    ahead[..., 0], ahead[..., 2] = 1.0, (steep * np.cos(low))[:, None]
    right[..., 1], right[..., 2] = -1.0, (steep * np.sin(low))[:, None]
    return faces(log, middles.reshape(-1, 3), right.reshape(-1, 3), ahead.reshape(-1, 3), body.radius_cm, camera)


def faces(  # noqa: PLR0917 - a picture, and where in it each face lies how
    log: Floats, middles: Array, right: Array, ahead: Array, radius_cm: float, camera: Camera
) -> Floats:
    """Cut faces out of a picture, (H, W, 3), as if from straight before them.

    Parameters
    ----------
    log
        (H, W, 3) logarithms.
    middles
        (N, 3) cm.
    right, ahead
        (3,) or (N, 3): what is to the right and up, within each face.
    radius_cm
        Of each.
    camera
        The view.

    Returns
    -------
    NDArray
        (N, SIDE, SIDE); see `cut`.
    """
    across, up = (
        CLOSE * (camera.to_px(middles + way / 2) - camera.to_px(middles - way / 2)) for way in (right, ahead)
    )
    flat = np.stack([across, -up], axis=2) * radius_cm
    u, sizes, v = np.linalg.svd(flat)
    sizes[:, 1] = np.sqrt(sizes[:, 0] * sizes[:, 1])
    shapes = u * sizes[:, None] @ v
    steps = (np.arange(SIDE) - (SIDE - 1) / 2) * (2 * HALF / SIDE)
    # What is across and what is down apart: columns of a face, then its rows.
    columns, rows = shapes[..., 0, None] * steps, shapes[..., 1, None] * steps + camera.to_px(middles)[..., None]
    x, y = ((columns[:, k, None] + rows[:, k, :, None]).astype(np.float32).reshape(-1, SIDE) for k in (0, 1))
    seen = cv2.remap(log, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return grey_of(np.asarray(seen, np.float32)).reshape(-1, SIDE, SIDE)


def chances_of(crops: Floats, quarters: int = 4) -> Array:
    """Read normal crops (N, 1, SIDE, SIDE), each at so many quarter turns: (N, CLASSES)."""
    total = np.zeros((len(crops), CLASSES))
    for quarter in range(quarters):
        turned = np.ascontiguousarray(np.rot90(crops, quarter, axes=(2, 3)))
        said = network("pin-numbers").run(None, {"seen": turned})[0].astype(np.float64)
        said -= np.log(np.exp(said - said.max(axis=1, keepdims=True)).sum(axis=1, keepdims=True)) + said.max(
            axis=1, keepdims=True
        )
        upright = said[:, :-1].reshape(-1, COUNT, TURNS)
        # Turned left by a quarter, a number is turned right by a quarter less than it was.
        total[:, :-1] += np.roll(upright, quarter * TURNS // 4, axis=2).reshape(len(crops), -1) / quarters
        total[:, -1] += said[:, -1] / quarters
    chances = np.exp(total - total.max(axis=1, keepdims=True))
    return np.asarray(chances / chances.sum(axis=1, keepdims=True))


def habit(heads: Heads) -> Array:
    """Say how pins of this picture are turned, (TURNS,) chances: one way in common as far as that is seen.

    A mixture of each common way and of no way at all is fitted to what the heads show (EM); a number that reads
    two ways counts for both.
    """
    ways = np.stack([around(turn) for turn in range(TURNS)] + [np.full(TURNS, 1 / TURNS)])
    shares = np.full(TURNS + 1, 1 / (TURNS + 1))
    shown = heads.chances.sum(axis=1)
    for _ in range(30):
        fits = shown @ ways.T * shares
        fits /= np.maximum(fits.sum(axis=1, keepdims=True), 1e-12)
        counts = (fits * heads.written[:, None]).sum(axis=0)
        counts[-1] += TUNING.habit
        shares = counts / counts.sum()
    return np.asarray(shares @ ways)


def around(turn: int) -> Array:
    """Give chances, (TURNS,), of pins that are turned so and about so."""
    way = np.zeros(TURNS)
    way[turn] = TUNING.spread[0]
    way[[turn - 1, (turn + 1) % TURNS]] = TUNING.spread[1]
    return way


def name_costs(heads: Heads, turned: Array) -> Array:
    """Give (COUNT, N) costs, minus logarithms of the odds, of each number for each head; `turned` from `habit`."""
    likely = (heads.chances * turned * TURNS).sum(axis=2) + heads.nothing[:, None] / COUNT
    likely /= likely.sum(axis=1, keepdims=True)
    return np.asarray(-TUNING.trust / MOTION.trust * np.log(COUNT * (likely.T + TUNING.floor)))
