"""Truth of a shot and of what can be seen of it, in the form of the project's finn truth files."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from vision.synth.fast import FastEngine
from vision.synth.finn.look import BOARD_CM, FinnScene, Layout, Piece
from vision.synth.finn.parts import build, number_point
from vision.synth.finn.physics import Run
from vision.synth.finn.states import middle, rotation, states, tilt_deg
from vision.synth.masks import Named
from vision.synth.scene import Bytes, Floats, Scene

Places = Mapping[int, tuple[float, float, float]]
CORNERS_CM = ((0.0, 0.0), (BOARD_CM[0], 0.0), BOARD_CM, (0.0, BOARD_CM[1]))
FACES = 0.26  # cosine between number and line of sight from which a number can be read
LEGIBLE_PX = 9.0  # height of a number from which a person reads it
MOVED_CM = 1.0  # an upright pin that moved less is known by its place


def setup_of(look: FinnScene) -> dict[str, Any]:
    """Give the SETUP of the scene's camera."""
    sizes = look.look.sizes
    seen = look.camera.to_px(np.array([[x, y, 0.0] for x, y in CORNERS_CM]))
    return {
        "game": "finn",
        "image_size": list(look.camera.size),
        "board_px": [_px(p) for p in seen],
        "board_cm": [list(p) for p in CORNERS_CM],
        "lens": look.camera.lens(),
        "pins": {"diameter_cm": sizes.pin_cm, "height_cm": sizes.pin_high_cm},
        "disc": {"diameter_cm": sizes.disc_cm, "height_cm": sizes.disc_high_cm},
    }


def _px(point: Any) -> list[float]:  # noqa: ANN401 - anything that iterates
    return [round(float(v), 1) for v in point]


def numbers_seen(look: FinnScene, layout: Layout, seen: Named) -> list[int]:
    """Name the pins whose number a person can read: it faces the camera, is large enough, nothing hides it."""
    eye = look.camera.position()
    found = []
    for number, piece in layout.pins:
        point, facing = number_point(piece, look.look.sizes)
        sight = eye - point
        cosine = float(facing @ sight / np.linalg.norm(sight))
        size = look.camera.f_px / float(np.linalg.norm(sight)) * look.look.sizes.pin_cm * look.look.number_share
        px = look.camera.to_px(point[None])[0]
        if (
            cosine > FACES
            and size * cosine > LEGIBLE_PX
            and _seen(seen.picture, seen.name(f"pin{number}"), px, size)
        ):
            found.append(number)
    return found


def _seen(names: Bytes, name: int, px: Floats, size_px: float) -> bool:
    """Whether three quarters of a small patch about a point (2,) px belong to a piece."""
    reach = max(1, round(size_px * 0.25))
    x, y = (round(float(v)) for v in px)
    if not (reach <= x < names.shape[1] - reach and reach <= y < names.shape[0] - reach):
        return False
    patch = names[y - reach : y + reach + 1, x - reach : x + reach + 1]
    return float((patch == name).mean()) > 0.75


def pin_truth(look: FinnScene, piece: Piece, state: str, touching: frozenset[str]) -> dict[str, Any]:
    """Give one pin's state, place and key points."""
    sizes = look.look.sizes
    top = np.asarray(piece.at_cm) + rotation(piece)[:, 2] * (sizes.pin_high_cm + sizes.pin_low_cm) / 2
    ends = look.camera.to_px(np.array([piece.at_cm, top]))
    return {
        "state": state,
        "tilt": round(tilt_deg(piece), 2),
        "xy_cm": [round(float(v), 1) for v in middle(piece, sizes)[:2]],
        "base_px": _px(ends[0]),
        "top_px": _px(ends[1]),
        "touching": sorted(touching),
    }


def boxes(scene: Scene, seen: Named, engine: FastEngine) -> dict[str, dict[str, Any]]:
    """Give each piece's box in px as if nothing hid it, and the share of it that is seen."""
    found = {}
    for key in (k for k in seen.keys if k.startswith("pin") or k == "disc"):
        whole = engine.part(scene, key)
        box = whole.box_px()
        if box is not None:
            found[key] = {"box_px": box, "visible": round(seen.share(key, whole), 3)}
    return found


def ends_seen(pins: dict[str, dict[str, Any]], seen: Named) -> dict[str, dict[str, Any]]:
    """Add to each pin's truth whether anything stands before its base and its top."""
    ends = ("base", "top")
    return {
        number: {**pin, **{f"{end}_visible": seen.shown(f"pin{number}", pin[f"{end}_px"]) for end in ends}}
        for number, pin in pins.items()
    }


def decidable(look: FinnScene, before: Places, run: Run, seen: list[int]) -> bool:
    """Whether the states of all pins follow from the two pictures.

    A pin is known by its number, or by standing where it stood; those left are told apart only if one is left or
    all of them came to the same.
    """
    sizes = look.look.sizes
    found = states(run, sizes)
    places = {n: middle(piece, sizes)[:2] for n, piece in run.layout(run.seconds).pins}
    moved = {n: float(np.hypot(*(places[n] - np.asarray(xy[:2])))) for n, xy in before.items()}
    stayed = {n for n in before if found[n] == "upright" and moved[n] < MOVED_CM}
    return len({found[n] for n in before if n not in stayed and n not in seen}) <= 1


def still_truth(
    look: FinnScene, before: Places, run: Run, shown: tuple[Layout, Layout], engine: FastEngine
) -> dict[str, Any]:
    """Give the truth of a shot as two pictures show it: `shown`, first and last."""
    sizes = look.look.sizes
    first, last = shown
    found = states(run, sizes)
    places = {n: (x, y) for n, (x, y, _) in before.items()}
    scene = build(look, last)
    seen = engine.named(scene)
    legible = numbers_seen(look, last, seen)
    return {
        "decidable": decidable(look, before, run, legible),
        "numbers_seen_before": numbers_seen(look, first, engine.named(build(look, first))),
        "numbers_seen_after": legible,
        "size": list(look.camera.size),
        "view": look.view,
        "board_cm": list(BOARD_CM),
        "pin_cm": {"diameter": sizes.pin_cm, "height": sizes.pin_high_cm},
        "disc_cm": sizes.disc_cm,
        "corners_px": setup_of(look)["board_px"],
        "corners_cm": [list(p) for p in CORNERS_CM],
        "cushions": len(run.cushions_s),
        "before": {str(n): [round(x, 1), round(y, 1)] for n, (x, y) in places.items()},
        "after": ends_seen({str(n): pin_truth(look, p, found[n], run.contacts[n]) for n, p in last.pins}, seen),
        "boxes_after": boxes(scene, seen, engine),
        "disc_after_cm": [round(float(v), 1) for v in (last.disc or first.pins[0][1]).at_cm[:2]],
        "setup": setup_of(look),
    }
