"""Exports carry over every thing, box and point of the truth, as readers of their own read them back."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from vision.export.coco import write_coco
from vision.export.labels import CLASSES, POINTS, labelled_in
from vision.export.splits import split_of
from vision.export.yolo import write_yolo

SIZE = (320, 200)
CRICKET = {
    "setup": {"game": "cricket"},
    "size": list(SIZE),
    "darts": [
        {
            "segment": "T20",
            "box_px": [100, 40, 140, 90],
            "tip_px": [101.0, 88.0],
            "flight_px": [138.0, 42.0],
            "tip_visible": True,
            "flight_visible": False,
        },
        {  # the flight is out of the picture
            "segment": "S1",
            "box_px": [300, -10, 340, 30],
            "tip_px": [302.0, 28.0],
            "flight_px": [338.0, -8.0],
            "tip_visible": True,
            "flight_visible": False,
        },
        {"segment": "MISS", "box_px": None, "tip_px": [900.0, 0.0], "flight_px": [950.0, 0.0]},
    ],
}
PIN = {"base_px": [40.0, 100.0], "top_px": [44.0, 60.0], "base_visible": True, "top_visible": True}
FINN = {
    "setup": {"game": "finn"},
    "size": list(SIZE),
    "after": {"1": {**PIN, "state": "upright"}, "2": {**PIN, "state": "off_board"}},
    "boxes_after": {
        "pin1": {"box_px": [30, 55, 52, 110]},
        "pin2": {"box_px": [31, 55, 52, 110]},
        "disc": {"box_px": [200, 100, 230, 120]},
    },
}
ASTROLABE = {
    "setup": {"game": "astrolabe"},
    "size": list(SIZE),
    "balls_after": [
        {"side": "A", "centre_px": [50.0, 50.0], "centre_visible": True, "box_px": [45, 45, 56, 56]},
        {"side": "B", "centre_px": [80.0, 50.0], "centre_visible": False, "box_px": [75, 45, 86, 56]},
    ],
}
TRUTHS: dict[str, dict[str, Any]] = {"cricket": CRICKET, "finn": FINN, "astrolabe": ASTROLABE}
COUNTS = {
    "cricket": {"dart": 2},
    "finn": {"pin_upright": 1, "pin_off_board": 1, "disc": 1},
    "astrolabe": {"ball_A": 1, "ball_B": 1},
}


def stills(folder: Path, game: str, count: int = 6) -> Path:
    picture = np.full((SIZE[1], SIZE[0], 3), 90, np.uint8)
    for k in range(count):
        place = folder / f"{k:06d}"
        place.mkdir(parents=True)
        (place / "truth.json").write_text(json.dumps(TRUTHS[game]), encoding="utf-8")
        cv2.imwrite(str(place / "after.jpg"), picture)
    return folder


@pytest.mark.parametrize("game", TRUTHS)
def test_coco_is_read_back_by_its_own_tools(game: str, tmp_path: Path) -> None:
    coco = pytest.importorskip("pycocotools.coco")
    found = write_coco(labelled_in(stills(tmp_path / "set", game)), tmp_path / "out", 0.5)
    read: Counter[str] = Counter()
    for split in ("train", "val"):
        told = coco.COCO(str(tmp_path / "out" / "annotations" / f"instances_{split}.json"))
        for one in told.loadAnns(told.getAnnIds()):
            image = told.loadImgs(one["image_id"])[0]
            assert (tmp_path / "out" / "images" / image["file_name"]).is_file()
            x, y, wide, tall = one["bbox"]
            assert min(x, y) >= 0
            assert x + wide <= image["width"]
            assert y + tall <= image["height"]
            assert len(one["keypoints"]) == 3 * len(POINTS[game])
            assert one["num_keypoints"] == sum(v > 0 for v in one["keypoints"][2::3])
            read[told.loadCats(one["category_id"])[0]["name"]] += 1
    assert read == found == {name: 6 * count for name, count in COUNTS[game].items()}


@pytest.mark.parametrize("game", TRUTHS)
def test_yolo_pose_gives_back_boxes_and_points(game: str, tmp_path: Path) -> None:
    source = list(labelled_in(stills(tmp_path / "set", game)))
    found = write_yolo(source, tmp_path / "out", "pose", 0.3)
    assert found == {name: 6 * count for name, count in COUNTS[game].items()}
    for one in source:
        text = tmp_path / "out" / "labels" / split_of(one.name, 0.3) / f"{one.name}.txt"
        rows = [[float(word) for word in line.split()] for line in text.read_text().splitlines()]
        assert [CLASSES[game][int(row[0])] for row in rows] == [thing.name for thing in one.things]
        for row, thing in zip(rows, one.things, strict=True):
            x, y, wide, tall = (v * s for v, s in zip(row[1:5], SIZE * 2, strict=True))
            low, high = np.clip(thing.box_px[:2], 0, SIZE), np.clip(thing.box_px[2:], 0, SIZE)
            assert np.allclose([x - wide / 2, y - tall / 2, x + wide / 2, y + tall / 2], [*low, *high], atol=1e-3)
            points = np.array(row[5:]).reshape(-1, 3)
            assert [int(v) for v in points[:, 2]] == [point.seen for point in thing.points]
            for (px, py, seen), point in zip(points, thing.points, strict=True):
                if seen:
                    assert np.allclose(np.array([px, py]) * SIZE - 0.5, point.xy_px, atol=1e-3)


def test_yolo_detect_has_boxes_alone_and_names_its_classes(tmp_path: Path) -> None:
    write_yolo(labelled_in(stills(tmp_path / "set", "finn")), tmp_path / "out", "detect", 0.3)
    text = next((tmp_path / "out" / "labels").glob("*/*.txt")).read_text()
    assert {len(line.split()) for line in text.splitlines()} == {5}
    data = (tmp_path / "out" / "data.yaml").read_text()
    assert all(f"{k}: {name}\n" in data for k, name in enumerate(CLASSES["finn"]))


def test_yolo_classify_has_a_crop_of_each_thing_in_the_folder_of_what_it_is(tmp_path: Path) -> None:
    found = write_yolo(labelled_in(stills(tmp_path / "set", "cricket")), tmp_path / "out", "classify", 0.0)
    crops = list((tmp_path / "out" / "train").glob("*/*.jpg"))
    assert Counter(path.parent.name for path in crops) == found == {"T20": 6, "S1": 6}
    assert all(min(cv2.imread(str(path)).shape[:2]) > 10 for path in crops)  # type: ignore[union-attr]


def test_what_is_hidden_and_what_is_outside_are_told_apart(tmp_path: Path) -> None:
    (one,) = labelled_in(stills(tmp_path, "cricket", 1))
    assert [[point.seen for point in thing.points] for thing in one.things] == [[2, 1], [2, 0]]


def test_a_truth_that_is_none_is_named(tmp_path: Path) -> None:
    stills(tmp_path, "finn", 1)
    (tmp_path / "000000" / "truth.json").write_text('{"size": [1, 1]}')
    with pytest.raises(ValueError, match="000000"):
        list(labelled_in(tmp_path))


def test_games_do_not_mix(tmp_path: Path) -> None:
    stills(tmp_path / "set" / "a", "finn", 1)
    stills(tmp_path / "set" / "b", "astrolabe", 1)
    both = [one for name in ("a", "b") for one in labelled_in(tmp_path / "set" / name)]
    with pytest.raises(ValueError, match="a game at a time"):
        write_yolo(both, tmp_path / "out", "pose", 0.2)
    with pytest.raises(ValueError, match="a game at a time"):
        write_coco(both, tmp_path / "out2", 0.2)
