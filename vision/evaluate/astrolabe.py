"""Measures the reader of Astrolabe: tables before and after a shot, turns as video, colours of real balls."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from vision.astrolabe.colours import Shade, core_bgr, shade_of, strangeness, teach, too_near
from vision.astrolabe.reading import AstrolabeReading, read_astrolabe
from vision.events import Event
from vision.failure import Failure
from vision.frames import open_frames
from vision.pictures import decode_picture, load_picture
from vision.pool import answers
from vision.replay import replay
from vision.setup import Setup, parse_setup

Picture = NDArray[np.uint8]
Json = dict[str, Any]

SIDES: Final = "AB"
GUTTER_CM: Final = 3.6
"""Width of the gutters along both long sides, for scenes whose truth does not give them."""

TAPS: Final = 2
"""Balls of each side that teach the colours."""

NEAR_CM: Final = 1.0
"""A ball read nearer than this to a true one of its side is that one."""

IN_SIGHT: Final = 0.2
"""Of a ball that a wall hides, this share has to show: less is a thread of its colour at the wall."""

BALL_SHARE: Final = 0.22
"""Radius of the core of a ball cut out alone, as a share of the picture's side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneScore:
    """Tables read after a shot.

    Attributes
    ----------
    scenes, exact
        How many, and how many with every slot, group and gutter right.
    slots, slots_right
        All slots.
    shots_right
        Scenes in which the action is right too.
    decidable, accepted
        Scenes whose pictures tell the shot, and how many of these were read without anything to look at.
    wrong, wrong_accepted
        Their names; the latter are the worst there is.
    """

    scenes: int
    exact: int
    slots: int
    slots_right: int
    shots_right: int
    decidable: int
    accepted: int
    wrong: tuple[str, ...]
    wrong_accepted: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClipScore:
    """Shots seen in videos: `right` with moves and foul, `extra` from nothing, `wrong_accepted` without review."""

    clips: int
    shots: int
    found_once: int
    right: int
    extra: int
    fouls: int
    fouls_right: int
    wrong_accepted: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ColourScore:
    """Real balls, taught in one light and told in another.

    Attributes
    ----------
    taught, tested
        The lights.
    balls, right
        All colours at once.
    pairs_wrong
        Balls told wrong where there are only two colours, by pair that teaching accepts.
    refused
        Pairs that teaching warns about.
    """

    taught: str
    tested: str
    balls: int
    right: int
    pairs_wrong: Mapping[str, int]
    refused: tuple[str, ...]


def measure(data: Path, *, workers: int = 1, scheduler: str | None = None) -> Json | Failure:
    """Measure whatever a folder holds; of scenes several at a time as `vision.pool` has it.

    Parameters
    ----------
    data
        Scenes (`*/truth.json` with `before.jpg` and `after.jpg`), clips (`*.json` beside `*.mp4`) or balls cut out
        (`LIGHT/COLOUR/*.png`).

    Returns
    -------
    dict or Failure
        `scenes`, `clips`, `colours`, each if there are any; `NO_LABELS` if there is nothing of the kind.
    """
    found: Json = {}
    try:
        scenes = sorted(data.glob("*/truth.json"))
        if scenes:
            found["scenes"] = asdict(_score_scenes(scenes, workers, scheduler))
        clips = [path for path in sorted(data.glob("*.json")) if path.with_suffix(".mp4").exists()]
        if clips:
            found["clips"] = asdict(_score_clips(clips))
        if any(data.glob("*/*/*.png")):
            found["colours"] = [asdict(score) for score in _score_colours(data)]
    except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
        return Failure("NO_LABELS", f"{data}: the labels are not as they should be ({error!r}).")
    if not found:
        return Failure("NO_LABELS", f"{data}: neither scenes, nor clips, nor balls cut out are here.")
    return found


def scene_setup(truth: Mapping[str, Any]) -> Json:
    """Give the SETUP of a scene: its own, else made of its truth, two balls of each side tapped."""
    if "setup" in truth:
        return dict(truth["setup"])
    width, length = truth["table_cm"]
    slots, pitch = truth["slots_per_position"], truth["pitch_cm"]
    rows = [truth["position_y_cm"][name] for name in sorted(truth["position_y_cm"])]
    first = width / 2 - pitch * (slots - 1) / 2
    return {
        "game": "astrolabe",
        "image_size": truth["size"],
        "board_px": truth["corners_px"],
        "board_cm": truth["corners_cm"],
        "lens": None,
        "table_cm": truth["table_cm"],
        "positions": [{"y": y, "x0": first, "pitch": pitch, "slots": slots} for y in rows],
        "ball_cm": truth["ball_cm"],
        "gutters_cm": [_gutter(0, length), _gutter(width - GUTTER_CM, length)],
        "colours": {str(k): truth["balls_before_px"][name][:TAPS] for k, name in enumerate(SIDES)},
    }


