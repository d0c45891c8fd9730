"""Darts painted straight onto boards in their own coordinates: no engine, a millisecond or two each.

Beside the rendered pictures, which show few darts for their price, these show any dart on any of their boards:
bodies, colours, prints, shadows and lean over a wider range than is ever seen, projected as the camera would.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.darts.canvas import Canvas, Picture

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

SHIFT = 4  # cv2 draws with 1/16 px
BOARD_MM = 222.0  # no tip lands farther out
SUNK = 0.35  # share of bodies whose points stand in the board nearly to the barrel
CLEAR = 0.2  # share of bodies whose flights one sees through
STUCK = 0.25  # share of darts that were stuck in by hand, or hang: leaning to any side
STEEPEST = 0.8  # a dart's own height never is more than this share of the camera's


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """A dart: lengths and radii in mm from where it enters the board, colours BGR 0…255.

    `nose` is how wide the barrel begins, as a share of its radius; `opaque` how little shows through the flights.
    """

    needle: float
    barrel: float
    shaft: float
    flight: float
    barrel_r: float
    nose: float
    shaft_r: float
    half_w: float
    outline: Array
    colours: tuple[Array, Array, Array, Array]  # needle, barrel, shaft, flight
    mark: Array
    print_kind: int
    bands: int
    opaque: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Painted:
    """A dart in the board: its body, where and how it stands, the eye it is seen from."""

    body: Body
    tip_mm: Array
    axis: Array
    spin: float
    eye_mm: Array

    def at(self, mm: float | Array) -> Array:
        """Give (N, 3) points of the axis, `mm` from the board."""
        tip = np.array([*self.tip_mm, 0.0])
        return np.asarray(tip + np.reshape(mm, (-1, 1)) * self.axis)

    def seen(self, points: Array) -> Array:
        """Project (N, 3) points onto the board from the eye: (N, 2) mm."""
        height = np.minimum(points[:, 2:], STEEPEST * self.eye_mm[2])
        eye = self.eye_mm[:2]
        return np.asarray(eye + (points[:, :2] - eye) * self.eye_mm[2] / (self.eye_mm[2] - height))

    def tube(self, along: Array, radii: Array, side: float = 0.0, share: float = 1.0) -> Array:
        """Outline (2N, 2) mm of a body of revolution as it is seen; a strip of it with `share` and `side`."""
        middle = self.at(along)
        view = self.eye_mm - middle
        across = cross(self.axis, view)
        across /= np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-9)
        reach = across * radii[:, None]
        left, right = middle + reach * (side + share), middle + reach * (side - share)
        return self.seen(np.concatenate([left, right[::-1]]))


def cross(a: Array, b: Array) -> Array:
    """Give the cross product over the last axis, (…, 3): numpy's own takes six times as long for a few vectors."""
    (ax, ay, az), (bx, by, bz) = np.moveaxis(np.asarray(a), -1, 0), np.moveaxis(np.asarray(b), -1, 0)
    return np.stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx], axis=-1)


_OUTLINES = (
    ((0, 0.08), (0.28, 1.0), (0.85, 1.0), (1.0, 0.8), (1.0, 0.0)),
    ((0, 0.08), (0.2, 0.9), (0.75, 1.0), (1.0, 0.75), (0.93, 0.0)),
    ((0, 0.08), (0.3, 0.62), (0.9, 0.66), (1.0, 0.4), (1.0, 0.0)),
    ((0, 0.08), (0.45, 1.0), (0.75, 0.9), (1.0, 0.1), (1.0, 0.0)),
    ((0, 0.08), (0.3, 0.55), (0.6, 0.95), (0.85, 0.95), (1.0, 0.5), (1.0, 0.0)),
)


def body(rng: np.random.Generator) -> Body:
    """Draw a dart's body: one colour, black, metal and plastic, or all at random."""
    kind = rng.random()
    tone = _colour(rng)
    if kind < 0.22:
        colours = [np.full(3, rng.uniform(4, 45)) for _ in range(4)]
    elif kind < 0.42:
        colours = [tone * rng.uniform(0.7, 1.1) for _ in range(4)]
    else:
        grey = rng.uniform(40, 210)
        colours = [np.full(3, grey), np.full(3, grey) * rng.uniform(0.5, 1.1), _colour(rng), _colour(rng)]
        if rng.random() < 0.25:
            colours[1] = np.array([60.0, 130, 170]) * rng.uniform(0.5, 1.2)  # brass
    if rng.random() < 0.6:
        colours[0] = np.full(3, rng.uniform(40, 210))  # a steel point
    return Body(
        needle=float(rng.uniform(0.3, 10) if rng.random() < SUNK else rng.uniform(8, 36)),
        barrel=float(rng.uniform(32, 58)), shaft=float(rng.uniform(16, 55)),
        flight=float(rng.uniform(26, 52)), barrel_r=float(rng.uniform(2.4, 4.5)),
        nose=float(rng.uniform(0.35, 1.0)), shaft_r=float(rng.uniform(1.2, 3.3)),
        half_w=float(rng.uniform(12, 25)),
        outline=np.array(_OUTLINES[int(rng.integers(len(_OUTLINES)))]),
        colours=(colours[0], colours[1], colours[2], colours[3]), mark=_colour(rng),
        print_kind=int(rng.integers(0, 5)), bands=int(rng.integers(0, 7)),
        opaque=float(rng.uniform(0.08, 0.6)) if rng.random() < CLEAR else 1.0,
    )  # fmt: skip


