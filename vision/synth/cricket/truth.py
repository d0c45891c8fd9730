"""Truth of a dartboard scene: segments, key points in px, boxes, visibility, and the SETUP of its camera."""

from typing import Any

import numpy as np

from vision.darts.board import SECTOR_DEGREES, on_board, segment_at, wire_distance_mm
from vision.synth.cricket.look import CricketScene
from vision.synth.cricket.parts import build, flight_end
from vision.synth.fast import FastEngine

# Four wires' ends on the outer double wire, as people calibrate by hand: 5|20, 13|6, 17|3, 8|11.
_CORNERS_DEG = (-SECTOR_DEGREES / 2, 4.5 * SECTOR_DEGREES, 9.5 * SECTOR_DEGREES, 14.5 * SECTOR_DEGREES)


def setup_of(look: CricketScene) -> dict[str, Any]:
    """Give the SETUP of a scene's camera, its lens known."""
    rings = look.board.rings
    points = on_board(rings.double_outer, np.asarray(_CORNERS_DEG))
    seen = look.camera.to_px(np.hstack([points, np.zeros((4, 1))]))
    return {
        "game": "cricket",
        "image_size": list(look.camera.size),
        "board_px": [[round(float(v), 2) for v in point] for point in seen],
        "board_mm": [[round(float(v), 3) for v in point] for point in points],
        "lens": look.camera.lens(),
        "rings_mm": [round(v, 2) for v in rings.radii()],
    }


def truth_of(look: CricketScene, engine: FastEngine) -> dict[str, Any]:
    """Give the truth of a still."""
    scene = build(look)
    seen = engine.named(scene)
    darts = []
    for i, dart in enumerate(look.darts):
        key = f"dart{i}"
        ends = look.camera.to_px(np.array([[*dart.tip_mm, 0.0], flight_end(dart)]))
        whole = engine.part(scene, key)
        rings = look.board.rings
        darts.append(
            {
                "segment": segment_at(dart.tip_mm, rings),
                "xy_mm": [round(v, 2) for v in dart.tip_mm],
                "wire_mm": round(wire_distance_mm(dart.tip_mm, rings), 2),
                "tip_px": _rounded(ends[0]),
                "flight_px": _rounded(ends[1]),
                "box_px": whole.box_px(),
                "visible": round(seen.share(key, whole), 3),
                "tip_visible": seen.shown(key, ends[0]),
                "flight_visible": seen.shown(key, ends[1]),
            }
        )
    return {"darts": darts, "family": look.family, "setup": setup_of(look)}


def _rounded(point: Any) -> list[float]:  # noqa: ANN401 - anything that iterates
    return [round(float(v), 2) for v in point]
