"""Clips of Astrolabe: hands shoot balls, balls roll up and come to rest, hands take up those that came back."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vision.synth.astrolabe.look import GUTTER_CM, PLAY_LINE_CM, TABLE_CM, AstrolabeScene, Marble
from vision.synth.astrolabe.parts import build
from vision.synth.astrolabe.physics import TRACE_HZ, Run, Shake, place_of, simulate
from vision.synth.astrolabe.recipe import TRIES, WANTED, astrolabe_scene, happenings, lying, shot
from vision.synth.astrolabe.truth import setup_of
from vision.synth.fast import FastEngine
from vision.synth.filming import filmed, frames_with
from vision.synth.hands import ArmLook, Path, arm_items, arm_look, grip_at
from vision.synth.made import Film
from vision.synth.scene import Item, pose_at, turn_z_to

FPS = 30
STILL_CM = 0.03  # a ball that moves less from frame to frame is not seen to move
FOULS: Mapping[str, float] = {"play_line": 0.1, "touched_moving_ball": 0.05, "interference": 0.05}
"""Shares of shots: a hand goes on over the Play Line while the ball rolls (AS-31), takes it up on its way back
(AS-37), or knocks the table (AS-35)."""
CATCH_CM = (24.0, 46.0)  # beyond the Play Line a ball is caught between here and here
CATCH_S = 1.1  # before that the hand that shot is still there
TOWARD = (0.0, 0.86, -0.5)  # where an arm from the near end points
Ids = tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Play:
    """A shot that leaves the hand at `t_s`: its run, which ball each row of the trace is (the one shot last).

    `caught_s` after it left a hand takes up its ball; `shake` is a knock on the table, in times of the run.
    """

    t_s: float
    side: int
    run: Run
    ids: Ids
    places: tuple[Any, ...]
    foul: str | None = None
    caught_s: float | None = None
    shake: Shake | None = None

    @property
    def seconds(self) -> float:
        """How long it lasts."""
        return self.run.seconds if self.caught_s is None else self.caught_s

    @property
    def settled_s(self) -> float:
        """When the last ball was seen to move."""
        return min(self.seconds, settled_s(self.run))


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """An arm's way; it holds ball `holds` of side `side` from `from_s` to `to_s`."""

    arm: ArmLook
    path: Path
    holds: int
    side: int
    from_s: float
    to_s: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Clip:
    """A scene, the balls that lie there at first, and everything that happens."""

    scene: AstrolabeScene
    first: tuple[Marble, ...]
    plays: tuple[Play, ...]
    reaches: tuple[Reach, ...]
    seconds: float
    flicker: float
    fps: int = FPS


def film(seed: int, engine: FastEngine, shots: int | None = None, fouls: Mapping[str, float] = FOULS) -> Film:
    """Draw a clip of some shots from its seed."""
    clip = script(seed, shots, fouls)
    truth = {"seed": seed, **events(clip, engine)}
    frames = filmed(
        clip,
        lambda t: build(clip.scene, balls_at(clip, t), arms_at(clip, t), moved_at(clip, t)),
        lambda t: (balls_at(clip, t), arm_key(clip, t), moved_at(clip, t)),
        engine,
        seed,
    )
    return Film(frames=frames, fps=clip.fps, size=clip.scene.camera.size, truth=truth)


def script(seed: int, shots: int | None = None, fouls: Mapping[str, float] = FOULS) -> Clip:
    """Draw the script of a clip: four to eight shots; a side shoots on while it scores (AS-12)."""
    rng, chance = np.random.default_rng((seed, 709)), np.random.default_rng((seed, 719))
    look = astrolabe_scene(rng, seed)
    look = replace(look, sensor=replace(look.sensor, jpeg=0))
    table = look.look.table
    first = lying(rng, table)
    bouncy = float(rng.uniform(0.2, 0.8))
    arms = [arm_look(rng) for _ in range(2)]
    here = dict(enumerate(first))
    plays: list[Play] = []
    reaches: list[Reach] = []
    t, side = 1.5, 0
    for number in range(shots or int(rng.integers(4, 9))):
        ball = len(first) + number
        foul = _foul(chance, fouls)
        over = float(chance.uniform(4.0, 10.0)) if foul == "play_line" else 0.0
        shake = _knock(chance) if foul == "interference" else None
        lies = tuple(here.values())
        run, start = _played(
            rng, look, lies, side, bouncy, "returned" if foul == "touched_moving_ball" else None, shake
        )
        caught = _catchable(run) if foul == "touched_moving_ball" else None
        foul = None if foul == "touched_moving_ball" and caught is None else foul
        reach, t = _shooting(rng, arms[side], start, ball, side, t, over)
        ids = (*here, ball)
        after = run.balls(run.seconds)
        places = tuple(place_of(one, table) for one in after)
        places = places if caught is None else (*places[:-1], "hand")
        play = Play(t_s=t, side=side, run=run, ids=ids, places=places, foul=foul, caught_s=caught, shake=shake)
        plays.append(play)
        reaches.append(reach)
        t += play.seconds
        if caught is not None:
            reach, t = _catching(rng, arms[1 - side], run.balls(caught)[-1], ball, t)
            reaches.append(reach)
        t += float(rng.uniform(0.6, 1.2))
        gone = {k for k, place in zip(ids, places, strict=True) if place == "hand"} | ({ball} if foul else set())
        back = [(k, one) for k, one in zip(ids, after, strict=True) if k in gone and (k != ball or caught is None)]
        here = {k: one for k, one in zip(ids, after, strict=True) if k not in gone}
        for k, one in back:
            reach, t = _taking(rng, arms[one.side], one, k, t)
            reaches.append(reach)
        t += float(rng.uniform(0.8, 1.6))
        side = side if not isinstance(places[-1], str) and foul is None else 1 - side
    return Clip(
        scene=look,
        first=first,
        plays=tuple(plays),
        reaches=tuple(reaches),
        seconds=t + 0.5,
        flicker=float(rng.choice((0.0, 0.01, 0.02))),
    )