def _colour(rng: np.random.Generator) -> Array:
    if rng.random() < 0.25:
        return np.full(3, rng.uniform(5, 250))
    hue = np.array([[[rng.integers(0, 180), rng.integers(90, 256), rng.integers(60, 256)]]], np.uint8)
    return np.asarray(cv2.cvtColor(hue, cv2.COLOR_HSV2BGR)[0, 0], np.float64)


def stand(own: Body, tip_mm: Array, eye_mm: Array, rng: np.random.Generator) -> Painted:
    """Let a dart stand at a point, leaning as darts do."""
    axis = np.array([*_lean(rng), 1.0])
    return Painted(
        body=own,
        tip_mm=tip_mm,
        axis=axis / np.linalg.norm(axis),
        spin=float(rng.uniform(0, np.pi / 2)),
        eye_mm=eye_mm,
    )


def _lean(rng: np.random.Generator) -> Array:
    """Draw (2,) tangents against the board's normal, right and up: flights mostly a little above the points."""
    if rng.random() < STUCK:
        angle, far = rng.uniform(0, 2 * np.pi), rng.uniform(0, 0.5)
        return np.array([far * np.sin(angle), far * np.cos(angle)])
    wild = rng.random() < 0.25
    return np.array([rng.normal(0, 0.25 if wild else 0.1), rng.normal(0.08, 0.3 if wild else 0.13)])


def paint(picture: Picture, mask: Picture, darts: list[Painted], canvas: Canvas, rng: np.random.Generator) -> None:
    """Paint shadows, then darts, into a picture (H, W, 3) and where they are into a mask (H, W), in place."""
    _shade(picture, darts, canvas, rng)
    soft = float(rng.choice((0.0, 0.6, 1.0, 1.6))) * float(rng.uniform(0.7, 1.3))
    light = float(np.exp(rng.normal(-0.15, 0.35)))
    # Farther from the eye first.
    for dart in sorted(darts, key=lambda d: -float(np.linalg.norm(d.at(80.0)[0] - d.eye_mm))):
        _paint_one(picture, mask, dart, canvas, soft, light, rng)


def _paint_one(  # noqa: PLR0917 - one call, each name beside its value
    picture: Picture,
    mask: Picture,
    dart: Painted,
    canvas: Canvas,
    soft: float,
    light: float,
    rng: np.random.Generator,
) -> None:
    own = dart.body
    ends = np.cumsum([0.0, own.needle, own.barrel, own.shaft])
    far, near = _fins(dart, float(ends[3]), rng)
    tubes = _tubes(dart, ends, rng)
    everything = np.concatenate([canvas.to_px(outline) for outline, _ in (*far, *tubes, *near)])
    x0, y0 = np.clip(np.floor(everything.min(axis=0)).astype(int) - 6, 0, canvas.size - 1)
    x1, y1 = np.clip(np.ceil(everything.max(axis=0)).astype(int) + 7, 1, canvas.size)
    if x1 <= x0 or y1 <= y0:
        return
    shape = (int(y1 - y0), int(x1 - x0))
    art = picture[y0:y1, x0:x1].copy()
    alpha = np.zeros(shape, np.uint8)
    for layers, opaque in ((far, own.opaque), (tubes, 1.0), (near, own.opaque)):
        through = art.copy() if opaque < 1 else None
        for outline, colour in layers:
            points = np.round((canvas.to_px(outline) - (x0, y0)) * 2**SHIFT).astype(np.int32)
            tone = tuple(float(v) for v in np.clip(colour * light, 0, 255))
            cv2.fillPoly(art, [points], tone, cv2.LINE_AA, SHIFT)
            cv2.fillPoly(alpha, [points], 255.0, cv2.LINE_AA, SHIFT)
            if through is not None:  # the rim of clear plastic catches light
                cv2.polylines(through, [points], True, tone, 1, cv2.LINE_AA, SHIFT)
        if through is not None:
            art = np.asarray(cv2.addWeighted(art, opaque, through, 1 - opaque, 0), np.uint8)
    if soft > 0.3:
        art = np.asarray(cv2.GaussianBlur(art, (0, 0), soft), np.uint8)
        alpha = np.asarray(cv2.GaussianBlur(alpha, (0, 0), soft), np.uint8)
        wide = cv2.dilate(alpha, np.ones((3, 3), np.uint8))
        share = np.minimum(wide.astype(np.float32) / 255 * 1.5, 1)[..., None]
        under = picture[y0:y1, x0:x1].astype(np.float32)
        art = np.asarray(under + (art - under) * share, np.uint8)
    picture[y0:y1, x0:x1] = art
    np.maximum(mask[y0:y1, x0:x1], alpha, out=mask[y0:y1, x0:x1])


