"""A board taught over the API: pictures are brought, lessons read in a process of its own, a setup given back."""

from collections.abc import Iterator
from pathlib import Path

import cv2
import pytest
from support.astrolabe_scenes import Ball, Look, draw, setup_json, slot_cm
from support.boards_service import V1, Served, sample_clip, served

LOOK = Look()
ROWS = ((0, 1, 2), (1, 2, 3))


@pytest.fixture
def at(tmp_path: Path) -> Iterator[Served]:
    with served(tmp_path / "data") as found:
        yield found


def balls(which: int) -> list[Ball]:
    return [(side, slot_cm(side + 1, slot + 1)) for side in (0, 1) for slot in ROWS[which]]


def brought(at: Served, which: int) -> str:
    """Bring a picture of balls in their slots; gives its name."""
    good, data = cv2.imencode(".png", draw(LOOK, balls(which)))
    assert good
    answer = at.client.post(f"{V1}/pictures", content=data.tobytes(), headers={"Content-Type": "image/png"})
    assert answer.status_code == 201, answer.text
    name: str = answer.json()["name"]
    return name


def lesson(name: str, which: int, *, check: bool) -> dict[str, object]:
    filled = ROWS[which]
    slots = [[side if slot in filled else None for slot in range(5)] for side in (0, 1)]
    return {"image": name, "truth": {"slots": [*slots, [None] * 5]}, "check": check}


@pytest.mark.long
def test_a_board_is_taught_by_pictures_that_were_brought(at: Served) -> None:
    names = [brought(at, which) for which in range(2)]
    missed: Ball = (1, (30.0, 40.0))  # a finger beside the ball
    setup = setup_json(LOOK, [balls(0)[0], missed]) | {"colours_image": names[0]}
    board_id = at.board("astrolabe", sample_clip("astrolabe"), setup=setup)
    lessons = [lesson(name, which, check=which == 1) for which, name in enumerate(names)]
    told = at.ask("POST", f"/boards/{board_id}/teaching", {"lessons": lessons})
    assert told["helped"]
    assert told["check"]["before"]["right"] < told["check"]["after"]["right"] == 1
    assert told["setup"]["colours_image"] == names[0]
    kept = at.ask("POST", f"/boards/{board_id}/setups", {"setup": told["setup"]}, 201)
    assert kept["version"] == 2


def test_what_is_no_lesson_is_refused(at: Served) -> None:
    board_id = at.board("astrolabe", sample_clip("astrolabe"))
    nothing = lesson("0" * 64, 0, check=False)
    told = at.ask("POST", f"/boards/{board_id}/teaching", {"lessons": [nothing, nothing]}, 422)
    assert told["code"] == "NO_SUCH_PICTURE"
    name = brought(at, 0)
    both = [lesson(name, 0, check=False)] * 2
    assert at.ask("POST", f"/boards/{board_id}/teaching", {"lessons": both}, 422)["code"] == "BAD_LESSONS"
    at.ask("POST", "/boards/none/teaching", {"lessons": both}, 404)


def test_the_steps_to_take_are_listed(at: Served) -> None:
    assert at.ask("GET", "/teaching/finn")["steps"][0]["check"] is False
    assert at.ask("GET", "/teaching/cricket", status=404)["code"] == "NOTHING_TO_TEACH"
