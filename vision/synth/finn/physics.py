"""A shot on the board, by mujoco: the disc slides or flies, pins topple, roll, lean and leave; with every contact.

Physics runs in metres; everything that comes out is in the board frame in cm (FB-03).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from vision.synth.finn.look import BOARD_CM, Layout, Piece, Sizes
from vision.synth.scene import Floats

STEP_S = 0.002
TRACE_HZ = 100  # poses kept a second
LONGEST_S = 5.0
REST_SPEED = np.array([0.012] * 3 + [0.25] * 3)  # m/s and rad/s below which a piece is at rest
REST_S = 0.25  # for so long
SIDES = 20  # of the prism that stands for a pin
CUSHION_GAP_S = 0.06  # contacts with a rail nearer than this are one
TOUCH_M = 0.0006
NEAR_M = 0.03  # of a rail's side, more than the disc's radius: nearer to it the disc may touch it
FAR_M = 0.13  # from a pin's base, more than its height and the disc's radius: farther off they cannot touch

_SLEEP = int(mujoco.mjtEnableBit.mjENBL_SLEEP)  # of what rests: a pin that nothing has hit costs nothing

Trace = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """How the disc leaves the crossbow: from where (cm), how fast (cm/s, x y z), with what spin (rad/s)."""

    from_cm: tuple[float, float, float]
    speed_cm_s: tuple[float, float, float]
    spin: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Run:
    """A simulated shot.

    Attributes
    ----------
    numbers : the pins, in the order of the trace
    trace : (T, 1 + N, 7) float32: disc, then pins: origin in cm, quaternion, `TRACE_HZ` times a second
    contacts : what each piece touches at the end: by pin number (0 the disc) names `board`, `rail`, `pin7`, `disc`
    cushions_s : when the disc touched a rail
    first_hit_s : when it first touched a pin, or None
    """

    numbers: tuple[int, ...]
    trace: Trace
    contacts: Mapping[int, frozenset[str]]
    cushions_s: tuple[float, ...]
    first_hit_s: float | None

    @property
    def seconds(self) -> float:
        """How long until all was at rest."""
        return (len(self.trace) - 1) / TRACE_HZ

    def layout(self, t_s: float) -> Layout:
        """Give where everything is at a time (held at the end)."""
        row = self.trace[min(round(t_s * TRACE_HZ), len(self.trace) - 1)]
        pieces = [_piece(values) for values in row]
        return Layout(pins=tuple(zip(self.numbers, pieces[1:], strict=True)), disc=pieces[0])


def _piece(values: Trace) -> Piece:
    v = [float(x) for x in values]
    return Piece(at_cm=(v[0], v[1], v[2]), turn=(v[3], v[4], v[5], v[6]))


def pin_corners(sizes: Sizes, sides: int = SIDES) -> Floats:
    """Corners (2 * sides, 3) of a pin in cm, base first; its cut top falls toward -x, where the thrower stands."""
    angle = np.arange(sides) * 2 * np.pi / sides
    ring = np.stack([np.cos(angle), np.sin(angle)], 1) * sizes.pin_cm / 2
    top = sizes.pin_high_cm - sizes.bevel * (sizes.pin_cm / 2 - ring[:, 0])
    return np.vstack([np.column_stack([ring, np.zeros(sides)]), np.column_stack([ring, top])])


@lru_cache(maxsize=16)
def _model(sizes: Sizes, slippery: float, bouncy: float) -> Any:  # noqa: ANN401 - mujoco has no types
    """Build board, rails, floor, a disc and twelve pins; pins that do not play are parked far away."""
    corners = " ".join(f"{v / 100:.5f}" for v in pin_corners(sizes).ravel())
    long, wide = BOARD_CM[0] / 200, BOARD_CM[1] / 200
    legs, rail, high = sizes.legs_cm / 200, sizes.rail_cm / 200, sizes.rail_high_cm / 100
    soft = f'solref="0.004 {1.0 - 0.6 * bouncy:.3f}" solimp="0.95 0.99 0.0005"'
    rails = "".join(
        f'<geom name="rail{k}" type="box" size="{long} {rail} {legs + high / 2}" '
        f'pos="{long} {y} {high / 2 - legs}" friction="0.25 0.002 0.0001" {soft}/>'
        for k, y in enumerate((-rail, 2 * wide + rail))
    )
    pins = "".join(
        f'<body name="pin{n}" pos="{n} -5 0"><freejoint/><geom name="pin{n}" type="mesh" mesh="pin" density="620" '
        f'condim="6" friction="0.35 0.003 0.0003" {soft}/></body>'
        for n in range(1, 13)
    )
    disc = (
        f'<body name="disc"><freejoint/><geom name="disc" type="cylinder" '
        f'size="{sizes.disc_cm / 200} {sizes.disc_high_cm / 200}" density="1150" '
        f'condim="6" friction="{slippery:.3f} 0.002 0.0001" {soft}/></body>'
    )
    text = f"""<mujoco><option timestep="{STEP_S}" integrator="implicitfast" cone="elliptic" iterations="30">
    <flag sleep="enable"/></option>
    <asset><mesh name="pin" vertex="{corners}"/></asset><worldbody>
    <geom name="floor" type="plane" size="8 8 0.1" pos="0 0 {-2 * legs}" friction="0.6 0.01 0.001"/>
    <geom name="board" type="box" size="{long} {wide} {legs}" pos="{long} {wide} {-legs}"
      friction="{slippery:.3f} 0.002 0.0001" {soft}/>{rails}{disc}{pins}</worldbody></mujoco>"""
    return mujoco.MjModel.from_xml_string(text)


def simulate(
    sizes: Sizes,
    before: Mapping[int, tuple[float, float, float]],
    shot: Shot,
    slippery: float = 0.22,
    bouncy: float = 0.5,
) -> Run:
    """Shoot.

    Parameters
    ----------
    before
        Where each pin stands: x, y in cm and its turn about its axis in radians.
    slippery, bouncy
        Friction of the disc on the board, and how much the rails and pins give back (0…1).
    """
    model = _model(sizes, round(slippery, 3), round(bouncy, 2))
    data = mujoco.MjData(model)
    _place(model, data, sizes, before, shot)
    return _played(model, data, tuple(sorted(before)))


def settle(sizes: Sizes, layout: Layout, slippery: float = 0.22, bouncy: float = 0.3) -> Run:
    """Let go of pins and the disc where they are held, and wait until all is at rest.

    Parameters
    ----------
    sizes, slippery, bouncy
        As for `simulate`.
    layout
        Where each is held, in nobody's way; a disc that is out of sight stays so.
    """
    model = _model(sizes, round(slippery, 3), round(bouncy, 2))
    data = mujoco.MjData(model)
    _place(model, data, sizes, {}, Shot(from_cm=_AWAY, speed_cm_s=(0.0, 0.0, 0.0), spin=0.0))
    held = [(f"pin{number}", piece) for number, piece in layout.pins]
    for name, piece in [*held, *([] if layout.disc is None else [("disc", layout.disc)])]:
        at = data.joint(model.body(name).jntadr[0])
        at.qpos[:3], at.qpos[3:] = np.asarray(piece.at_cm) / 100, piece.turn
    model.opt.enableflags &= ~_SLEEP  # all of it moves; `_touching` lets it sleep again
    mujoco.mj_forward(model, data)
    return _played(model, data, tuple(sorted(number for number, _ in layout.pins)))


_AWAY = (-300.0, -300.0, 0.0)  # cm: where nobody sees it


def _played(model: Any, data: Any, numbers: tuple[int, ...]) -> Run:  # noqa: ANN401 - mujoco has no types
    """Play until all is at rest."""
    rows: list[Floats] = []
    cushions: list[tuple[float, float, str]] = []  # first and last contact, which rail
    hit: float | None = None
    still = 0.0
    names = [model.geom(i).name for i in range(model.ngeom)]
    every, disc = round(1 / (STEP_S * TRACE_HZ)), int(model.geom("disc").id)
    middle, wide = data.xpos[1], BOARD_CM[1] / 100  # of the disc, as it moves
    bodies, speeds = np.array([1, *(1 + n for n in numbers)]), data.qvel.reshape(-1, 6)
    pins = data.xpos[2:, :2]
    for step in range(int(LONGEST_S / STEP_S) + 1):
        if step % every == 0:
            rows.append(_poses(data, bodies))
            still = still + every * STEP_S if _at_rest(middle, speeds, numbers) else 0.0
            if still > REST_S:
                break
        mujoco.mj_step(model, data)
        if NEAR_M < middle[1] < wide - NEAR_M and (hit is not None or _far(middle, pins)):
            continue  # nothing that it may touch now is asked about
        for other in _partners(data, names, disc):
            if other.startswith("rail"):
                _cushion(cushions, step * STEP_S, other)
            elif other.startswith("pin") and hit is None:
                hit = step * STEP_S
    rows.append(_poses(data, bodies))
    return Run(
        numbers=numbers,
        trace=np.asarray(rows, np.float32),
        contacts=_touching(model, data, names, numbers),
        cushions_s=tuple(first for first, _, _ in cushions),
        first_hit_s=hit,
    )


def _place(model: Any, data: Any, sizes: Sizes, before: Any, shot: Shot) -> None:  # noqa: ANN401 - mujoco has no types
    for number in range(1, 13):
        at = data.joint(model.body(f"pin{number}").jntadr[0])
        if number in before:
            x, y, turn = before[number]
            at.qpos[:3] = (x / 100, y / 100, 1e-5)
            at.qpos[3:] = (np.cos(turn / 2), 0, 0, np.sin(turn / 2))
        else:
            at.qpos[:3] = (3 + 0.2 * number, -4, -sizes.legs_cm / 100 + 1e-5)
    disc = data.joint(model.body("disc").jntadr[0])
    disc.qpos[:3] = np.asarray(shot.from_cm) / 100 + (0, 0, sizes.disc_high_cm / 200)
    disc.qvel[:3] = np.asarray(shot.speed_cm_s) / 100
    disc.qvel[5] = shot.spin
    mujoco.mj_forward(model, data)


def _poses(data: Any, bodies: NDArray[np.intp]) -> Floats:  # noqa: ANN401 - mujoco has no types
    """Give origin (cm) and quaternion of the disc (body 1) and the pins (bodies 2 to 13) that play, (1 + N, 7)."""
    found = np.empty((len(bodies), 7))
    found[:, :3] = data.xpos[bodies] * 100
    found[:, 3:] = data.xquat[bodies]
    return found


def _far(disc: Floats, pins: Floats) -> bool:
    """Whether a disc (3,) is out of reach of all pins (N, 2), lying ones too, in m."""
    away = pins - disc[:2]
    return bool((away * away).sum(1).min() > FAR_M * FAR_M)


def _cushion(cushions: list[tuple[float, float, str]], t_s: float, rail: str) -> None:
    """Count a contact with a rail, unless it goes on from the last one."""
    if cushions and cushions[-1][2] == rail and t_s - cushions[-1][1] <= CUSHION_GAP_S:
        cushions[-1] = (cushions[-1][0], t_s, rail)
    else:
        cushions.append((t_s, t_s, rail))


def _partners(data: Any, names: list[str], one: int) -> list[str]:  # noqa: ANN401 - mujoco has no types
    """Name the geoms that touch geom `one`."""
    if not data.ncon:
        return []
    contact = data.contact
    geoms, close = contact.geom.tolist(), contact.dist.tolist()
    return [
        names[a + b - one] for (a, b), far in zip(geoms, close, strict=True) if one in {a, b} and far < TOUCH_M
    ]


def _pairs(data: Any, names: list[str]) -> list[tuple[str, str]]:  # noqa: ANN401 - mujoco has no types
    count = data.ncon
    if not count:
        return []
    geoms = data.contact.geom[:count]
    close = data.contact.dist[:count] < TOUCH_M
    return [(names[a], names[b]) for (a, b), near in zip(geoms, close, strict=True) if near]


def _at_rest(disc: Floats, speeds: Floats, numbers: tuple[int, ...]) -> bool:
    """Whether nothing moves, by where the disc (3,) is in m and all speeds (13, 6), its own first.

    A disc that left the board may roll on.
    """
    x, y, z = (float(v) * 100 for v in disc)
    gone = z < 0 and not (0 < x < BOARD_CM[0] and 0 < y < BOARD_CM[1])
    if not gone and (np.abs(speeds[0]) >= REST_SPEED).any():
        return False
    return bool((np.abs(speeds[list(numbers)]) < REST_SPEED).all())


def _touching(
    model: Any,  # noqa: ANN401 - mujoco has no types
    data: Any,  # noqa: ANN401
    names: list[str],
    numbers: tuple[int, ...],
) -> dict[int, frozenset[str]]:
    """Name what each piece touches; those asleep are woken for it, for mujoco leaves out what rests on what."""
    model.opt.enableflags &= ~_SLEEP
    mujoco.mj_forward(model, data)
    model.opt.enableflags |= _SLEEP  # the model is kept for the next shot
    found: dict[int, set[str]] = {n: set() for n in (0, *numbers)}
    for a, b in _pairs(data, names):
        for one, other in ((a, b), (b, a)):
            number = 0 if one == "disc" else int(one[3:]) if one.startswith("pin") else -1
            if number in found:
                found[number].add("rail" if other.startswith("rail") else other)
    return {n: frozenset(v) for n, v in found.items()}
