"""Clips of Finn Billiards: shots, and the hands that set the pins up again and bring back the disc."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vision.synth.fast import FastEngine
from vision.synth.filming import filmed, frames_with
from vision.synth.finn.look import BOARD_CM, FinnScene, Layout, Piece, Sizes
from vision.synth.finn.parts import build
from vision.synth.finn.physics import TRACE_HZ, Run, simulate
from vision.synth.finn.recipe import FIRST_CM, Places, finn_scene, scattered, shot, start_places
from vision.synth.finn.states import middle, rotation, standing, states
from vision.synth.finn.truth import setup_of
from vision.synth.hands import ArmLook, Path, arm_items, arm_look, grip_at
from vision.synth.made import Film
from vision.synth.scene import Floats, Item, pose_at, turn_z_to

FPS = 30
STILL_CM = 0.03  # a piece that moves less from frame to frame is not seen to move


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Play:
    """A shot that leaves at `t_s`."""

    t_s: float
    run: Run
    states: Mapping[int, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Carry:
    """A piece (0: the disc) that a hand takes from one pose to another between two times."""

    number: int
    t0_s: float
    t1_s: float
    start: Piece
    end: Piece


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """An arm's way over the board, and which way it points."""

    arm: ArmLook
    path: Path
    toward: tuple[float, float, float]
    roll: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Clip:
    """A scene, the first layout, and everything that happens."""

    scene: FinnScene
    first: Layout
    plays: tuple[Play, ...]
    carries: tuple[Carry, ...]
    reaches: tuple[Reach, ...]
    places: tuple[Places, ...]
    seconds: float
    flicker: float
    fps: int = FPS


def film(seed: int, engine: FastEngine, turns: int | None = None) -> Film:
    """Draw a clip of some turns from its seed."""
    clip = script(seed, turns)
    truth = {"seed": seed, **events(clip, engine)}
    frames = filmed(
        clip,
        lambda t: build(clip.scene, layout_at(clip, t), arms_at(clip, t)),
        lambda t: (layout_at(clip, t), arm_key(clip, t)),
        engine,
        seed,
    )
    return Film(frames=frames, fps=clip.fps, size=clip.scene.camera.size, truth=truth)


def script(seed: int, turns: int | None = None) -> Clip:
    """Draw the script of a clip: two to five turns."""
    rng = np.random.default_rng((seed, 509))
    look = finn_scene(rng, seed)
    look = replace(look, sensor=replace(look.sensor, jpeg=0))
    sizes = look.look.sizes
    places = start_places(rng, 0.3) if rng.random() < 0.6 else scattered(rng, sizes)
    home = Piece(at_cm=(14.0, look.bow_y_cm, sizes.disc_high_cm / 2), turn=(1.0, 0.0, 0.0, 0.0))
    first = replace(standing(places), disc=home)
    arms = [arm_look(rng) for _ in range(2)]
    slippery, bouncy = float(rng.uniform(0.1, 0.2)), float(rng.uniform(0.3, 0.9))
    plays: list[Play] = []
    carries: list[Carry] = []
    reaches: list[Reach] = []
    all_places = [places]
    t = 2.0
    for turn in range(turns or int(rng.integers(2, 6))):
        run = simulate(sizes, places, shot(rng, places, look.bow_y_cm), slippery, bouncy)
        found = states(run, sizes)
        plays.append(Play(t_s=t, run=run, states=found))
        t += run.seconds + float(rng.uniform(0.8, 1.6))
        last = run.layout(run.seconds)
        places = set_up(rng, last, found, sizes)
        mess = _Mess(last=last, found=found, places=places, home=home, sizes=sizes)
        moved, reach, t = _tidy(rng, mess, arms[turn % 2], t)
        carries += moved
        reaches.append(reach)
        all_places.append(places)
        t += float(rng.uniform(1.2, 2.0))
    return Clip(
        scene=look,
        first=first,
        plays=tuple(plays),
        carries=tuple(carries),
        reaches=tuple(reaches),
        places=tuple(all_places),
        seconds=t,
        flicker=float(rng.choice((0.0, 0.01, 0.02))),
    )


