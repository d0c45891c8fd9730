"""Truth of a shot on the table, in the form of the project's astrolabe truth files."""

from typing import Any

import numpy as np

from vision.synth.astrolabe.look import GUTTER_CM, PLAY_LINE_CM, TABLE_CM, AstrolabeScene, Marble, Table
from vision.synth.astrolabe.parts import build
from vision.synth.astrolabe.physics import place_of
from vision.synth.astrolabe.recipe import Moment
from vision.synth.fast import FastEngine

CORNERS_CM = ((0.0, 0.0), (TABLE_CM[0], 0.0), TABLE_CM, (0.0, TABLE_CM[1]))
NAMES = ("A", "B")


def setup_of(look: AstrolabeScene, before: tuple[Marble, ...]) -> dict[str, Any]:
    """Give the SETUP: the camera, the table, and pixels of balls of each side as a person taps them."""
    table = look.look.table
    wide, long = TABLE_CM
    tapped: dict[str, list[list[float]]] = {"0": [], "1": []}
    for ball in sorted(before, key=lambda ball: place_of(ball, table) == "gutter"):  # a wall may hide those
        tapped[str(ball.side)].append(_px(look.camera.to_px(np.array([ball.at_cm]))[0]))
    return {
        "game": "astrolabe",
        "image_size": list(look.camera.size),
        "board_px": [_px(p) for p in look.camera.to_px(np.array([[x, y, 0.0] for x, y in CORNERS_CM]))],
        "board_cm": [list(p) for p in CORNERS_CM],
        "lens": look.camera.lens(),
        "table_cm": [wide, long],
        "play_line_y": PLAY_LINE_CM,
        "positions": [
            {"y": y, "x0": table.first_cm, "pitch": table.pitch_cm, "slots": table.slots} for y in table.rows_cm
        ],
        "ball_cm": table.ball_cm,
        "gutters_cm": [
            [[0, 0], [GUTTER_CM, 0], [GUTTER_CM, long], [0, long]],
            [[wide - GUTTER_CM, 0], [wide, 0], [wide, long], [wide - GUTTER_CM, long]],
        ],
        "colours": {
            side: points[: max(1, _in_sight(before, int(side), table))] for side, points in tapped.items()
        },
    }


def _in_sight(balls: tuple[Marble, ...], side: int, table: Table) -> int:
    """Count the balls of a side, two at most, that are in no gutter."""
    return min(2, sum(ball.side == side and place_of(ball, table) != "gutter" for ball in balls))


def _px(point: Any) -> list[float]:  # noqa: ANN401 - anything that iterates
    return [round(float(v), 1) for v in point]


def lies(look: AstrolabeScene, balls: tuple[Marble, ...]) -> dict[str, Any]:
    """Give what lies where: slots by position, grouped and gutter balls."""
    table = look.look.table
    slots: list[list[str | None]] = [[None] * table.slots for _ in table.rows_cm]
    found: dict[str, list[dict[str, Any]]] = {"grouped": [], "gutter": [], "hand": []}
    for ball in balls:
        place = place_of(ball, table)
        if isinstance(place, str):
            found[place].append({"side": NAMES[ball.side], "xy_cm": _px(ball.at_cm[:2])})
        else:
            slots[place[0]][place[1]] = NAMES[ball.side]
    return {
        "slots": {str(k + 1): row for k, row in enumerate(slots)},
        "grouped": found["grouped"],
        "gutter": found["gutter"],
    }


def moves(now: Moment) -> list[dict[str, Any]]:
    """Give every ball that came to rest elsewhere, slots counted from 1, as a scoresheet's `moves` do."""
    table = now.scene.look.table
    after = now.run.balls(now.run.seconds)
    starts: list[Any] = [place_of(ball, table) for ball in now.before] + ["hand"]
    found = []
    for start, ball in zip(starts, after, strict=True):
        end = place_of(ball, table)
        if end != start or start == "hand":
            found.append({"ball": ball.side, "from": _spot(start), "to": _spot(end)})
    return found


def decidable(now: Moment) -> bool:
    """Say whether the two pictures of a shot tell the shot; where they do not, a person has to be asked.

    They do where nothing moved, or where one side alone has one ball more to be seen, which no other ball of its
    side can be taken for: balls of a side are alike, and one that rolled back was taken up between the pictures.
    """
    table, after = now.scene.look.table, now.run.balls(now.run.seconds)
    starts, ends = [place_of(ball, table) for ball in now.before], [place_of(ball, table) for ball in after]
    others = list(zip(after, starts, ends, strict=False))
    if starts == ends[:-1]:
        return True
    more = [0, 0]
    for ball, start, end in [*others, (after[-1], "hand", ends[-1])]:
        more[ball.side] += (end != "hand") - (start != "hand")
    own_moved = any(ball.side == now.shooter and start != end for ball, start, end in others)
    return more[now.shooter] == 1 and more[1 - now.shooter] < 1 and not own_moved


def _spot(place: str | tuple[int, int]) -> Any:  # noqa: ANN401 - JSON
    return place if isinstance(place, str) else [place[0] + 1, place[1] + 1]


def key_points(look: AstrolabeScene, balls: tuple[Marble, ...], engine: FastEngine) -> list[dict[str, Any]]:
    """Give each ball's centre and box in px and the share of it that is seen."""
    scene = build(look, balls)
    seen = engine.named(scene)
    rows = []
    for k, ball in enumerate(balls):
        key = f"ball{k}"
        whole, centre = engine.part(scene, key), look.camera.to_px(np.array([ball.at_cm]))[0]
        row: dict[str, Any] = {
            "side": NAMES[ball.side],
            "centre_px": _px(centre),
            "centre_visible": seen.shown(key, centre),
        }
        box = whole.box_px()
        if box is not None:
            row["box_px"] = box
            row["visible"] = round(seen.share(key, whole), 3)
        rows.append(row)
    return rows


def still_truth(now: Moment, engine: FastEngine) -> dict[str, Any]:
    """Give the truth of a shot as two pictures show it."""
    look, table = now.scene, now.scene.look.table
    after = tuple(ball for ball in now.run.balls(now.run.seconds) if place_of(ball, table) != "hand")
    shot_ball = now.run.balls(now.run.seconds)[-1]
    end = place_of(shot_ball, table)
    event = {"hand": "returned"}.get(end, end) if isinstance(end, str) else "score"
    shown: dict[str, list[list[float]]] = {"A": [], "B": []}
    for ball in now.before:
        shown[NAMES[ball.side]].append(_px(look.camera.to_px(np.array([ball.at_cm]))[0]))
    return {
        "size": list(look.camera.size),
        "view": look.view,
        "kind": look.look.balls[0].kind,
        "colours_srgb": {
            n: [int(255 * c + 0.5) for c in b.colour] for n, b in zip(NAMES, look.look.balls, strict=True)
        },
        "table_cm": list(TABLE_CM),
        "slots_per_position": table.slots,
        "pitch_cm": table.pitch_cm,
        "ball_cm": table.ball_cm,
        "position_y_cm": {str(k + 1): y for k, y in enumerate(table.rows_cm)},
        "corners_px": setup_of(look, now.before)["board_px"],
        "corners_cm": [list(p) for p in CORNERS_CM],
        "balls_before_px": shown,
        "shooter": NAMES[now.shooter],
        "event": event,
        "table_moved": now.shaken,
        "moves": moves(now),
        "decidable": decidable(now),
        "before": lies(look, now.before),
        "after": lies(look, after),
        "balls_after": key_points(look, after, engine),
        "setup": setup_of(look, now.before),
    }
