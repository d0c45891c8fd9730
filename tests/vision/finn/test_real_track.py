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
from vision.finn.trail import followed
from vision.frames import FrameSource, Picture, open_frames
from vision.setup import Setup, parse_setup

BALL: Final = Body(radius_cm=1.75, height_cm=3.5)
CORNER_PX, PX_PER_CM = (62.0, 595.0), 9.2
"""Where a board has its lower left corner on the cloth, and its scale: the camera hangs straight above."""

RAIL_PX: Final = 629.0
"""Where the lower rail of the table is; it is a rail of the board where that begins there."""

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
    "video_12_0130_0140_Trim": (
        (925, 313), 26, ((34, 947, 485), (39, 921, 551), (49, 886, 611), (59, 864, 582), (79, 832, 542)),
    ),
    "video_1_0233_0240": (
        (293, 262), 7, ((12, 359, 245), (24, 477, 216), (31, 527, 207), (62, 659, 259), (118, 714, 291)),
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


@pytest.mark.shared_data
def test_the_cushion_that_a_real_ball_touches_is_counted_once(shared_data: Path) -> None:
    corner = (CORNER_PX[0], RAIL_PX)
    seen = _followed(shared_data / "tabletop" / "table-clips" / "video_12_0130_0140_Trim.mp4", (925, 313), corner)
    camera = _camera(corner)
    track = [Sighting(frame=k, t_ms=33 * k, xy_cm=_place(camera, seen[k])) for k in sorted(seen)]
    (touched,) = cushions_of(track, BALL)
    assert touched.rail == "right"
    assert 46 <= touched.frame <= 50


def _followed(
    path: Path, start: tuple[int, int], corner: tuple[float, float] = CORNER_PX
) -> dict[int, tuple[float, float]]:
    """Follow the ball; frame to where it was seen, px."""
    camera = _camera(corner)
    cut = board_cut(camera, margin_cm=16)
    source = open_frames(path)
    assert not isinstance(source, Failure), source
    tracker, spots = None, []
    for frame in _pictures(source):
        part = cut.of(frame)
        if tracker is None:
            tracker = DiscTracker(part, _place(camera, start), cut, camera, BALL)
        spots.append(tracker.look(part))
    places = enumerate(followed(spots, _place(camera, start)))
    seen = {index: camera.to_px([[*place, BALL.radius_cm]])[0] for index, place in places if place is not None}
    return {index: (float(x), float(y)) for index, (x, y) in seen.items()}


def _pictures(source: FrameSource) -> Iterator[Picture]:
    for frame in source:
        assert not isinstance(frame, Failure), frame
        yield frame.bgr()


def _place(camera: Camera, xy_px: tuple[float, float]) -> tuple[float, float]:
    x, y = camera.to_plane([xy_px], BALL.radius_cm)[0]
    return float(x), float(y)


def _camera(corner: tuple[float, float] = CORNER_PX) -> Camera:
    corners = [[0, 0], [117, 0], [117, 49], [0, 49]]
    setup = parse_setup(
        {
            "game": "finn",
            "image_size": [1280, 720],
            "board_px": [[corner[0] + PX_PER_CM * x, corner[1] - PX_PER_CM * y] for x, y in corners],
            "board_cm": corners,
            "lens": {"f_px": 1200, "cx_px": 639.5, "cy_px": 359.5, "k1": 0, "k2": 0},
        }
    )
    assert isinstance(setup, Setup), setup
    found = cameras(setup, (1280, 720))
    assert not isinstance(found, Failure), found
    return found[0]
