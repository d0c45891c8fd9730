import json
from pathlib import Path
from typing import Any

import pytest

from vision.failure import Failure
from vision.geometry import PlaneMap
from vision.setup import Setup, format_setup, load_setup, parse_setup

CORNERS_PX = [[187.4, 546.8], [1103.5, 551.9], [1071.3, 182.0], [220.8, 186.4]]

FINN: dict[str, Any] = {
    "game": "finn",
    "image_size": [1280, 720],
    "board_px": CORNERS_PX,
    "board_cm": [[0, 0], [117, 0], [117, 49], [0, 49]],
    "lens": None,
    "pins": {"diameter_cm": 3.0, "height_cm": 7.5},
    "disc": {"diameter_cm": 4.0, "height_cm": 2.0},
}
ASTROLABE: dict[str, Any] = {
    "game": "astrolabe",
    "image_size": [1280, 720],
    "board_px": CORNERS_PX,
    "board_cm": [[0, 0], [60, 0], [60, 120], [0, 120]],
    "lens": {"f_px": 900, "cx_px": 640, "cy_px": 360, "k1": -0.1, "k2": 0.0},
    "table_cm": [60, 120],
    "play_line_y": 20,
    "positions": [{"y": 55, "x0": 21, "pitch": 4.5, "slots": 5}],
    "ball_cm": 2.5,
    "gutters_cm": [[[0, 0], [4, 0], [4, 120], [0, 120]]],
    "colours": {"0": [[614.2, 355.7]], "1": [[752.2, 296.7]]},
    "colours_image": "before.jpg",
}
CRICKET: dict[str, Any] = {
    "game": "cricket",
    "image_size": [800, 600],
    "board_px": [[400, 100], [600, 300], [400, 500], [200, 300]],
    "board_mm": [[0, 170], [170, 0], [0, -170], [-170, 0]],
    "lens": None,
    "rings_mm": [8.6, 18.4, 95, 106, 159, 170],
    "orientation_confidence": 0.9,
}


@pytest.mark.parametrize("value", [FINN, ASTROLABE, CRICKET, {"game": "cricket", "image_size": [800, 600]}])
def test_a_setup_survives_being_written(value: dict[str, Any]) -> None:
    setup = parse_setup(value)
    assert isinstance(setup, Setup)
    assert parse_setup(json.loads(json.dumps(format_setup(setup)))) == setup


def test_what_finn_leaves_out_has_the_sizes_of_the_game() -> None:
    setup = parse_setup({**FINN, "pins": {}, "zones_cm": {"first_line_x": 30}})
    assert isinstance(setup, Setup)
    assert setup.finn
    assert (setup.finn.pin_height_cm, setup.finn.first_line_x_cm) == (7.5, 30)
    assert setup.finn.zones_cm["defense"][0] == (55, 0)


def test_the_plane_follows_pictures_of_another_size_but_the_same_shape() -> None:
    setup = parse_setup(CRICKET)
    assert isinstance(setup, Setup)
    plane = setup.plane((1600, 1200))
    assert isinstance(plane, PlaneMap)
    assert plane.to_px([[0, 170]])[0] == pytest.approx([800.5, 200.5])
    other = setup.plane((1280, 720))
    assert isinstance(other, Failure)
    assert other.code == "WRONG_SIZE"


def test_a_dartboard_without_points_is_to_be_found() -> None:
    setup = parse_setup({"game": "cricket", "image_size": [800, 600], "lens": None})
    assert isinstance(setup, Setup)
    plane = setup.plane()
    assert isinstance(plane, Failure)
    assert plane.code == "NO_POINTS"


def altered(base: dict[str, Any], **changes: object) -> dict[str, Any]:
    return {**base, **changes}