def set_up(rng: np.random.Generator, last: Layout, found: Mapping[int, str], sizes: Sizes) -> Places:
    """Say where each pin stands once it is set up (FB-11, FB-22 to FB-24), none on another."""
    pieces = dict(last.pins)
    wished: dict[int, Floats] = {n: middle(piece, sizes)[:2] for n, piece in pieces.items()}
    edge = sizes.pin_cm / 2 + 0.2
    for n, state in found.items():
        if state == "off_board":
            wished[n] = np.array([rng.uniform(106, 114), rng.uniform(6, 43)])
        elif state == "line":
            wished[n] = np.array([FIRST_CM, wished[n][1]])
    places: Places = {}
    for n in sorted(wished, key=lambda k: found[k] != "upright"):
        at = wished[n]
        if found[n] != "upright":
            at = np.clip(at, edge, np.array(BOARD_CM) - edge)
            while any(np.hypot(at[0] - x, at[1] - y) < sizes.pin_cm + 0.2 for x, y, _ in places.values()):
                at = np.clip(at + rng.normal(0, 0.7, 2), edge, np.array(BOARD_CM) - edge)
        places[n] = (
            float(at[0]),
            float(at[1]),
            _yaw(pieces[n]) if found[n] == "upright" else float(rng.normal(0, 0.3)),
        )
    return places


def _yaw(piece: Piece) -> float:
    turn = rotation(piece)
    return float(np.arctan2(turn[1, 0], turn[0, 0]))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Mess:
    """What lies after a shot, what it counts as, where it is to stand, where the disc belongs."""

    last: Layout
    found: Mapping[int, str]
    places: Places
    home: Piece
    sizes: Sizes


def _tidy(rng: np.random.Generator, mess: _Mess, arm: ArmLook, t: float) -> tuple[list[Carry], Reach, float]:
    """Let a hand set up what lies and bring the disc back; gives the moves, the way, and when it is gone."""
    last, found, places, home, sizes = mess.last, mess.found, mess.places, mess.home, mess.sizes
    side = -1.0 if rng.random() < 0.5 else 1.0
    away = np.array([rng.normal(0, 0.25), side * 0.9, rng.uniform(0.25, 0.5)])
    away /= np.linalg.norm(away)
    out = np.array([BOARD_CM[0] * 0.75, BOARD_CM[1] / 2, 0]) + away * 95
    path = [(t, out)]
    carries: list[Carry] = []
    t += 0.6
    upright = dict(standing(places).pins)
    jobs = [(n, piece, upright[n]) for n, piece in last.pins if found[n] != "upright"]
    jobs = [jobs[int(k)] for k in rng.permutation(len(jobs))]
    if last.disc is not None:
        gone = not -20 < last.disc.at_cm[0] < BOARD_CM[0] + 20 or not -20 < last.disc.at_cm[1] < BOARD_CM[1] + 20
        another = Piece(at_cm=(float(out[0]), float(out[1]), float(out[2])), turn=home.turn)
        jobs.append((0, another if gone else last.disc, home))
    for number, start, end in jobs:
        a, b = _grip_of(number, start, sizes), _grip_of(number, end, sizes)
        hold, carry = float(rng.uniform(0.1, 0.25)), 0.45 + float(np.linalg.norm(b - a)) / 90
        path += [(t, a), (t + hold, a), (t + hold + carry, b), (t + hold + carry + 0.12, b)]
        carries.append(Carry(number=number, t0_s=t + hold, t1_s=t + hold + carry, start=start, end=end))
        t += hold + carry + 0.12 + float(rng.uniform(0.35, 0.6))
    path.append((t, out))
    reach = Reach(
        arm=arm,
        path=tuple((when, (float(p[0]), float(p[1]), float(p[2]))) for when, p in path),
        toward=(float(-away[0]), float(-away[1]), float(-away[2])),
        roll=float(rng.normal(0, 0.4)),
    )
    return carries, reach, t


def _grip_of(number: int, piece: Piece, sizes: Sizes) -> Floats:
    """Where a hand takes a piece: a pin near its top, the disc at its rim, from above."""
    at = np.asarray(piece.at_cm)
    if number:
        at = at + rotation(piece)[:, 2] * sizes.pin_low_cm * 0.75
    return np.asarray(at + np.array([0, 0, 1.2]))


