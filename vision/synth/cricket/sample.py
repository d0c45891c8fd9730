"""The bundled recording: two people, five visits, a hand that takes nothing, one dart that half hides another."""

from pathlib import Path
from typing import Any

import numpy as np

from engine import new_sheet, record, result
from engine.cricket import EndTurn, Throw
from vision.darts.board import on_board
from vision.synth.cricket.clips import Clip, Flight, Hands, events, render, take_out
from vision.synth.cricket.look import BoardLook, CricketScene, Dart, DartLook, RoomLook
from vision.synth.fast import FastEngine
from vision.synth.files import write_json
from vision.synth.hands import ArmLook
from vision.synth.scene import Camera, Lamp, Sensor, look_at
from vision.synth.video import write_clip

FPS = 25
SIDES = ("Ada", "Ben")
# A visit a line: side, then radius in mm, degrees clockwise from 20, and lean of each dart. Every tip stands at
# least two millimetres from a wire.
_VISITS: tuple[tuple[int, tuple[tuple[float, float, float, float], ...]], ...] = (
    (0, ((103.2, 1.0, 0.02, 0.16), (132.0, -3.0, -0.05, 0.12), (60.0, 3.5, 0.06, 0.10))),  # T20 S20 S20
    (1, ((103.0, 197.5, 0.04, 0.20), (2.0, 40.0, -0.06, 0.08), (140.0, 165.0, 0.05, 0.14))),  # T19 DB S17
    (0, ((166.0, 1.2, -0.03, 0.12), (103.0, 37.0, 0.03, 0.10), (121.0, 34.0, -0.02, -0.12))),  # D20 T18 S18
    (1, ((130.0, 197.0, 0.02, 0.14), (190.0, 215.0, 0.08, 0.05), (150.0, 72.0, -0.04, 0.16))),  # S19 MISS S13
    (0, ((11.0, 200.0, 0.02, 0.13), (103.0, 306.5, -0.06, 0.12), (140.0, 322.0, 0.03, 0.18))),  # SB T14 S9
)

_BOARD = BoardLook(
    dark=(0.075, 0.072, 0.07),
    light=(0.82, 0.75, 0.60),
    dark_ring=(0.66, 0.11, 0.11),
    light_ring=(0.06, 0.40, 0.21),
    inner_bull=(0.66, 0.11, 0.11),
    outer_bull=(0.06, 0.40, 0.21),
    number_ring=(0.045, 0.045, 0.05),
    number=(0.84, 0.84, 0.82),
    number_style="wire",
    number_mm=24.0,
    wire_mm=0.9,
    wire=(0.62, 0.62, 0.60),
    steel=True,
    soft_tip=False,
    wear=0.3,
    radius_mm=225.5,
    thick_mm=38.0,
    words=("TALLY", "OAKPRO"),
    surround_mm=345.0,
    surround=(0.05, 0.05, 0.058),
    seed=11,
)
_RED = DartLook(
    tip_mm=34.0,
    barrel_mm=48.0,
    barrel_r_mm=3.3,
    shaft_mm=38.0,
    shaft_r_mm=2.6,
    flight_mm=40.0,
    flight_w_mm=40.0,
    flight_shape="standard",
    tip=(0.6, 0.6, 0.6),
    barrel=(0.72, 0.71, 0.69),
    barrel_metal=0.9,
    shaft=(0.06, 0.06, 0.06),
    flight=(0.80, 0.12, 0.10),
    flight_mark=(0.95, 0.93, 0.90),
    pattern=3,
    soft_tip=False,
    seed=1,
)
_BLUE = DartLook(
    tip_mm=33.0,
    barrel_mm=50.0,
    barrel_r_mm=3.2,
    shaft_mm=42.0,
    shaft_r_mm=2.5,
    flight_mm=39.0,
    flight_w_mm=38.0,
    flight_shape="pear",
    tip=(0.6, 0.6, 0.6),
    barrel=(0.70, 0.57, 0.28),
    barrel_metal=0.9,
    shaft=(0.85, 0.85, 0.85),
    flight=(0.10, 0.28, 0.75),
    flight_mark=(0.92, 0.85, 0.2),
    pattern=2,
    soft_tip=False,
    seed=2,
)
_ARMS = (
    ArmLook(
        skin=(0.80, 0.60, 0.50),
        sleeve=(0.16, 0.22, 0.34),
        sleeve_cm=22.0,
        left=False,
        size=0.95,
        flat=False,
        seed=3,
    ),
    ArmLook(skin=(0.50, 0.34, 0.25), sleeve=None, sleeve_cm=0.0, left=True, size=1.02, flat=False, seed=5),
)


