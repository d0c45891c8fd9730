"""A ball shot on the tilted table, by mujoco: up the slope, off walls and balls, into a slot, a gutter, a hand."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import cos, hypot, pi
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from vision.synth.astrolabe.look import GUTTER_CM, PLAY_LINE_CM, TABLE_CM, Marble, Table
from vision.synth.scene import Floats

STEP_S = 0.002
TRACE_HZ = 100
LONGEST_S = 9.0
REST_SPEED = 0.004  # m/s below which a ball is at rest
REST_S = 0.3
MOST_BALLS = 20
ROLLING_M = 0.00012  # resistance to rolling, as a lever arm
_SLEEP = int(mujoco.mjtEnableBit.mjENBL_SLEEP)  # of what rests: a ball that nothing meets costs nothing
FREE = 0.35  # how far off a slot's middle, in balls, a ball rests in it

Trace = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """Whose ball, from where (x, y cm), how fast (cm/s)."""

    side: int
    from_cm: tuple[float, float]
    speed_cm_s: tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shake:
    """Somebody knocks the table (AS-35): it is pushed by `push` (m/s^2: x, y) from `t_s` on, and then stopped.

    It comes back to its place within `back_s` after that; with 0 it stays where it is.
    """

    t_s: float
    push: tuple[float, float]
    lasts_s: float
    back_s: float = 0.0

    @property
    def over_s(self) -> float:
        """When the table stands still again."""
        return self.t_s + 2 * self.lasts_s + self.back_s

    def pull_at(self, t_s: float) -> tuple[float, float]:
        """Give what a ball on the table feels (m/s^2) at a time."""
        since = (t_s - self.t_s) / self.lasts_s
        sign = -1.0 if 0 <= since < 1 else 1.0 if 1 <= since < 2 else 0.0
        back = self._back(t_s)
        if 0 < back < 1:
            sign = 0.5 * self.lasts_s**2 * (pi / self.back_s) ** 2 * cos(pi * back)
        return sign * self.push[0], sign * self.push[1]

    def moved_cm(self, t_s: float) -> tuple[float, float]:
        """Give where the table is at a time, beside its place (x, y)."""
        since = min(max((t_s - self.t_s) / self.lasts_s, 0.0), 2.0)
        share = since**2 / 2 if since < 1 else 1 - (2 - since) ** 2 / 2
        if self.back_s:
            share *= 0.5 + 0.5 * cos(pi * min(max(self._back(t_s), 0.0), 1.0))
        far = 100 * share * self.lasts_s**2
        return far * self.push[0], far * self.push[1]

    def _back(self, t_s: float) -> float:
        return (t_s - self.t_s - 2 * self.lasts_s) / self.back_s if self.back_s else 0.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Run:
    """A simulated shot: balls' sides (the one shot last), poses (T, N, 7) float32 in cm, `TRACE_HZ` a second."""

    sides: tuple[int, ...]
    trace: Trace

    @property
    def seconds(self) -> float:
        """How long until all was at rest."""
        return (len(self.trace) - 1) / TRACE_HZ

    def balls(self, t_s: float) -> tuple[Marble, ...]:
        """Give the balls at a time (held at the end)."""
        rows = self.trace[min(round(t_s * TRACE_HZ), len(self.trace) - 1)]
        found = []
        for side, row in zip(self.sides, rows, strict=True):
            x, y, z, w, a, b, c = (float(v) for v in row)
            found.append(Marble(side=side, at_cm=(x, y, z), turn=(w, a, b, c)))
        return tuple(found)


def boxes(table: Table) -> list[tuple[str, Floats, Floats]]:
    """Give every solid of the table as name, low and high corner (cm): what physics hits is what is drawn."""
    wide, long = TABLE_CM
    deep, rim = table.gutter_deep_cm, 0.4
    found = [
        ("bed", (GUTTER_CM, 0, -4), (wide - GUTTER_CM, long, 0)),
        ("gutter0", (0, 0, -4), (GUTTER_CM, long, -deep)),
        ("gutter1", (wide - GUTTER_CM, 0, -4), (wide, long, -deep)),
        ("wall_left", (-table.wall_cm, -table.wall_cm, -4), (0, long + table.wall_cm, table.wall_high_cm)),
        (
            "wall_right",
            (wide, -table.wall_cm, -4),
            (wide + table.wall_cm, long + table.wall_cm, table.wall_high_cm),
        ),
        ("wall_far", (0, long, -4), (wide, long + table.wall_cm, table.wall_high_cm)),
        ("wall_near", (0, -table.wall_cm, -4), (wide, 0, table.wall_high_cm * 0.6)),
        ("lip0", (GUTTER_CM, PLAY_LINE_CM + 4, 0), (GUTTER_CM + rim, long, 0.25)),
        ("lip1", (wide - GUTTER_CM - rim, PLAY_LINE_CM + 4, 0), (wide - GUTTER_CM, long, 0.25)),
    ]
    half, high, thick = table.pitch_cm / 2, table.comb_high_cm, table.thick_cm
    for row, y in enumerate(table.rows_cm):
        back = y - table.ball_cm / 2
        left, right = table.first_cm - half, table.first_cm + half + (table.slots - 1) * table.pitch_cm
        found.append((f"comb{row}", (left - thick / 2, back - thick, 0), (right + thick / 2, back, high)))
        for k in range(table.slots + 1):
            x = left + k * table.pitch_cm
            found.append(
                (f"tooth{row}_{k}", (x - thick / 2, back, 0), (x + thick / 2, back + table.tooth_cm, high))
            )
    return [(name, np.array(low, float), np.array(high, float)) for name, low, high in found]