def _foul(chance: np.random.Generator, shares: Mapping[str, float]) -> str | None:
    """Draw which foul a shot is, if any."""
    drawn = float(chance.random())
    for name, share in shares.items():
        if drawn < share:
            return name
        drawn -= share
    return None


def _knock(chance: np.random.Generator) -> Shake:
    """Draw a knock that the table comes back from, while the ball rolls."""
    push = (float(chance.normal(0, 1.0)), float(-chance.uniform(2.5, 5.0)))
    lasts = float(chance.uniform(0.06, 0.1))
    return Shake(t_s=float(chance.uniform(0.3, 1.0)), push=push, lasts_s=lasts, back_s=0.6)


def _played(  # noqa: PLR0917 - one call, each name beside its value
    rng: np.random.Generator,
    look: AstrolabeScene,
    lying_: tuple[Marble, ...],
    side: int,
    bouncy: float,
    wanted: str | None = None,
    shake: Shake | None = None,
) -> tuple[Run, tuple[float, float]]:
    drawn = str(rng.choice(list(WANTED), p=list(WANTED.values())))
    for _ in range(TRIES):
        aimed = shot(rng, look.look.table, side)
        run = simulate(look.look.table, lying_, aimed, bouncy, shake)
        if (wanted or drawn) in happenings(look.look.table, lying_, run):
            break
    return run, aimed.from_cm