def _gutter(x: float, length: float) -> list[list[float]]:
    return [[x, 0], [x + GUTTER_CM, 0], [x + GUTTER_CM, length], [x, length]]


def scene_action(truth: Mapping[str, Any]) -> Json | None:
    """Give the shot between the two pictures of a scene; None where nothing on the table tells of it."""
    event, side = truth["event"], SIDES.index(truth["shooter"])
    if event == "returned":
        return None
    if "moves" in truth:
        return {"kind": "shot", "side": side, "t_ms": 0, "moves": truth["moves"]}
    to: Any = event
    if event == "score":
        before, after = (truth[when]["slots"] for when in ("before", "after"))
        to = next(
            [row + 1, place + 1]
            for row, name in enumerate(sorted(after))
            for place, (old, new) in enumerate(zip(before[name], after[name], strict=True))
            if old != new
        )
    return {"kind": "shot", "side": side, "t_ms": 0, "moves": [{"ball": side, "from": "hand", "to": to}]}


def wrong_slots(read: Json, truth: Mapping[str, Any]) -> int:
    """Count slots of an answer that are not as `truth["after"]` has them."""
    rows = [truth["after"]["slots"][name] for name in sorted(truth["after"]["slots"])]
    return sum(
        seen != (None if true is None else SIDES.index(true))
        for mine, row in zip(read["slots"], rows, strict=True)
        for seen, true in zip(mine, row, strict=True)
    )


def loose_right(read: Json, truth: Mapping[str, Any]) -> bool:
    """Say whether an answer has every ball outside the slots, and no other."""
    for kind in ("grouped", "gutter"):
        left = [(SIDES.index(ball["side"]), *ball["xy_cm"]) for ball in truth["after"][kind]]
        for ball in read[kind]:
            near = [
                one
                for one in left
                if one[0] == ball["ball"]
                and np.hypot(one[1] - ball["xy_cm"][0], one[2] - ball["xy_cm"][1]) < NEAR_CM
            ]
            if not near:
                return False
            left.remove(near[0])
        if left:
            return False
    return not read.get("returned")


def in_sight(truth: Mapping[str, Any]) -> bool:
    """Say whether every ball of a scene shows enough of itself for a person to see it; others are not counted."""
    return all(ball.get("visible", 0.0) >= IN_SIGHT for ball in truth.get("balls_after", ()))


def _score_scenes(paths: Sequence[Path], workers: int, scheduler: str | None) -> SceneScore:
    slots = slots_right = decidable = accepted = shots = 0
    wrong: list[str] = []
    wrong_accepted: list[str] = []
    truths = [(path, _truth(path)) for path in paths]
    shown = [both for both in truths if in_sight(both[1])]
    read = answers(_read_scene, shown, workers=workers, scheduler=scheduler)
    for (path, truth), answer in zip(shown, read, strict=True):
        count = sum(len(row) for row in truth["after"]["slots"].values())
        slots += count
        told = bool(truth.get("decidable", True))
        decidable += told
        if answer is None:
            wrong.append(path.parent.name)
            continue
        off = wrong_slots(answer, truth)
        slots_right += count - off
        exact = off == 0 and loose_right(answer, truth)
        shot = _same_action(answer["action"], scene_action(truth))
        shots += exact and shot
        accepted += told and not answer["review"]
        if not exact:
            wrong.append(path.parent.name)
        if not (exact and shot) and not answer["review"]:
            wrong_accepted.append(path.parent.name)
    scenes = sum(in_sight(truth) for _, truth in truths)
    return SceneScore(
        scenes=scenes,
        exact=scenes - len(wrong),
        slots=slots,
        slots_right=slots_right,
        shots_right=shots,
        decidable=decidable,
        accepted=accepted,
        wrong=tuple(wrong),
        wrong_accepted=tuple(wrong_accepted),
    )


def _truth(path: Path) -> Json:
    truth = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(truth, dict):
        raise TypeError(f"{path.parent.name}/{path.name} is no object")
    return truth


def _same_action(read: Json | None, true: Json | None) -> bool:
    """Compare shots; the order of moves says nothing."""
    if read is None or true is None:
        return read is true
    return read["side"] == true["side"] and sorted(map(repr, read["moves"])) == sorted(map(repr, true["moves"]))


def _read_scene(scene: tuple[Path, Json]) -> Json | None:
    path, truth = scene
    folder = path.parent
    setup = parse_setup(scene_setup(truth))
    before, after = (load_picture(folder / f"{name}.jpg") for name in ("before", "after"))
    if isinstance(setup, Failure) or isinstance(before, Failure) or isinstance(after, Failure):
        return None
    reading = read_astrolabe(setup, after, before)
    return reading.to_json() if isinstance(reading, AstrolabeReading) else None