@lru_cache(maxsize=12)
def _model(table: Table, count: int, bouncy: float) -> Any:  # noqa: ANN401 - mujoco has no types
    soft = f'solref="0.004 {1.0 - 0.55 * bouncy:.3f}" solimp="0.95 0.99 0.0005" friction="0.3 0.002 {ROLLING_M}"'
    solids = "".join(
        f'<geom name="{name}" type="box" pos="{_words((low + high) / 200)}" '
        f'size="{_words((high - low) / 200)}" {soft}/>'
        for name, low, high in boxes(table)
    )
    radius = table.ball_cm / 200
    balls = "".join(
        f'<body name="ball{k}"><freejoint/><geom name="ball{k}" type="sphere" size="{radius}" density="2500" '
        f'condim="6" {soft}/></body>'
        for k in range(count)
    )
    tilt = np.radians(table.tilt_deg)
    gravity = f"0 {-9.81 * np.sin(tilt):.5f} {-9.81 * np.cos(tilt):.5f}"
    return mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{STEP_S}" gravity="{gravity}" integrator="implicitfast" cone="elliptic">'
        f'<flag sleep="enable"/></option>'
        f"<worldbody>{solids}{balls}</worldbody></mujoco>"
    )


def _words(values: Floats) -> str:
    return " ".join(f"{v:.5f}" for v in values)


def simulate(
    table: Table, lying: Sequence[Marble], shot: Shot | None, bouncy: float = 0.5, shake: Shake | None = None
) -> Run:
    """Shoot a ball among those that lie on the table, or let them settle without a shot."""
    sides = tuple(ball.side for ball in lying) + ((shot.side,) if shot else ())
    model = _model(table, len(sides), round(bouncy, 1))
    data = mujoco.MjData(model)
    for k, ball in enumerate(lying):
        data.qpos[7 * k : 7 * k + 7] = (*(v / 100 for v in ball.at_cm), *ball.turn)
    if shot:
        k, radius = len(lying), table.ball_cm / 200
        data.qpos[7 * k : 7 * k + 7] = (shot.from_cm[0] / 100, shot.from_cm[1] / 100, radius, 1, 0, 0, 0)
        vx, vy = (v / 100 for v in shot.speed_cm_s)
        data.qvel[6 * k : 6 * k + 6] = (vx, vy, 0, -vy / radius, vx / radius, 0)
    rows, still, every = [], 0.0, round(1 / (STEP_S * TRACE_HZ))
    gravity = model.opt.gravity.copy()
    if shake is not None:
        model.opt.enableflags &= ~_SLEEP  # a knock wakes nobody who sleeps
    for row in range(int(LONGEST_S * TRACE_HZ) + 1):
        rows.append(_poses(data, len(sides)))
        if shake is None:
            mujoco.mj_step(model, data, every)
        else:
            for step in range(row * every, (row + 1) * every):
                model.opt.gravity[:2] = gravity[:2] + shake.pull_at(step * STEP_S)
                mujoco.mj_step(model, data)
        slow = not len(sides) or float(np.abs(data.qvel.reshape(-1, 6)[:, :3]).max()) < REST_SPEED
        still = still + 1 / TRACE_HZ if slow else 0.0
        if still > REST_S and (shake is None or row / TRACE_HZ > shake.over_s):
            break
    model.opt.gravity[:] = gravity  # the model is kept for the next shot
    model.opt.enableflags |= _SLEEP
    return Run(sides=sides, trace=np.asarray(rows, np.float32).reshape(len(rows), len(sides), 7))


def _poses(data: Any, count: int) -> Floats:  # noqa: ANN401 - mujoco has no types
    rows = np.array(data.qpos).reshape(-1, 7)[:count].copy()
    rows[:, :3] *= 100
    return np.asarray(rows)


def place_of(ball: Marble, table: Table) -> str | tuple[int, int]:
    """Name where a ball rests: (row, slot) from 0, `gutter`, `hand` (rolled back), or `grouped`."""
    x, y, _ = ball.at_cm
    wide = TABLE_CM[0]
    if x < GUTTER_CM or x > wide - GUTTER_CM:
        return "gutter"
    if y < PLAY_LINE_CM:
        return "hand"
    for row in range(len(table.rows_cm)):
        for slot in range(table.slots):
            sx, sy = table.slot_cm(row, slot)
            if abs(x - sx) < table.pitch_cm / 2 and -FREE * table.ball_cm < y - sy < FREE * table.ball_cm:
                return row, slot
    return "grouped"


def rolled(table: Table, shot: Shot, down_to_cm: float) -> Floats:
    """Give the way (N, 2) cm of a ball on the bare slope until it comes back down to a y: what aiming goes by."""
    up, down = pulls(table)
    pull, drag, step = (up + down) / 2, (up - down) / 2, 0.02
    (x, y), (vx, vy) = shot.from_cm, shot.speed_cm_s
    way = [(x, y)]
    while len(way) * step < LONGEST_S and not (vy < 0 and y < down_to_cm):
        slow = step * drag / max(hypot(vx, vy), 1e-6)
        vx, vy = vx - slow * vx, vy - step * pull - slow * vy
        x, y = x + step * vx, y + step * vy
        way.append((x, y))
    return np.array(way)


def pulls(table: Table) -> tuple[float, float]:
    """Give what slows a ball that rolls up, and what speeds it on its way down (cm/s^2)."""
    tilt = np.radians(table.tilt_deg)
    drag = ROLLING_M * 200 / table.ball_cm * np.cos(tilt)
    return float(981 * (np.sin(tilt) + drag) / 1.4), float(981 * (np.sin(tilt) - drag) / 1.4)