FAULTS: list[tuple[object, str]] = [
    ([], "a SETUP is a JSON object"),
    ({"game": "chess"}, '"game" is "finn", "cricket" or "astrolabe"'),
    (altered(FINN, ball_cm=2.5), "knows no 'ball_cm'"),
    (altered(FINN, image_size=[1280]), '"image_size" is [width, height]'),
    (altered(FINN, image_size=[1280.5, 720]), '"image_size" is [width, height]'),
    (altered(FINN, image_size=[0, 720]), '"image_size" is [width, height]'),
    (altered(FINN, image_size=[True, True]), '"image_size" is [width, height]'),
    (altered(FINN, board_px=CORNERS_PX[:3]), '"board_px" has 3 points and "board_cm" 4'),
    (altered(FINN, board_px=CORNERS_PX[:3], board_cm=FINN["board_cm"][:3]), "four matching points"),
    (altered(FINN, board_px=None), '"board_px" has 0 points'),
    (altered(FINN, board_px=[[0, 0], [1, 1], [2, 2], [3, 3]]), "one line"),
    (altered(FINN, board_px=[["a", 0], *CORNERS_PX[1:]]), "\"board_px[0]\" holds numbers, not 'a'"),
    (altered(FINN, board_px=[[1, 2, 3], *CORNERS_PX[1:]]), '"board_px[0]" is a pair'),
    (altered(FINN, board_px=[[float("nan"), 2], *CORNERS_PX[1:]]), '"board_px[0]" holds numbers'),
    (altered(FINN, pins={"diameter_cm": -3}), '"pins.diameter_cm" is a size and positive'),
    (altered(FINN, pins={"width": 3}), "\"pins\" knows no 'width'"),
    (altered(FINN, zones_cm={"launch": [[0, 0], [1, 1]]}), "an area of three corners"),
    (altered(FINN, zones_cm={"moon": []}), "\"zones_cm\" knows no 'moon'"),
    (altered(FINN, lens={"f_px": 900}), "lens lacks 'cx_px'"),
    (altered(ASTROLABE, positions=[{"y": 1, "x0": 1, "pitch": 1}]), '"positions[0]" lacks "slots"'),
    (altered(ASTROLABE, positions=[{"y": 1, "x0": 1, "pitch": 1, "slots": 2.5}]), "a whole number from 1"),
    (altered(ASTROLABE, colours={"2": [[1, 2]]}), "\"colours\" knows no '2'"),
    (altered(ASTROLABE, colours_image=3), '"colours_image" is the name of a picture'),
    (altered(FINN, board_px=[[10**400, 2], *CORNERS_PX[1:]]), '"board_px[0]" holds numbers up to'),
    (altered(FINN, board_px=[[1e308, 2], *CORNERS_PX[1:]]), '"board_px[0]" holds numbers up to'),
    (altered(FINN, board_px=[[1, 2]] * 5000), "lists 5000"),
    (altered(FINN, image_size=[10**9, 720]), '"image_size" is [width, height]'),
    (altered(FINN, pins={"height_cm": 9000}), '"pins.height_cm" is a size of 0.1 to 1000 cm'),
    (altered(FINN, lens={"f_px": 900, "cx_px": 1, "cy_px": 1, "k1": 10**400}), "lens.k1 is a number no larger"),
    (altered(ASTROLABE, ball_cm=1e-9), '"ball_cm" is a size of 0.1 to 1000 cm'),
    (altered(ASTROLABE, positions=[{"y": 55, "x0": 21, "pitch": 4.5, "slots": 10**9}]), "from 1 to 100"),
    (altered(ASTROLABE, positions=[{"y": 55, "x0": 21, "pitch": 40, "slots": 5}]), "lies beside the table"),
    (altered(CRICKET, rings_mm=[1, 2, 3]), "six radii"),
    (altered(CRICKET, rings_mm=[9, 8, 7, 6, 5, 4]), "grow outward"),
    ({"game": "cricket", "image_size": [8, 6], "board_px": CORNERS_PX, "board_cm": CORNERS_PX}, '"board_mm"'),
]


@pytest.mark.parametrize(("value", "why"), FAULTS, ids=[why for _, why in FAULTS])
def test_a_setup_with_a_fault_is_refused_with_the_key_and_the_reason(value: object, why: str) -> None:
    failure = parse_setup(value)
    assert isinstance(failure, Failure)
    assert failure.code == "BAD_SETUP"
    assert why in failure.message


def test_a_file_is_named_in_the_refusal(tmp_path: Path) -> None:
    missing = load_setup(tmp_path / "none.json")
    assert isinstance(missing, Failure)
    assert missing.code == "NO_SETUP"
    broken = tmp_path / "broken.json"
    broken.write_text("{", encoding="utf-8")
    assert "broken.json: no JSON" in getattr(load_setup(broken), "message", "")
    broken.write_text("[" * 200_000, encoding="utf-8")
    assert "broken.json: no JSON (nested too deep)" in getattr(load_setup(broken), "message", "")
    wrong = tmp_path / "wrong.json"
    wrong.write_text('{"game": "go"}', encoding="utf-8")
    assert "wrong.json" in getattr(load_setup(wrong), "message", "")


def test_the_picture_of_the_colours_lies_beside_its_setup(tmp_path: Path) -> None:
    path = tmp_path / "setup.json"
    path.write_text(json.dumps(ASTROLABE), encoding="utf-8")
    setup = load_setup(path)
    assert isinstance(setup, Setup)
    assert setup.astrolabe
    assert setup.astrolabe.colours_image == tmp_path / "before.jpg"


@pytest.mark.shared_data
@pytest.mark.parametrize("game", ["finn", "astrolabe"])
def test_the_setups_of_recorded_turns_are_read(shared_data: Path, game: str) -> None:
    for path in sorted((shared_data / f"{game}-clips").glob("*.json")):
        setup = parse_setup(json.loads(path.read_text(encoding="utf-8"))["setup"])
        assert isinstance(setup, Setup), setup.message
        assert isinstance(setup.plane(), PlaneMap)