def _score_clips(paths: Sequence[Path]) -> ClipScore:
    total = dict.fromkeys(("shots", "found_once", "right", "extra", "fouls", "fouls_right", "wrong_accepted"), 0)
    for path in paths:
        truth = json.loads(path.read_text(encoding="utf-8"))
        setup = parse_setup(truth["setup"])
        if isinstance(setup, Failure):
            raise ValueError(f"{path.name}: {setup.message}")
        seen = [event for event in _events(path.with_suffix(".mp4"), setup) if event.kind == "shot"]
        for name, count in _judge_clip(truth["shots"], seen).items():
            total[name] += count
    return ClipScore(clips=len(paths), **total)


def _events(path: Path, setup: Setup) -> Iterator[Event]:
    frames = open_frames(path)
    if isinstance(frames, Failure):
        raise ValueError(frames.message)
    yield from (event for event in replay(frames, setup) if isinstance(event, Event))


def _judge_clip(true: Sequence[Mapping[str, Any]], seen: Sequence[Event]) -> dict[str, int]:
    matched = [[e for e in seen if e.frame <= t["end_frame"] and e.end_frame >= t["frame"]] for t in true]
    pairs = list(zip(true, matched, strict=True))
    good = [len(m) == 1 and _same_shot(m[0], t) for t, m in pairs]
    fouls = [bool(t.get("foul")) for t in true]
    return {
        "shots": len(true),
        "found_once": sum(len(m) == 1 for m in matched),
        "right": sum(good),
        "extra": len(seen) - len({id(e) for m in matched for e in m}),
        "fouls": sum(fouls),
        "fouls_right": sum(ok and foul for ok, foul in zip(good, fouls, strict=True)),
        "wrong_accepted": sum(
            not ok and any(not e.data["review"] for e in m) for ok, (_, m) in zip(good, pairs, strict=True)
        ),
    }


def _same_shot(event: Event, true: Mapping[str, Any]) -> bool:
    action = event.data["action"]
    return bool(
        action["side"] == true["side"]
        and sorted(map(repr, action["moves"])) == sorted(map(repr, true["moves"]))
        and action.get("foul") == true.get("foul")
    )


def _score_colours(data: Path) -> Iterator[ColourScore]:
    lights = {light.name: _shades(light) for light in sorted(data.iterdir()) if light.is_dir()}
    for taught, balls in lights.items():
        for tested, others in lights.items():
            if taught != tested or len(lights) == 1:
                yield _told(taught, balls, tested, others)


def _shades(light: Path) -> dict[str, list[Shade]]:
    return {
        colour.name: [_shade(file) for file in sorted(colour.glob("*.png"))]
        for colour in sorted(light.iterdir())
        if colour.is_dir()
    }


def _shade(file: Path) -> Shade:
    picture = decode_picture(file.read_bytes())
    if picture is None:
        raise ValueError(f"{file.name} is no picture")
    height, width = picture.shape[:2]
    rows, columns = np.mgrid[:height, :width]
    off = np.hypot(columns - (width - 1) / 2, rows - (height - 1) / 2)
    return shade_of(core_bgr(picture[off < BALL_SHARE * min(height, width)]))


def _told(
    taught: str, balls: Mapping[str, list[Shade]], tested: str, others: Mapping[str, list[Shade]]
) -> ColourScore:
    sides = {name: teach(shades) for name, shades in balls.items()}
    fits = {
        name: [{side: strangeness(shade, sides[side]) for side in sides} for shade in shades]
        for name, shades in others.items()
    }
    right = sum(min(fit, key=lambda side: fit[side]) == name for name, all_of in fits.items() for fit in all_of)
    refused: list[str] = []
    wrong: dict[str, int] = {}
    for one, other in combinations(sorted(sides), 2):
        if too_near(sides[one], sides[other]):
            refused.append(f"{one}/{other}")
            continue
        missed = sum(fit[one] >= fit[other] for fit in fits.get(one, ()))
        missed += sum(fit[other] >= fit[one] for fit in fits.get(other, ()))
        if missed:
            wrong[f"{one}/{other}"] = missed
    count = sum(map(len, others.values()))
    return ColourScore(
        taught=taught, tested=tested, balls=count, right=right, pairs_wrong=wrong, refused=tuple(refused)
    )


def text_of(figures: Mapping[str, Any]) -> str:
    """Give figures of `measure` as lines to read."""
    lines: list[str] = []
    for part in ("scenes", "clips"):
        for name, value in figures.get(part, {}).items():
            lines.append(f"{part:8}{name:16}{_plain(value)}")
    for score in figures.get("colours", ()):
        share = score["right"] / score["balls"] if score["balls"] else 0.0
        lines.append(
            f"colours {score['taught']} -> {score['tested']}: all at once {share:.3f} of {score['balls']}; "
            f"two at a time wrong: {_plain(score['pairs_wrong'])}; warned about: {_plain(score['refused'])}"
        )
    return "\n".join(lines)


def _plain(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {count}" for name, count in value.items()) or "none"
    return ", ".join(map(str, value)) or "none" if isinstance(value, Sequence) else str(value)
