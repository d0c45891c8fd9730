"""The finder on real pictures: every board found, 20 where it is, tips in the segments that people read."""

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.darts.board import segment_at
from vision.darts.find import BoardFit, find_board
from vision.failure import Failure

pytestmark = pytest.mark.shared_data

EVERY = {"ring-cameras": 3, "front-picam": 9, "front-sequence": 20, "toy-board": 14}
"""Pictures of one camera are much alike: of the large sets every so many are looked at here."""


def load(path: Path) -> NDArray[np.uint8]:
    return np.asarray(cv2.imread(str(path)), dtype=np.uint8)


def entries(data: Path, group: str) -> list[dict[str, Any]]:
    labels = json.loads((data / "darts" / "labels.json").read_text(encoding="utf-8"))[group]
    return [entry for entry in labels[:: EVERY.get(group, 1)] if "video" not in entry]


TWENTY = {
    "ring-cameras": {"cam0": 136, "cam1": 42, "cam2": -91},
    "front-picam": {"": 0},
    "front-sequence": {"": 5},
    "toy-board": {"": -1},
    "oblique-photo": {"": -3},
    "count-white-dwarf": {"": -87},
    "count-calm0815": {"_l_": 180, "_r_": 177},
    "empty-ring": {"cam_0": 90, "cam_1": -40, "cam_2": -144},
    "sequence-bouncer": {"": 90},
    "sequence-img_edge_impact": {"": 90},
}
"""Where 20 lies as seen from the bull, in degrees clockwise from the picture's upper edge: read by eye, by the
part of the name that tells the camera."""


@pytest.mark.parametrize("group", TWENTY)
def test_every_board_is_found_with_20_where_it_is(shared_data: Path, group: str) -> None:
    for entry in entries(shared_data, group):
        name = entry.get("before") or entry["image"]
        fit = find_board(load(shared_data / "darts" / group / name))
        assert isinstance(fit, BoardFit), f"{name}: {fit.message}"
        assert fit.residual_mm < 0.9, name
        if fit.orientation_confidence > 0.9:
            up = np.diff(fit.plane.to_px([[0.0, 0.0], [0.0, 100.0]]), axis=0)[0]
            known = next(angle for camera, angle in TWENTY[group].items() if camera in name)
            off = (np.degrees(np.arctan2(up[0], -up[1])) - known + 180) % 360 - 180
            assert abs(off) < 8, name


def test_tips_of_ring_cameras_lie_in_the_segments_that_people_read(shared_data: Path) -> None:
    for entry in entries(shared_data, "ring-cameras"):
        fit = find_board(load(shared_data / "darts" / "ring-cameras" / entry["before"]))
        assert isinstance(fit, BoardFit)
        read = [segment_at(tip, fit.rings) for tip in fit.plane.to_board(entry["tips_px"])]
        assert read == entry["segments"], entry["before"]


def test_no_board_is_seen_on_the_tables_of_the_other_games(shared_data: Path) -> None:
    for game in ("finn", "astrolabe"):
        for path in sorted((shared_data / game).glob("*/before.*"))[:6]:
            if path.suffix in (".jpg", ".png"):
                assert isinstance(find_board(load(path)), Failure), path