def sample_scene() -> CricketScene:
    """Give the empty board, its room, its camera on an arm at the upper left."""
    size = (1280, 720)
    eye = np.array([-300.0, 330.0, 560.0])
    return CricketScene(
        board=_BOARD,
        darts=(),
        room=RoomLook(
            wall=(0.62, 0.64, 0.62),
            wall_kind="plaster",
            floor=(0.35, 0.28, 0.2),
            cabinet=False,
            frame=False,
            clutter=2,
            seed=4,
        ),
        camera=Camera(
            size=size,
            f_px=1230.0,
            cx_px=639.5,
            cy_px=359.5,
            k1=-0.06,
            k2=0.008,
            pose=look_at(eye, np.array([4.0, -2.0, 0.0]), 1.5),
        ),
        lamps=(
            Lamp(at=(240.0, 760.0, 800.0), toward=(0, 0, 0), colour=(0.95, 0.92, 0.86), radius=45.0, spread=40.0),
            Lamp(
                at=(-900.0, 400.0, 900.0), toward=(0, 0, 0), colour=(0.30, 0.32, 0.36), radius=220.0, spread=30.0
            ),
        ),
        sky=(0.26, 0.26, 0.27),
        ground=(0.12, 0.115, 0.11),
        sensor=Sensor(
            exposure=1.45,
            balance=(1.02, 1.0, 0.97),
            contrast=1.12,
            noise=1.6,
            grain_px=0.8,
            blur_px=0.6,
            vignette=0.18,
            jpeg=0,
        ),
        family="front",
        seed=0,
    )


def sample_clip() -> Clip:
    """Give the script of the bundled recording; always the same."""
    rng = np.random.default_rng(20)
    throws: list[Flight] = []
    hands: list[Hands] = []
    t = 2.0
    for visit, (side, darts) in enumerate(_VISITS):
        numbers = []
        for radius, degrees, across, up in darts:
            at = on_board(radius, degrees)[0]
            dart = Dart(
                look=(_RED, _BLUE)[side],
                tip_mm=(float(at[0]), float(at[1])),
                lean=(across, up),
                deep_mm=float(rng.uniform(7, 12)),
                spin_rad=float(rng.uniform(0, 1.5)),
            )
            numbers.append(len(throws))
            throws.append(Flight(dart=dart, t_s=t, side=side))
            t += float(rng.uniform(1.5, 2.2))
        if visit == 2:  # someone points at the board and takes nothing
            hands.append(take_out(tuple(throws), (), t, _ARMS[1], rng))
            t = hands[-1].span_s[1] + 1.6
        order = tuple(int(n) for n in rng.permutation(numbers))
        hands.append(take_out(tuple(throws), order, t, _ARMS[side], rng))
        t = hands[-1].span_s[1] + 1.8
    return Clip(
        scene=sample_scene(),
        throws=tuple(throws),
        hands=tuple(hands),
        fps=FPS,
        seconds=t,
        flicker=0.012,
        sides=SIDES,
    )


def write_sample(folder: Path, engine: FastEngine) -> None:
    """Write the recording, its SETUP, its true events and what the rules make of them."""
    folder.mkdir(parents=True, exist_ok=True)
    clip = sample_clip()
    truth = events(clip, engine)
    truth["result"] = scored(truth)
    write_json(folder / "setup.json", truth["setup"])
    write_json(folder / "truth.json", truth)
    write_clip(folder / "clip.mp4", render(clip, engine, seed=0), clip.fps, clip.scene.camera.size, crf=25)


def scored(truth: dict[str, Any]) -> dict[str, Any]:
    """Put the true throws through the rules: what a perfect reader would have the engine say at the end."""
    sheet = new_sheet("cricket", truth["sides"])
    visits = [truth["throws"][i : i + 3] for i in range(0, len(truth["throws"]), 3)]
    for visit, (_, end) in zip(visits, truth["takeouts"], strict=True):
        for throw in visit:
            sheet = record(sheet, Throw(side=throw["side"], t_ms=_ms(throw["frame"]), segment=throw["segment"]))
        sheet = record(sheet, EndTurn(side=visit[0]["side"], t_ms=_ms(end)))
    return result(sheet)


def _ms(frame: int) -> int:
    return round(frame * 1000 / FPS)