def _catchable(run: Run) -> float | None:
    """Give when a hand can take up the ball on its way back, which has moved no other; None if never."""
    ways = run.trace[:, :, :2]
    if np.abs(ways[:, :-1] - ways[0, :-1]).max(initial=0.0) > STILL_CM:
        return None
    x, y = ways[:-1, -1].T
    free = (x > GUTTER_CM + 4) & (x < TABLE_CM[0] - GUTTER_CM - 4) & (y > CATCH_CM[0]) & (y < CATCH_CM[1])
    rolls = (np.diff(ways[:, -1, 1]) < -20 / TRACE_HZ) & free
    rolls[: round(CATCH_S * TRACE_HZ)] = False
    when = np.flatnonzero(rolls)
    return float(when[len(when) // 2]) / TRACE_HZ if when.size else None


def _shooting(  # noqa: PLR0917 - one call, each name beside its value
    rng: np.random.Generator, arm: ArmLook, start: tuple[float, float], ball: int, side: int, t: float, over: float
) -> tuple[Reach, float]:
    """Let a hand bring a ball, hold it a moment and let it go; gives the way and when it goes.

    Where it goes `over` cm beyond the Play Line after the ball, that is a foul.
    """
    grip = (start[0], start[1] - 0.6, 2.6)
    out = (start[0] + float(rng.normal(0, 5)), -60.0, 38.0)
    arrive, leave = t + 0.7, t + 0.7 + float(rng.uniform(0.35, 0.9))
    path: Path = ((t, out), (arrive, grip), (leave, grip), (leave + 0.6, out))
    if over:
        there = (start[0] + 1.0, PLAY_LINE_CM + over, 5.0)
        path = (*path[:3], (leave + 0.4, there), (leave + 0.6, there), (leave + 1.2, out))
    return Reach(arm=arm, path=path, holds=ball, side=side, from_s=t, to_s=leave), leave


def _taking(rng: np.random.Generator, arm: ArmLook, one: Marble, ball: int, t: float) -> tuple[Reach, float]:
    """Let a hand take up a ball that came back; gives the way and when it is gone."""
    x, y, z = one.at_cm
    grip = (x, y - 0.6, z + 1.2)
    out = (x + float(rng.normal(0, 5)), -60.0, 38.0)
    hold = t + 0.6 + float(rng.uniform(0.1, 0.3))
    path = ((t, out), (t + 0.6, grip), (hold, grip), (hold + 0.6, out))
    return Reach(arm=arm, path=path, holds=ball, side=one.side, from_s=hold, to_s=hold + 0.6), hold + 0.6


def _catching(rng: np.random.Generator, arm: ArmLook, one: Marble, ball: int, t: float) -> tuple[Reach, float]:
    """Let a hand take up a ball that rolls; gives the way and when it is gone."""
    x, y, z = one.at_cm
    grip = (x, y - 0.6, z + 1.2)
    out = (x + float(rng.normal(0, 5)), -60.0, 38.0)
    path = ((t - 0.5, out), (t, grip), (t + 0.2, grip), (t + 0.8, out))
    return Reach(arm=arm, path=path, holds=ball, side=one.side, from_s=t, to_s=t + 0.8), t + 0.8


def moved_at(clip: Clip, t_s: float) -> tuple[float, float]:
    """Give where the table is beside its place (x, y cm) at a time."""
    shaken = [play for play in clip.plays if play.shake is not None and 0 <= t_s - play.t_s < play.shake.over_s]
    return shaken[0].shake.moved_cm(t_s - shaken[0].t_s) if shaken and shaken[0].shake else (0.0, 0.0)


def balls_at(clip: Clip, t_s: float) -> tuple[Marble, ...]:
    """Give every ball on the table or in a hand that can be seen at a time."""
    begun = [play for play in clip.plays if play.t_s <= t_s]
    shown = dict(enumerate(clip.first))
    if begun:
        shown = dict(zip(begun[-1].ids, begun[-1].run.balls(t_s - begun[-1].t_s), strict=True))
    for reach in clip.reaches:
        if reach.from_s <= t_s < reach.to_s:
            x, y, z = grip_at(reach.path, t_s)
            turn = shown[reach.holds].turn if reach.holds in shown else (1.0, 0.0, 0.0, 0.0)
            radius = clip.scene.look.table.ball_cm / 2
            at = (float(x), float(y) + 0.6, max(float(z) - 1.3, radius))
            shown[reach.holds] = Marble(side=reach.side, at_cm=at, turn=turn)
        elif t_s >= reach.to_s and any(p.t_s < reach.from_s and reach.holds in p.ids for p in begun):
            shown.pop(reach.holds, None)
    return tuple(ball for _, ball in sorted(shown.items()))


def arms_at(clip: Clip, t_s: float) -> tuple[Item, ...]:
    """Arms over the table at a time."""
    items: list[Item] = []
    for reach in clip.reaches:
        if reach.path[0][0] <= t_s <= reach.path[-1][0]:
            turn = turn_z_to(np.asarray(TOWARD), 0.12 * float(np.sin(t_s * 2.3)))
            items += arm_items(reach.arm, pose_at(grip_at(reach.path, t_s), turn), 1.0)
    return tuple(items)


def arm_key(clip: Clip, t_s: float) -> tuple[float, ...]:
    """Give what changes when an arm moves."""
    return tuple(t_s for reach in clip.reaches if reach.path[0][0] <= t_s <= reach.path[-1][0])


def events(clip: Clip, engine: FastEngine) -> dict[str, Any]:
    """Give the truth of a clip: shots with all moves, hands, the slots at the start, the SETUP."""
    table = clip.scene.look.table
    slots: list[list[int | None]] = [[None] * table.slots for _ in table.rows_cm]
    where = {}
    for k, ball in enumerate(clip.first):
        place = where[k] = place_of(ball, table)
        if not isinstance(place, str):
            slots[place[0]][place[1]] = ball.side
    shots = []
    for play in clip.plays:
        moves = []
        for k, place, side in zip(play.ids, play.places, play.run.sides, strict=True):
            start = where.get(k, "hand")
            if start != place or k == play.ids[-1]:
                moves.append({"ball": side, "from": _spot(start), "to": _spot(place)})
            where[k] = place
        first, end = play.t_s * clip.fps, (play.t_s + play.settled_s) * clip.fps
        shots.append(
            {
                "side": play.side,
                "frame": int(first) + 1,
                "end_frame": int(np.ceil(end)) + 1,
                "moves": moves,
                "foul": play.foul,
                "table_moved": play.shake is not None,
            }
        )
    scene, hands = build(clip.scene, clip.first), []
    for reach in clip.reaches:
        alone = replace(clip, reaches=(reach,))
        span = range(int(reach.path[0][0] * clip.fps), int(reach.path[-1][0] * clip.fps) + 2)
        hands.append(frames_with(lambda t, c=alone: arms_at(c, t), scene, span, clip.fps, engine))  # type: ignore[misc]
    return {
        "fps": clip.fps,
        "size": list(clip.scene.camera.size),
        "frames": round(clip.seconds * clip.fps),
        "start_slots": slots,
        "setup": setup_of(clip.scene, clip.first),
        "shots": shots,
        "hands": [span for span in hands if span],
    }


def _spot(place: Any) -> Any:  # noqa: ANN401 - JSON
    return place if isinstance(place, str) else [place[0] + 1, place[1] + 1]


def settled_s(run: Run) -> float:
    """Give when the last ball was seen to move."""
    steps = np.abs(np.diff(run.trace[:, :, :3], axis=0)).max(2) * TRACE_HZ / FPS
    moving = np.flatnonzero((steps > STILL_CM).any(1))
    return float(moving[-1] + 1) / TRACE_HZ if moving.size else 0.0