def layout_at(clip: Clip, t_s: float) -> Layout:
    """Give where every piece is at a time."""
    pins, disc = dict(clip.first.pins), clip.first.disc
    begun = [p for p in clip.plays if p.t_s <= t_s]
    since = begun[-1].t_s if begun else 0.0
    if begun:
        now = begun[-1].run.layout(t_s - since)
        pins, disc = dict(now.pins), now.disc
    for carry in clip.carries:
        if since <= carry.t0_s <= t_s:
            piece = _between(carry, t_s)
            if carry.number:
                pins[carry.number] = piece
            else:
                disc = piece
    return Layout(pins=tuple(sorted(pins.items())), disc=disc)


def _between(carry: Carry, t_s: float) -> Piece:
    share = float(np.clip((t_s - carry.t0_s) / (carry.t1_s - carry.t0_s), 0, 1))
    share = share * share * (3 - 2 * share)
    if share >= 1:
        return carry.end
    a, b = np.asarray(carry.start.turn), np.asarray(carry.end.turn)
    if float(a @ b) < 0:
        b = -b
    turn = a + share * (b - a)
    turn /= np.linalg.norm(turn)
    at = np.asarray(carry.start.at_cm) + share * np.subtract(carry.end.at_cm, carry.start.at_cm)
    at[2] += 5.0 * np.sin(np.pi * share)
    return Piece(at_cm=(float(at[0]), float(at[1]), float(at[2])), turn=tuple(float(v) for v in turn))  # type: ignore[arg-type]


def arms_at(clip: Clip, t_s: float) -> tuple[Item, ...]:
    """Arms over the board at a time."""
    items: list[Item] = []
    for reach in clip.reaches:
        if reach.path[0][0] <= t_s <= reach.path[-1][0]:
            turn = turn_z_to(np.asarray(reach.toward), reach.roll + 0.12 * np.sin(t_s * 2.3))
            items += arm_items(reach.arm, pose_at(grip_at(reach.path, t_s), turn), 1.0)
    return tuple(items)


def arm_key(clip: Clip, t_s: float) -> tuple[float, ...]:
    """Give what changes when an arm moves."""
    return tuple(t_s for reach in clip.reaches if reach.path[0][0] <= t_s <= reach.path[-1][0])


def events(clip: Clip, engine: FastEngine) -> dict[str, Any]:
    """Give the truth of a clip: shots, hands, the SETUP, and where the pins stood before each shot."""
    shots = []
    for play, before in zip(clip.plays, clip.places, strict=False):
        shots.append(
            {
                "frame": int(play.t_s * clip.fps) + 1,
                "end_frame": int(np.ceil((play.t_s + settled_s(play.run)) * clip.fps)) + 1,
                "pins": {str(n): state for n, state in play.states.items() if state != "upright"},
                "cushions": len(play.run.cushions_s),
                "cushion_frames": [int((play.t_s + s) * clip.fps) + 1 for s in play.run.cushions_s],
                "before": {str(n): [round(x, 1), round(y, 1)] for n, (x, y, _) in sorted(before.items())},
            }
        )
    scene = build(clip.scene, clip.first)
    hands = []
    for reach in clip.reaches:
        alone = replace(clip, reaches=(reach,))
        span = range(int(reach.path[0][0] * clip.fps), int(reach.path[-1][0] * clip.fps) + 2)
        hands.append(frames_with(lambda t, c=alone: arms_at(c, t), scene, span, clip.fps, engine))  # type: ignore[misc]
    return {
        "fps": clip.fps,
        "size": list(clip.scene.camera.size),
        "frames": round(clip.seconds * clip.fps),
        "setup": setup_of(clip.scene),
        "shots": shots,
        "hands": [span for span in hands if span],
    }


def settled_s(run: Run) -> float:
    """Give when the last piece on the board was seen to move."""
    steps = np.abs(np.diff(run.trace[:, :, :3], axis=0)).max(2) * TRACE_HZ / FPS
    x, y = run.trace[1:, :, 0], run.trace[1:, :, 1]
    steps[(x < 0) | (x > BOARD_CM[0] + 1) | (y < -3) | (y > BOARD_CM[1] + 3)] = 0
    moving = np.flatnonzero((steps > STILL_CM).any(1))
    return float(moving[-1] + 1) / TRACE_HZ if moving.size else 0.0
