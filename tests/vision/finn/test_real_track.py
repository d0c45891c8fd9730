"""A real ball on a real table with rails, hands and cues: followed as it was marked by eye, and no arm for it."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np
import pytest

from vision.failure import Failure
from vision.finn.camera import Camera, cameras
from vision.finn.pins import Body
from vision.finn.track import DiscTracker, Sighting, board_cut, cushions_of
from vision.frames import FrameSource, Picture, open_frames
from vision.setup import Setup, parse_setup

BALL: Final = Body(radius_cm=1.75, height_cm=3.5)
CORNER_PX, PX_PER_CM = (62.0, 595.0), 9.2
"""Where the cloth has its lower left corner, and its scale: the camera hangs straight above."""

FAR_PX: Final = 14.0
"""Less than the ball's radius, 15 px."""

STEP_PX: Final = 45.0
"""The ball goes less far from one frame to the next."""

Mark = tuple[int, int, int]
CLIPS: Final[dict[str, tuple[tuple[int, int], int, tuple[Mark, ...]]]] = {
    "gleitreibungskoeffizient_0000_0005": (
        (860, 349), 18, ((30, 803, 350), (52, 698, 352), (78, 616, 354), (140, 573, 362)),
    ),
    "null_grad_stoss_1_0130_0135": (
        (990, 345), 12, ((20, 950, 345), (28, 892, 347), (40, 873, 351), (150, 862, 352)),
    ),
    "simulation_vs_reality_1_0049_0053": (
        (636, 455), 24, ((30, 635, 489), (38, 635, 522), (61, 634, 534), (110, 634, 534)),
    ),
}  # fmt: skip
"""Clip to where the ball waits, the last frame in which it surely does, and frame, x and y of its middle later."""


@pytest.mark.shared_data
@pytest.mark.parametrize("clip", sorted(CLIPS))
def test_a_real_ball_is_followed_and_arms_are_never_taken_for_it(shared_data: Path, clip: str) -> None:
    start, waits, marks = CLIPS[clip]
    seen = _followed(shared_data / "tabletop" / "table-clips" / f"{clip}.mp4", start)
    assert not [frame for frame in seen if frame <= waits]
    for frame, x, y in marks:
        assert np.hypot(seen[frame][0] - x, seen[frame][1] - y) < FAR_PX, (frame, seen[frame])
    frames = sorted(seen)
    steps = [np.subtract(seen[b], seen[a]) / (b - a) for a, b in pairwise(frames)]
    assert max(float(np.hypot(*step)) for step in steps) < STEP_PX
    camera = _camera()
    track = [Sighting(frame=k, t_ms=33 * k, xy_cm=_place(camera, seen[k])) for k in frames]
    assert cushions_of(track, BALL) == ()


def _followed(path: Path, start: tuple[int, int]) -> dict[int, tuple[float, float]]:
    """Follow the ball; frame to where it was seen, px."""
    camera = _camera()
    cut = board_cut(camera, margin_cm=16)
    source = open_frames(path)
    assert not isinstance(source, Failure), source
    tracker, seen = None, {}
    for index, frame in enumerate(_pictures(source)):
        part = cut.of(frame)
        if tracker is None:
            tracker = DiscTracker(part, _place(camera, start), cut, camera, BALL)
        place = tracker.look(part)
        if place is not None:
            x, y = camera.to_px([[*place, BALL.radius_cm]])[0]
            seen[index] = (float(x), float(y))
    return seen


def _pictures(source: FrameSource) -> Iterator[Picture]:
    for frame in source:
        assert not isinstance(frame, Failure), frame
        yield frame.bgr()


def _place(camera: Camera, xy_px: tuple[float, float]) -> tuple[float, float]:
    x, y = camera.to_plane([xy_px], BALL.radius_cm)[0]
    return float(x), float(y)


def _camera() -> Camera:
    corners = [[0, 0], [117, 0], [117, 49], [0, 49]]
    setup = parse_setup(
        {
            "game": "finn",
            "image_size": [1280, 720],
            "board_px": [[CORNER_PX[0] + PX_PER_CM * x, CORNER_PX[1] - PX_PER_CM * y] for x, y in corners],
            "board_cm": corners,
            "lens": {"f_px": 1200, "cx_px": 639.5, "cy_px": 359.5, "k1": 0, "k2": 0},
        }
    )
    assert isinstance(setup, Setup), setup
    found = cameras(setup, (1280, 720))
    assert not isinstance(found, Failure), found
    return found[0]
