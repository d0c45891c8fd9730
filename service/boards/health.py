"""Whether a picture of a board is good enough to play by: light, glare, focus, size, view, fit; and what to do.

Each is one number with its unit, held to what was measured on the bundled pictures and on pictures made worse.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.darts.board import REGULATION, on_board
from vision.darts.find import board_from_setup
from vision.failure import Failure
from vision.geometry import PlaneMap
from vision.setup import Game, Setup

Picture = NDArray[np.uint8]
Level = Literal["good", "fair", "bad"]


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthLimits:
    """Where each stops being good, and where it is bad.

    Attributes
    ----------
    dark, bright
        Mean level of the board: fair, bad. Boards in lamp light have 60 to 150.
    glare
        Share of the board that is burnt out (from level 250): fair, bad. In play 0 to 0.01.
    blurred
        Crete's blur effect, 0 to 1: fair, bad. Bundled pictures have 0.2 to 0.4, recordings 0.46 to 0.55; blurred
        by 3 px the pictures have 0.52 to 0.78.
    px_per_cm
        Pixels of a centimetre where the board is smallest: fair, bad. A dart's wire takes 1 px from 6 on; a pin's
        number is read from 20 px across its head of 3 cm on; a ball of 2.5 cm is told from 12 px on.
    slant
        The smallest scale as a share of the largest: fair, bad.
    fit_mm
        How far lines lie beside the board's own: fair, bad. A tip is 2 mm thick; boards fit to 0.3 to 0.7 mm.
    fps
        Pictures a second: fair, bad. A dart settles within a tenth of a second, a disc crosses the board in one.
    """

    dark: tuple[float, float] = (50, 30)
    bright: tuple[float, float] = (200, 225)
    glare: tuple[float, float] = (0.01, 0.05)
    blurred: tuple[float, float] = (0.58, 0.66)
    px_per_cm: tuple[tuple[str, tuple[float, float]], ...] = (
        ("cricket", (10, 6)),
        ("finn", (6.5, 5)),
        ("astrolabe", (5.5, 4.5)),
    )
    slant: tuple[float, float] = (0.35, 0.2)
    fit_mm: tuple[float, float] = (1.0, 3.0)
    fps: tuple[float, float] = (24, 12)


LIMITS: Final = HealthLimits()
BURNT: Final = 250
WIRE_MM, HEAD_CM, BALL_CM = 1.6, 3.0, 2.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that was measured.

    Attributes
    ----------
    name
        `light`, `glare`, `focus`, `size`, `view`, `fit` or `frame_rate`.
    level
        `good`, `fair` or `bad`.
    value, unit
        What was measured.
    said
        A sentence: what that means.
    do
        What to do about it; empty where it is good.
    """

    name: str
    level: Level
    value: float
    unit: str
    said: str
    do: str

    def to_json(self) -> dict[str, Any]:
        """Give it as the interface has it."""
        return {name: getattr(self, name) for name in ("name", "level", "value", "unit", "said", "do")}


