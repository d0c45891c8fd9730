"""Clips of cricket: visits of darts that fly in, hands that reach in and take them out, flicker; with all events.

A clip is a script of acts on one scene; where everything is at a time is a pure function of the script.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from vision.darts.board import segment_at
from vision.synth.cricket.look import CricketScene, Dart, DartLook
from vision.synth.cricket.parts import along, axis_of, build, flight_end
from vision.synth.cricket.recipe import clear, dart_look, place, scene, tip
from vision.synth.cricket.truth import setup_of
from vision.synth.fast import FastEngine
from vision.synth.filming import frames_with
from vision.synth.hands import ArmLook, Path, arm_items, arm_look, grip_at
from vision.synth.made import Film
from vision.synth.scene import Bytes, Floats, Item, pose_at, turn_z_to
from vision.synth.sensor import develop, expose

SPEED_MM_S = 16000.0  # of a dart that arrives
SHUTTER_S = 0.012
WOBBLE, WOBBLE_S, WOBBLE_HZ = 0.09, 0.055, 13.0  # of the flight after the hit: tangent, decay, frequency
STILL = 0.0015  # below this the wobble is no longer to be seen
UNITS_A_CM = 10.0
BLUR_STEPS = 5
BOUNCES, REACHES = 0.06, 0.2  # shares of throws that fall out, of visits with a hand that takes nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Flight:
    """A dart that hits at `t_s`; `falls_s` after the hit it drops out (None: it stays until it is taken)."""

    dart: Dart
    t_s: float
    side: int
    falls_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Hands:
    """An arm's way: points of the grip (world mm) at times; `pulls`: which throw's dart goes with it from when."""

    arm: ArmLook
    path: Path
    pulls: tuple[tuple[int, float], ...]
    toward: tuple[float, float, float]
    roll: float

    @property
    def span_s(self) -> tuple[float, float]:
        """First and last moment of the way."""
        return self.path[0][0], self.path[-1][0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Clip:
    """A scene, its acts, and how it is filmed."""

    scene: CricketScene
    throws: tuple[Flight, ...]
    hands: tuple[Hands, ...]
    fps: int
    seconds: float
    flicker: float = 0.01
    sides: tuple[str, str] = ("Ada", "Ben")

    @property
    def frames(self) -> int:
        """How many pictures."""
        return round(self.seconds * self.fps)


def darts_at(clip: Clip, t_s: float) -> tuple[Dart, ...]:
    """Every dart in flight, in the board or in a hand at a time."""
    shown = []
    for number, throw in enumerate(clip.throws):
        since = t_s - throw.t_s
        if since < -0.06:
            continue
        if since < 0:
            shown.append(replace(throw.dart, deep_mm=throw.dart.deep_mm + since * SPEED_MM_S))
        elif throw.falls_s is not None and since > throw.falls_s:
            fall = since - throw.falls_s
            shown.append(_carried(throw.dart, (0.0, -4905.0 * fall**2, 60.0 * min(1.0, fall * 8)), 5.0 * fall))
        else:
            held = _held(clip, number, t_s)
            shown.append(_wobbling(throw.dart, since) if held is None else held)
    return tuple(dart for dart in shown if dart.tip_mm[1] > -1600 and dart.deep_mm > -700)


def _wobbling(dart: Dart, since_s: float) -> Dart:
    swing = WOBBLE * float(np.exp(-since_s / WOBBLE_S))
    if swing < STILL:
        return dart
    swing *= float(np.cos(2 * np.pi * WOBBLE_HZ * since_s))
    side = 0.4 * np.sin(dart.spin_rad * 7)
    return replace(dart, lean=(dart.lean[0] + swing * side, dart.lean[1] + swing))


def _held(clip: Clip, number: int, t_s: float) -> Dart | None:
    """Give the dart as the hand has it, or None while it is in the board."""
    for hands in clip.hands:
        for order, (pulled, start) in enumerate(hands.pulls):
            if pulled == number and t_s >= start:
                moved = grip_at(hands.path, t_s) - grip_at(hands.path, start)
                bunch = np.array([4.0, 3.0, -3.0]) * order
                return _carried(clip.throws[number].dart, tuple(moved + bunch * min(1.0, (t_s - start) * 4)), 0.0)
    return None


def _carried(dart: Dart, by: Any, turn: float) -> Dart:  # noqa: ANN401 - any three numbers
    """Give the dart moved by (3,) mm, its flight sinking by `turn`."""
    axis = np.array([dart.lean[0], dart.lean[1] - turn, 1.0])
    axis /= np.linalg.norm(axis)
    point = along(dart, -dart.deep_mm) + np.asarray(by)
    foot = point - axis * point[2] / axis[2]
    return replace(
        dart,
        tip_mm=(float(foot[0]), float(foot[1])),
        lean=(float(axis[0] / axis[2]), float(axis[1] / axis[2])),
        deep_mm=float(-point[2] / axis[2]),
    )


def arms_at(clip: Clip, t_s: float) -> tuple[Item, ...]:
    """Arms in the scene at a time."""
    items: list[Item] = []
    for hands in clip.hands:
        start, end = hands.span_s
        if start <= t_s <= end:
            way = np.asarray(hands.toward) + 0.03 * np.array([np.sin(t_s * 3.1), np.cos(t_s * 2.3), 0])
            turn = turn_z_to(way, hands.roll + 0.1 * np.sin(t_s * 2.7))
            items += arm_items(hands.arm, pose_at(grip_at(hands.path, t_s), turn), UNITS_A_CM)
    return tuple(items)


def film(seed: int, engine: FastEngine) -> Film:
    """Draw a clip from its seed: two to four visits with all that happens between them."""
    clip = script(seed)
    truth = {"seed": seed, **events(clip, engine)}
    return Film(frames=render(clip, engine, seed), fps=clip.fps, size=clip.scene.camera.size, truth=truth)


def script(seed: int) -> Clip:
    """Draw the script of a clip: visits, bounce-outs, hands that take nothing, slow and quick takeouts."""
    rng = np.random.default_rng((seed, 113))
    family = str(rng.choice(("ring", "front", "box"), p=(0.45, 0.4, 0.15)))
    look = scene(seed, darts=0, family=family)
    look = replace(look, sensor=replace(look.sensor, jpeg=0))
    bodies = [dart_look(rng, look.board.soft_tip) for _ in range(2)]
    arms = [arm_look(rng) for _ in range(2)]
    throws: list[Flight] = []
    hands: list[Hands] = []
    t = float(rng.uniform(1.0, 2.5))
    for visit in range(int(rng.integers(2, 5))):
        side = visit % 2
        numbers: list[int] = []
        for _ in range(3):
            falls = float(rng.uniform(0.0, 0.12)) if rng.random() < BOUNCES else None
            dart = _free(rng, look, bodies[side], [throws[n].dart for n in numbers])
            if falls is None:
                numbers.append(len(throws))
            throws.append(Flight(dart=dart, t_s=t, side=side, falls_s=falls))
            t += float(rng.uniform(1.0, 2.4))
        if rng.random() < REACHES:
            hands.append(take_out(tuple(throws), (), t, arms[1 - side], rng))
            t = hands[-1].span_s[1] + float(rng.uniform(0.8, 2.0))
        order = tuple(int(n) for n in rng.permutation(numbers))
        hands.append(take_out(tuple(throws), order, t, arms[side], rng))
        t = hands[-1].span_s[1] + float(rng.uniform(1.0, 2.5))
    fps = int(rng.choice((15, 25, 30)))
    return Clip(
        scene=look,
        throws=tuple(throws),
        hands=tuple(hands),
        fps=fps,
        seconds=t,
        flicker=float(rng.choice((0.0, 0.01, 0.03))),
    )


def _free(rng: np.random.Generator, look: CricketScene, body: DartLook, others: list[Dart]) -> Dart:
    while True:
        dart = place(rng, body, tip(rng, look.board), look.board.soft_tip)
        if all(clear(dart, other) for other in others):
            return dart


def render(clip: Clip, engine: FastEngine, seed: int) -> Iterator[Bytes]:
    """Give the pictures of a clip, as the camera sends them: BGR (H, W, 3)."""
    rng = np.random.default_rng((seed, 211))
    sensor = clip.scene.sensor
    shots = lru_cache(maxsize=4)(lambda darts: develop(engine.draw(_scene(clip, darts, ())), sensor))
    phase = rng.uniform(0, 2 * np.pi)
    for frame in range(clip.frames):
        t = frame / clip.fps
        darts, moving = darts_at(clip, t), _moving(clip, t)
        picture = _blurred(clip, engine, t) if moving else shots(darts)
        gain = 1 + clip.flicker * (np.sin(2 * np.pi * 0.23 * t + phase) + 0.5 * rng.standard_normal())
        yield expose(picture, sensor, rng, float(gain))


def _scene(clip: Clip, darts: tuple[Dart, ...], arms: tuple[Item, ...]) -> Any:  # noqa: ANN401 - a Scene
    return build(replace(clip.scene, darts=darts), arms)


def _moving(clip: Clip, t_s: float) -> bool:
    later = t_s + SHUTTER_S
    return darts_at(clip, t_s) != darts_at(clip, later) or bool(arms_at(clip, t_s)) or bool(arms_at(clip, later))


def _blurred(clip: Clip, engine: FastEngine, t_s: float) -> Bytes:
    """Average what passes while the shutter is open: more steps where things are fast."""
    now, later = darts_at(clip, t_s), darts_at(clip, t_s + SHUTTER_S)
    flying = any(abs(a.deep_mm - b.deep_mm) > 20 for a, b in zip(now, later, strict=False)) or len(now) != len(
        later
    )
    steps = BLUR_STEPS if flying else 2
    total: Any = None
    for k in range(steps):
        t = t_s + SHUTTER_S * (k + 0.5) / steps
        shot = engine.draw(_scene(clip, darts_at(clip, t), arms_at(clip, t))).astype(np.uint16)
        total = shot if total is None else total + shot
    return develop(np.asarray(total // steps, np.uint8), clip.scene.sensor)


def events(clip: Clip, engine: FastEngine) -> dict[str, Any]:
    """Give the truth of a clip: every throw, takeout and hand with its frames, and the SETUP."""
    camera = clip.scene.camera
    throws = []
    for throw in clip.throws:
        frame, end = _shows(clip, throw), int(np.ceil((throw.t_s + _settling()) * clip.fps))
        ends = camera.to_px(np.array([[*throw.dart.tip_mm, 0.0], flight_end(throw.dart)]))
        out = throw.falls_s is not None
        throws.append(
            {
                "side": throw.side,
                "frame": frame,
                "end_frame": end,
                "segment": "MISS" if out else segment_at(throw.dart.tip_mm, clip.scene.board.rings),
                "xy_mm": [round(v, 2) for v in throw.dart.tip_mm],
                "tip_px": [round(float(v), 1) for v in ends[0]],
                "flight_px": [round(float(v), 1) for v in ends[1]],
                "bounce_out": out,
            }
        )
    seen = [_seen(clip, engine, hands) for hands in clip.hands]
    return {
        "fps": clip.fps,
        "size": list(camera.size),
        "frames": clip.frames,
        "sides": list(clip.sides),
        "setup": setup_of(clip.scene),
        "throws": throws,
        "takeouts": [span for span, hands in zip(seen, clip.hands, strict=True) if hands.pulls and span],
        "hands": [span for span in seen if span],
    }


def _settling() -> float:
    return float(WOBBLE_S * np.log(WOBBLE / STILL))


def _shows(clip: Clip, throw: Flight) -> int:
    """First frame whose open shutter sees the dart within the picture."""
    width, height = clip.scene.camera.size
    first = int((throw.t_s - 0.06) * clip.fps)
    for frame in range(max(first, 0), int(throw.t_s * clip.fps) + 2):
        for step in range(BLUR_STEPS):
            since = (frame / clip.fps) + SHUTTER_S * (step + 0.5) / BLUR_STEPS - throw.t_s
            dart = replace(throw.dart, deep_mm=throw.dart.deep_mm + min(since, 0.0) * SPEED_MM_S)
            line = np.array([along(dart, s - dart.deep_mm) for s in np.linspace(0, dart.look.length_mm, 8)])
            px = clip.scene.camera.to_px(line)
            inside = (px >= 0).all(1) & (px < (width, height)).all(1)
            if bool(inside.any()):
                return frame
    return int(np.ceil(throw.t_s * clip.fps))


def _seen(clip: Clip, engine: FastEngine, hands: Hands) -> list[int] | None:
    """First and last frame in which any of the arm is in the picture."""
    start, end = (int(np.floor(t * clip.fps)) for t in hands.span_s)
    one = replace(clip, hands=(hands,))
    return frames_with(lambda t: arms_at(one, t), _scene(clip, (), ()), range(start, end + 2), clip.fps, engine)


def take_out(
    clip_throws: tuple[Flight, ...],
    numbers: tuple[int, ...],
    start_s: float,
    arm: ArmLook,
    rng: np.random.Generator,
) -> Hands:
    """Let an arm fetch darts one after the other, or, without any, reach to the board and go away."""
    side = -1.0 if arm.left else 1.0
    away = np.array([side * rng.uniform(0.15, 0.5), -rng.uniform(0.4, 0.7), rng.uniform(0.55, 0.9)])
    away /= np.linalg.norm(away)
    home = away * 950.0 + np.array([side * 60.0, -80.0, 60.0])
    path: list[tuple[float, Floats]] = []
    pulls: list[tuple[int, float]] = []
    t = start_s + 0.45
    for number in numbers:
        dart = clip_throws[number].dart
        look = dart.look
        grip = along(dart, look.tip_mm + look.barrel_mm * 0.6 - dart.deep_mm)
        path += [(t, grip), (t + 0.18, grip + rng.normal(0, 1.0, 3)), (t + 0.45, grip + axis_of(dart) * 75)]
        pulls.append((number, t + 0.18))
        t += 0.45 + float(rng.uniform(0.3, 0.5))
    if not numbers:
        spot = np.array([rng.uniform(-80, 80), rng.uniform(-120, 60), 25.0])
        path += [
            (t, spot),
            (t + 0.5, spot + rng.normal(0, 15, 3) * (1, 1, 0.2)),
            (t + 0.8, spot + np.array([0, 0, 60.0])),
        ]
        t += 1.1
    path = [(start_s, home), *path, (t + 0.25, home)]
    return Hands(
        arm=arm,
        path=tuple((when, (float(p[0]), float(p[1]), float(p[2]))) for when, p in path),
        pulls=tuple(pulls),
        toward=(float(-away[0]), float(-away[1]), float(-away[2])),
        roll=float(np.pi + rng.normal(0, 0.3)),
    )