Layer = tuple[Array, Array]


def _tubes(dart: Painted, ends: Array, rng: np.random.Generator) -> list[Layer]:
    own = dart.body
    layers: list[Layer] = []
    point = np.array([0.0, min(4.0, 0.5 * ends[1]), ends[1]]), np.array([0.6, 1.0, 1.2])
    belly = np.array([own.nose, 1.0, 1.0, 0.8]) * own.barrel_r
    barrel = np.linspace(ends[1], ends[2], 4), belly
    shaft = np.array([ends[2], ends[3] + own.flight * 0.8]), np.array([own.shaft_r, own.shaft_r * 0.7])
    side = float(rng.choice((-1, 1)))
    shine = float(rng.uniform(0.9, 1.7))
    for (along, radii), colour in zip((point, barrel, shaft), own.colours, strict=False):
        layers += [
            (dart.tube(along, radii), colour * rng.uniform(0.45, 0.9)),
            (dart.tube(along, radii, side * 0.2, 0.6), colour),
            (dart.tube(along, radii, side * 0.35, 0.25), colour * shine + 12 * (shine - 0.9)),
        ]
    for where in np.linspace(ends[1] + 4, ends[2] - 4, own.bands):
        thick = rng.uniform(0.6, 2.5)
        ring = np.array([where - thick, where + thick]), np.full(2, own.barrel_r)
        layers.append((dart.tube(*ring), own.colours[1] * rng.uniform(0.2, 1.4)))
    return layers


