"""Teaching: what lessons may be, what is chosen by them, and that a SETUP stays where it does not help."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from support.astrolabe_scenes import Ball, Look, draw, setup_json, slot_cm

from service.cli.main import main
from vision.failure import Failure
from vision.finn.evidence import BY_CONTRAST, bare_of, colours_of, evidence
from vision.finn.light import log_of
from vision.setup import CONTRASTS, Setup, format_setup, parse_setup
from vision.teach.guide import STEPS, steps
from vision.teach.lessons import TRUTHS, Read, load_lessons, parse_lessons, score
from vision.teach.teaching import teach

LOOK = Look()
ROWS = ((0, 1, 2), (0, 1, 4), (1, 2, 3))
"""Slots of side 0 in the first row, of side 1 in the second, for each lesson."""
BARE: Ball = (1, (30.0, 40.0))
"""Where a finger missed the ball: bare table."""


def slots(which: int) -> list[list[int | None]]:
    filled = ROWS[which]
    return [
        [0 if slot in filled else None for slot in range(5)],
        [1 if slot in filled else None for slot in range(5)],
        [None] * 5,
    ]


def balls(which: int) -> list[Ball]:
    return [(side, slot_cm(side + 1, slot + 1)) for side in (0, 1) for slot in ROWS[which]]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Lessons of a table whose second colour was taught by a tap on the bare board, and its SETUP."""
    listed = []
    for which in range(3):
        cv2.imwrite(str(tmp_path / f"{which}.png"), draw(replace(LOOK, seed=which + 1), balls(which)))
        listed.append({"image": f"{which}.png", "truth": {"slots": slots(which)}, "check": which == 2})
    (tmp_path / "lessons.json").write_text(json.dumps({"lessons": listed}))
    setup = setup_json(LOOK, [balls(0)[0], BARE]) | {"colours_image": "0.png"}
    (tmp_path / "setup.json").write_text(json.dumps(setup))
    return tmp_path


def run(argv: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stop:
        main(argv)
    said = capsys.readouterr()
    return int(stop.value.code or 0), said.out, said.err


@pytest.mark.long
def test_colours_are_learnt_from_the_balls_of_a_lesson(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    argv = ["teach", str(table / "lessons.json"), "--setup", str(table / "setup.json")]
    status, out, err = run([*argv, "-o", str(table / "taught.json"), "--json"], capsys)
    assert status == 0, out + err
    told = json.loads(out)
    assert told["check"]["before"]["right"] == 0
    assert told["check"]["after"] == {"lessons": 1, "right": 1, "asked": 0, "silent": 0}
    taught = json.loads((table / "taught.json").read_text())
    assert [len(taught["colours"][side]) for side in "01"] == [3, 3]
    status, out, _ = run([*argv[:-1], str(table / "taught.json")], capsys)
    assert status == 1  # nothing is left to teach
    assert "nothing that can be chosen helps" in out


@pytest.mark.long
def test_what_does_not_help_those_to_check_by_changes_nothing(table: Path) -> None:
    value = json.loads((table / "lessons.json").read_text())
    value["lessons"][2]["truth"]["slots"][0] = [1, 1, 1, 1, 1]  # a person who is wrong about it
    value["lessons"].append({**value["lessons"][0], "check": True})
    setup = parse_setup(json.loads((table / "setup.json").read_text()) | {"colours_image": str(table / "0.png")})
    lessons = parse_lessons(value, "astrolabe", table)
    assert isinstance(setup, Setup)
    assert not isinstance(lessons, Failure)
    taught = teach(setup, lessons)
    assert not isinstance(taught, Failure)
    assert taught.changed
    assert (taught.setup is None) == (taught.after.silent > taught.before.silent)


LESSON = {"image": "a.jpg", "before": "b.jpg", "truth": {"pins": {"1": "fallen"}}}


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({}, "2 to 40"),
        ({"lessons": [LESSON]}, "2 to 40"),
        ({"lessons": [LESSON, LESSON]}, "to check by"),
        ({"lessons": [LESSON, LESSON | {"check": True, "colour": 1}]}, "Lesson 1: it has before, check"),
        ({"lessons": [LESSON, {"image": "a.jpg", "truth": {"slots": []}}]}, 'truth for finn is {"pins"'),
        ({"lessons": [LESSON, LESSON | {"truth": {"pins": []}}]}, "of another form"),
        ({"lessons": [LESSON, {"image": "a.jpg", "truth": {"pins": {}}}]}, "needs the picture from before"),
    ],
)
def test_lessons_that_are_none_are_said_in_one_sentence(value: object, said: str) -> None:
    found = parse_lessons(value, "finn", Path())
    assert isinstance(found, Failure)
    assert said in found.message


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert isinstance(load_lessons(tmp_path / "none.json", "finn"), Failure)
    status, _, err = run(["teach"], capsys)
    assert (status, len(err.splitlines())) == (2, 1)