def checks(bgr: Picture, game: Game, setup: Setup | None) -> tuple[Check, ...]:
    """Check a picture, (H, W, 3); without a SETUP only what needs none, on all of it."""
    luma = np.asarray(cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
    size = (bgr.shape[1], bgr.shape[0])
    plane = None if setup is None else _plane(bgr, setup)
    if plane is None or setup is None:
        return tuple(_of_light(luma, np.full(luma.shape, True)))
    outline = plane.to_px(_outline(setup))
    mask = np.zeros(luma.shape, np.uint8)
    cv2.fillPoly(mask, [np.round(outline).astype(np.int32)], 1)
    return (
        *_of_light(luma, mask > 0 if mask.any() else np.full(luma.shape, True)),
        _size(game, plane, setup),
        _view(plane, setup, outline, size),
        _fit(plane, setup),
    )


def frame_rate(fps: float) -> Check:
    """Check how many pictures a second there are."""
    level = _below(fps, LIMITS.fps)
    do = "More light, a lower resolution, or another USB port: the camera gives fewer pictures than it could."
    return _check("frame_rate", level, (fps, "a second"), f"{fps:.0f} pictures a second", do)


def _of_light(luma: Picture, inside: NDArray[np.bool_]) -> Iterator[Check]:
    seen = luma[inside]
    mean = float(seen.mean())
    level = _worst(_below(mean, LIMITS.dark), _above(mean, LIMITS.bright))
    dim = mean < LIMITS.dark[0]
    said = "It is dark" if dim else "It is very bright" if level != "good" else "There is light enough"
    do = (
        "A lamp on the board, not the camera's own gain." if dim else "A lamp further away, or a shorter exposure."
    )
    yield _check("light", level, (mean / 2.55, "%"), said, do)
    burnt = float(np.mean(seen >= BURNT))
    said = "Nothing shines" if burnt < LIMITS.glare[0] else "A part of the board is burnt out"
    do = "Move the lamp to the side, or put something matt before it: where it mirrors, nothing is read."
    yield _check("glare", _above(burnt, LIMITS.glare), (100 * burnt, "%"), said, do)
    rows, columns = np.nonzero(inside)
    part = luma[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]
    blur = blur_effect(part)
    said = "Edges are sharp" if blur < LIMITS.blurred[0] else "Edges are soft"
    do = "Clean the lens, focus by hand on the board, and lock the focus."
    yield _check("focus", _above(blur, LIMITS.blurred), (100 * (1 - blur), "%"), said, do)


def blur_effect(luma: Picture) -> float:
    """Give how blurred a picture is, 0 to 1: what of its steps another blur leaves as they are.

    F. Crete and others, The blur effect: perception and estimation with a new no-reference perceptual blur metric,
    2007.
    """
    grey = luma.astype(np.float32)
    worst = 0.0
    for axis in (0, 1):
        kernel = (1, 9) if axis == 0 else (9, 1)
        steps = np.abs(np.diff(grey, axis=axis))
        lost = np.maximum(0, steps - np.abs(np.diff(cv2.blur(grey, kernel), axis=axis)))
        total = float(steps.sum())
        worst = max(worst, 1.0 if total == 0 else (total - float(lost.sum())) / total)
    return worst


def _size(game: Game, plane: PlaneMap, setup: Setup) -> Check:
    scale = _scales(plane, setup).min()
    level = _below(scale, dict(LIMITS.px_per_cm)[game])
    ball_cm = setup.astrolabe.ball_cm if setup.astrolabe else BALL_CM
    meant = {
        "cricket": f"a wire is {scale * WIRE_MM / 10:.1f} px wide",
        "finn": f"a pin's head is {scale * HEAD_CM:.0f} px across",
        "astrolabe": f"a ball is {scale * ball_cm:.0f} px across",
    }[game]
    do = "Bring the camera nearer, or choose a higher resolution: numbers and wires have to be legible."
    return _check("size", level, (scale, "px/cm"), f"Where the board is smallest {meant}", do)


def _view(plane: PlaneMap, setup: Setup, outline: NDArray[np.float64], size: tuple[int, int]) -> Check:
    outside = float(np.mean(np.any((outline < 0) | (outline >= size), axis=1)))
    scales = _scales(plane, setup)
    slant = float(scales.min() / scales.max())
    if outside > 0:
        do = "Turn the camera, or move it back, until all of the board is in the picture."
        return _check(
            "view", "bad", (100 * (1 - outside), "%"), f"{outside:.0%} of the edge lie outside the picture", do
        )
    said = "All of the board is in view" if slant >= LIMITS.slant[0] else "The board is seen at a flat angle"
    return _check(
        "view", _below(slant, LIMITS.slant), (100.0, "%"), said, "Hang the camera higher, over the board."
    )


def _fit(plane: PlaneMap, setup: Setup) -> Check:
    """Say how well it fits: as measured, or, by four points that always fit, what a pixel beside them would do."""
    do = "Place the points again under the loupe, or bring the camera nearer."
    worst = 10 / float(_scales(plane, setup).min())
    mm = setup.notes.get("residual_mm")
    if mm is None and len(setup.board_px) > 4:
        mm = float(setup.notes.get("residual_px", 0.0)) * worst
    if mm is not None:
        return _check(
            "fit", _above(mm, LIMITS.fit_mm), (mm, "mm"), f"Lines lie within {mm:.1f} mm of the board's own", do
        )
    said = f"A corner that is one pixel off is {worst:.1f} mm off on the far side"
    return _check("fit", "good" if worst <= LIMITS.fit_mm[1] else "fair", (worst, "mm"), said, do)


def _plane(bgr: Picture, setup: Setup) -> PlaneMap | None:
    if setup.game == "cricket":
        board = board_from_setup(setup, bgr)
        return None if isinstance(board, Failure) else board.plane
    plane = setup.plane((bgr.shape[1], bgr.shape[0]))
    return None if isinstance(plane, Failure) else plane


def _outline(setup: Setup) -> NDArray[np.float64]:
    """Give points around the board, (N, 2) in its own units."""
    if setup.game == "cricket":
        return on_board((setup.rings or REGULATION).double_outer, np.arange(0.0, 360.0, 6.0))
    wide, long = (117.0, 49.0) if setup.astrolabe is None else setup.astrolabe.table_cm
    part = np.linspace(0, 1, 12, endpoint=False)[:, None]
    corners = np.array([[0, 0], [wide, 0], [wide, long], [0, long]], dtype=np.float64)
    sides = [a + part * (b - a) for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True)]
    return np.concatenate(sides)


def _scales(plane: PlaneMap, setup: Setup) -> NDArray[np.float64]:
    """Give pixels of a centimetre around the board, (N,)."""
    return np.asarray(plane.px_per_unit(_outline(setup))) * (10 if setup.game == "cricket" else 1)


def _check(name: str, level: Level, measured: tuple[float, str], said: str, do: str) -> Check:
    advice = "" if level == "good" else do
    value, unit = measured
    return Check(name=name, level=level, value=round(value, 1), unit=unit, said=f"{said}.", do=advice)


def _below(value: float, limits: tuple[float, ...]) -> Level:
    return "bad" if value < limits[1] else "fair" if value < limits[0] else "good"


def _above(value: float, limits: tuple[float, ...]) -> Level:
    return "bad" if value > limits[1] else "fair" if value > limits[0] else "good"


def _worst(*levels: Level) -> Level:
    return max(levels, key=("good", "fair", "bad").index)