def _fins(dart: Painted, base: float, rng: np.random.Generator) -> tuple[list[Layer], list[Layer]]:
    """Give the fins behind and before the shaft."""
    own = dart.body
    away = np.array([1.0, 0, 0]) - dart.axis * dart.axis[0]
    away /= np.linalg.norm(away)
    other = cross(dart.axis, away)
    fins = []
    for k in range(4):
        turn = dart.spin + k * np.pi / 2
        way = np.cos(turn) * away + np.sin(turn) * other
        along = base - own.flight * 0.1 + own.outline[:, 0] * own.flight * 1.1
        rim = dart.at(along) + own.outline[:, 1:] * own.half_w * way
        spine = dart.at(np.array([along[-1], along[0]]))
        fins.append((float(np.linalg.norm(rim.mean(axis=0) - dart.eye_mm)), rim, spine))
    both: tuple[list[Layer], list[Layer]] = ([], [])
    for place, (_, rim, spine) in enumerate(sorted(fins, key=lambda fin: -fin[0])):
        layers = both[place // 2]
        tone = own.colours[3] * rng.uniform(0.55, 1.15)
        layers.append((dart.seen(np.concatenate([rim, spine])), tone))
        mark = own.mark * rng.uniform(0.6, 1.1)
        middle = spine.mean(axis=0)
        if own.print_kind == 1:
            layers.append((dart.seen(np.concatenate([rim[: len(rim) // 2 + 1], spine[1:]])), mark))
        if own.print_kind in {2, 3}:
            for share in (0.75, 0.4)[: own.print_kind - 1]:
                centre = rim.mean(axis=0) * 0.6 + middle * 0.4
                ring = np.concatenate([rim, spine])
                layers.append((dart.seen(centre + (ring - centre) * share), mark if share > 0.5 else tone))
        if own.print_kind == 4:
            a, b = rim[1], spine[0]
            width = (rim[-1] - rim[0]) * 0.12
            layers.append((dart.seen(np.array([a, a + width, b + width, b])), mark))
    return both


def _shade(picture: Picture, darts: list[Painted], canvas: Canvas, rng: np.random.Generator) -> None:
    """Darken the board where darts keep one to three lamps off it."""
    lamps = int(rng.choice((0, 1, 2, 3), p=(0.15, 0.45, 0.25, 0.15)))
    darkest = 0.85 if lamps == 1 else 0.6  # one bare lamp is the hardest
    for _ in range(lamps):
        lamp = np.array([rng.normal(0, 400), rng.normal(200, 400), rng.uniform(350, 1500)])
        near, far = np.zeros((2, canvas.size, canvas.size), np.uint8)
        for dart in darts:
            lit = Painted(body=dart.body, tip_mm=dart.tip_mm, axis=dart.axis, spin=dart.spin, eye_mm=lamp)
            ends = np.cumsum([0.0, dart.body.needle, dart.body.barrel, dart.body.shaft])
            point, barrel, shaft = _tubes(lit, ends, rng)[:9:3]
            flights = _fins(lit, float(ends[3]), rng)[0] if dart.body.opaque > 0.3 else []
            for dark, layers in ((near, [point, barrel]), (far, [shaft, *flights])):
                for outline, _ in layers:
                    points = np.round(canvas.to_px(outline) * 2**SHIFT).astype(np.int32)
                    cv2.fillPoly(dark, [points], 255.0, cv2.LINE_AA, SHIFT)
        # A lamp's width blurs the more the higher what it shines on.
        soft = float(np.exp(rng.uniform(np.log(0.4), np.log(5.0))))
        dark = np.maximum(_soft(near, soft * float(rng.uniform(0.3, 1.0))), _soft(far, soft))
        keep = cv2.convertScaleAbs(dark, alpha=-float(rng.uniform(0.15, darkest)), beta=255)
        # convertScaleAbs takes absolute values; the sum never falls below 38.
        cv2.multiply(picture, cv2.merge([keep] * 3), dst=picture, scale=1 / 255)


def pit(picture: Picture, mask: Picture, tips_mm: Array, canvas: Canvas, rng: np.random.Generator) -> None:
    """Scar a board (H, W, 3), in place, as darts do that were pulled out; not where darts are (mask (H, W)).

    Holes, some torn long, all over it and about the tips (N, 2) mm: a point ends in one, and beside many.
    """
    count = int(np.exp(rng.uniform(np.log(4), np.log(120))))
    spots = rng.normal(0, 90, (count, 2))
    if len(tips_mm):
        near = rng.random(count) < 0.25
        spots[near] = tips_mm[rng.integers(0, len(tips_mm), near.sum())] + rng.normal(0, 16, (int(near.sum()), 2))
    usual, torn = float(rng.uniform(0.5, 1.6)), float(rng.uniform(0, 0.25))
    dark = np.zeros(mask.shape, np.uint8)
    for x, y in canvas.to_px(spots):
        wide, long = usual * rng.uniform(0.6, 1.5, 2) / canvas.mm_per_px
        turn = float(rng.uniform(0, 180))
        if rng.random() < torn:
            wide, long = 1.3 * wide, long * rng.uniform(2, 6)
        at = (round(x * 2**SHIFT), round(y * 2**SHIFT))
        axes = (round(long * 2**SHIFT), round(wide * 2**SHIFT))
        cv2.ellipse(dark, at, axes, turn, 0, 360, float(rng.uniform(120, 255)), cv2.FILLED, cv2.LINE_AA, SHIFT)
    dark = np.asarray(cv2.GaussianBlur(dark, (0, 0), float(rng.uniform(0.4, 1.0))), np.uint8)
    cv2.multiply(dark, 255 - cv2.dilate(mask, np.ones((3, 3), np.uint8)), dst=dark, scale=1 / 255)
    keep = cv2.convertScaleAbs(dark, alpha=-float(rng.uniform(0.3, 0.85)), beta=255)
    cv2.multiply(picture, cv2.merge([keep] * 3), dst=picture, scale=1 / 255)


def _soft(dark: Picture, sigma: float) -> Picture:
    small = cv2.resize(dark, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    small = cv2.GaussianBlur(small, (0, 0), sigma)
    return np.asarray(cv2.resize(small, (dark.shape[1], dark.shape[0])), np.uint8)


def tips(count: int, taken_mm: Array, rng: np.random.Generator) -> Array:
    """Draw (N, 2) places for darts, some beside one another or beside those that stand there."""
    found: list[Array] = []
    for _ in range(count):
        others = [*np.reshape(taken_mm, (-1, 2)), *found]
        if others and rng.random() < 0.3:
            at = others[int(rng.integers(len(others)))] + rng.normal(0, 12, 2)
        else:
            angle, radius = rng.uniform(0, 2 * np.pi), BOARD_MM * np.sqrt(rng.random())
            at = np.array([np.sin(angle), np.cos(angle)]) * radius
        if np.hypot(*at) < BOARD_MM and all(np.linalg.norm(at - other) > 4.5 for other in others):
            found.append(at)
    return np.reshape(found, (-1, 2))