@pytest.mark.parametrize("extra", [[], ["--json"]])
def test_a_picture_that_is_not_there_is_named_before_anything_is_tried(
    table: Path, capsys: pytest.CaptureFixture[str], extra: list[str]
) -> None:
    (table / "1.png").unlink()
    argv = ["teach", str(table / "lessons.json"), "--setup", str(table / "setup.json")]
    status, out, err = run([*argv, "-o", str(table / "taught.json"), *extra], capsys)
    assert (status, out) == (2, "")
    assert err == f"tallycam: Lesson 1: {table / '1.png'}: cannot be read (No such file or directory).\n"
    assert not (table / "taught.json").exists()


def test_darts_have_nothing_to_teach(capsys: pytest.CaptureFixture[str]) -> None:
    assert isinstance(steps("cricket"), Failure)
    setup = parse_setup({"game": "cricket", "image_size": [640, 480], "lens": None})
    assert isinstance(setup, Setup)
    found = teach(setup, ())
    assert isinstance(found, Failure)
    assert found.code == "NOTHING_TO_TEACH"
    assert run(["teach", "--guide", "cricket"], capsys)[0] == 2


@pytest.mark.parametrize("game", STEPS)
def test_the_guide_has_pictures_to_learn_from_and_to_check_by(
    game: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, _ = run(["teach", "--guide", game, "--json"], capsys)
    assert status == 0
    told = json.loads(out)["steps"]
    assert {one["check"] for one in told} == {True, False}
    assert all(one["truth"] is None or set(one["truth"]) == {TRUTHS[game]} for one in told)


def test_scores_count_what_is_wrong_and_asked_nobody() -> None:
    reads = [
        Read(right=True, asked=False, sure=0.9),
        Read(right=True, asked=True, sure=0.5),
        Read(right=False, asked=True, sure=0.2),
        Read(right=False, asked=False, sure=0.9),
    ]
    assert score(reads).to_json() == {"lessons": 4, "right": 2, "asked": 2, "silent": 1}


# Contrast


def pin_on_its_own_wood(lighter: float) -> tuple[float, ...]:
    """Give what speaks for a patch that is so much lighter than the table, at each contrast."""
    rng = np.random.default_rng(3)
    table = np.clip(150 + rng.normal(0, 1, (120, 160, 3)), 0, 255)
    after = table.copy()
    after[50:70, 60:100] *= lighter
    then, now = log_of(table.astype(np.uint8)), log_of(after.astype(np.uint8))
    pins, board = np.zeros((120, 160), np.uint8), np.ones((120, 160), np.uint8)
    pins[10:30, 10:20] = 1
    bare = bare_of(then, pins, pins, board, 60.0)
    return tuple(
        float(np.median(evidence(now, colours_of(now), bare, contrast)[54:66, 66:94]))
        for contrast in range(len(BY_CONTRAST))
    )


def test_with_less_contrast_a_shade_says_more() -> None:
    shade = pin_on_its_own_wood(1.12)
    assert len(shade) == CONTRASTS + 1
    assert list(shade) == sorted(shade)
    assert shade[0] < 0 < shade[3]


def test_what_does_not_differ_says_nothing_at_any_contrast() -> None:
    assert max(pin_on_its_own_wood(1.0)) < 0


def test_contrast_is_kept_in_the_setup() -> None:
    plain: dict[str, Any] = {
        "game": "finn",
        "image_size": [1280, 720],
        "board_px": [[100, 600], [1100, 600], [1100, 200], [100, 200]],
        "board_cm": [[0, 0], [117, 0], [117, 49], [0, 49]],
        "lens": None,
    }
    setup = parse_setup(plain | {"taught": {"contrast": 2}})
    assert isinstance(setup, Setup)
    assert setup.finn is not None
    assert setup.finn.contrast == 2
    assert format_setup(setup)["taught"] == {"contrast": 2}
    untaught = parse_setup(plain)
    assert isinstance(untaught, Setup)
    assert "taught" not in format_setup(untaught)
    for wrong in (4, -1, 1.5, True, "2"):
        found = parse_setup(plain | {"taught": {"contrast": wrong}})
        assert isinstance(found, Failure)
        assert "taught.contrast" in found.message
