"""What corrections teach, candidates beside the networks in use, and teaching a board, in a real Chromium."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import pytest
from playwright.sync_api import Browser, expect
from support.astrolabe_scenes import Ball, Look, draw, setup_json, slot_cm
from support.boards_service import sample_clip
from support.learning import compared, learnt
from support.networks import candidate
from support.page import BYTES, CHECKS, MOST_BYTES, PHONE, PHONE_FIRST, browser_marks, shown
from support.service import ask, free_port, opened, running

from vision.models import FOLDER, read_model, shadow

pytestmark = browser_marks("learning")

LOOK = Look()
ROWS = ((0, 1, 2), (1, 2, 3))
"""Slots that are filled in each picture of balls, of side 1 in the first row and of side 2 in the second."""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str, Path]]:
    """A running service that may keep what people looked at, their match, and a folder of pictures.

    A network runs beside one of those in use.
    """
    folder = tmp_path_factory.mktemp("learning")
    with opened(folder / "data") as matches:
        match_id, sightings = learnt(matches)
    beside = read_model(candidate(folder / "candidate"), "finn-pins")
    compared(folder / "data", match_id, sightings, {beside.name: beside.sha256})
    settings = folder / "tallycam.toml"
    settings.write_text('[labels]\nkeep = "reviewed"\ndays = 36500\n', encoding="utf-8")
    (folder / "pictures").mkdir()
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv(FOLDER, str(folder / "networks"))
        shadow(beside)
        with running("--data", str(folder / "data"), "--config", str(settings), port=free_port()) as (_, base):
            yield base, match_id, folder / "pictures"


@PHONE_FIRST
@pytest.mark.long
def test_examples_are_filtered_and_a_wrong_one_is_put_right(
    browser: Browser, place: tuple[str, str, Path], device: dict[str, Any]
) -> None:
    base, match_id, _ = place
    with shown(browser, f"{base}/labels", device) as page:
        expect(page.locator(".example")).to_have_count(6)
        expect(page.locator(".consent")).to_contain_text("for 36500 days")
        expect(page.locator(".consent pre")).to_contain_text('keep = "nothing"')
        expect(page.locator(".example img").first).to_be_visible()
        assert page.evaluate(CHECKS) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert page.evaluate(BYTES) <= MOST_BYTES
        page.locator("[name=error]").select_option("the camera had it wrong")
        expect(page.locator(".example")).to_have_count(2)
        expect(page.locator(".example").first).to_contain_text("S20")
        expect(page.locator(".example s").first).to_have_text("S5")
        page.locator("[name=sure]").select_option("at least 95 % sure")
        expect(page.get_by_text("No example is like this.")).to_be_visible()
        page.locator("[name=sure]").select_option("50 to 80 % sure")
        page.locator("[name=label]").select_option("S20")
        expect(page.locator(".example")).to_have_count(1)
        page.get_by_role("link", name="Put right: S20").tap()
        expect(page.locator(".sheet h2")).to_have_text("S20")
        if device is PHONE:
            expect(page.locator(".choice", has_text="T20").first).to_be_visible()
            page.wait_for_timeout(400)
            page.locator(".choice", has_text="T20").first.tap()
            expect(page.locator(".toast")).to_contain_text("S20 → T20")
            (label,) = ask(base, "GET", "/labels?label=T20&error=true")["labels"]
            assert (label["match"], label["truth"]["segment"]) == (match_id, "T20")
            page.locator(".toast button").tap()
            expect(page.locator(".toast")).to_contain_text("Undone")


@PHONE_FIRST
@pytest.mark.long
def test_where_a_candidate_differs_is_told_with_who_was_right(
    browser: Browser, place: tuple[str, str, Path], device: dict[str, Any]
) -> None:
    base, match_id, _ = place
    with shown(browser, f"{base}/shadow", device) as page:
        expect(page.locator(".difference")).to_have_count(4)
        expect(page.locator(".nets tr", has_text="finn-pins").locator("code")).to_have_count(2)
        expect(page.locator(".counts")).to_contain_text("42")
        expect(page.locator(".difference").nth(2).locator(".reading.good")).to_contain_text("Candidate was right")
        expect(page.locator(".difference").nth(1).locator(".reading.bad")).to_contain_text("S14")
        assert page.evaluate(CHECKS) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert page.evaluate(BYTES) <= MOST_BYTES
        page.get_by_label("Only what nobody has decided yet (1)").check()
        expect(page.locator(".difference")).to_have_count(1)
        page.get_by_role("link", name="Say what it was").tap()
        expect(page).to_have_url(f"{base}/match/{match_id}")


def balls(which: int) -> list[Ball]:
    """Give the balls of a picture."""
    return [(side, slot_cm(side + 1, slot + 1)) for side in (0, 1) for slot in ROWS[which]]


@PHONE_FIRST
@pytest.mark.long
def test_a_board_is_taught_by_pictures_taken_one_after_the_other(
    browser: Browser, place: tuple[str, str, Path], device: dict[str, Any]
) -> None:
    base, _, folder = place
    for old in folder.iterdir():
        old.unlink()
    cv2.imwrite(str(folder / "0.png"), draw(LOOK, balls(0)))
    board = {"name": "By the window", "game": "astrolabe", "source": str(folder), "pace": "fast"}
    board_id = ask(base, "POST", "/boards", board)["id"]
    missed: Ball = (1, (30.0, 40.0))  # a finger beside the ball
    setup = setup_json(LOOK, [balls(0)[0], missed])
    found = ask(base, "POST", f"/boards/{board_id}/calibrations", {"setup": setup})
    ask(base, "POST", f"/boards/{board_id}/setups", {"setup": setup | {"colours_image": found["picture"]}})
    with shown(browser, f"{base}/boards", device) as page:
        page.get_by_role("link", name="Teach By the window").click()
        expect(page.locator(".lesson")).to_have_count(4)
        expect(page.locator(".stage img")).to_be_visible()
        assert page.evaluate(CHECKS) == []
        for which in range(2):
            cv2.imwrite(str(folder / "0.png"), draw(LOOK, balls(which)))
            page.get_by_role("button", name="Take the picture").tap()
            for side in (0, 1):
                for slot in ROWS[which]:
                    cell = page.locator(f'[data-slot="{side + 1}.{slot + 1}"]')
                    for _ in range(side + 1):
                        cell.tap()
                    expect(cell).to_have_attribute(
                        "aria-label", f"Position {side + 1}, slot {slot + 1}: side {side + 1}"
                    )
            if which == 0:
                assert page.evaluate(CHECKS) == []
                assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            page.get_by_role("button", name="So it is").tap()
            if which == 0:
                page.get_by_role("button", name="Leave it out").tap()
        page.get_by_role("button", name="Leave it out").tap()
        page.get_by_role("button", name="Try what helps").tap()
        expect(page.locator("h1")).to_have_text("It helps", timeout=120_000)
        row = page.locator(".figures").first.locator("[data-count=right] td")
        expect(row).to_have_text(["0", "1"])
        assert page.evaluate(CHECKS) == []
        assert page.evaluate(BYTES) <= MOST_BYTES
        assert ask(base, "GET", f"/boards/{board_id}")["setup_version"] == 1, "nothing is kept unasked"
        page.get_by_role("button", name="Keep it").tap()
        expect(page.get_by_text("Kept: the next match")).to_be_visible()
        taught = ask(base, "GET", f"/boards/{board_id}/setups/2")["setup"]["colours"]
        assert len(taught["1"]) > 1
        page.get_by_role("button", name="As it was before").tap()
        expect(page.get_by_text("The setup is as it was before.")).to_be_visible()
        assert ask(base, "GET", f"/boards/{board_id}/setups/3")["setup"]["colours"]["1"] == setup["colours"]["1"]


def test_a_board_of_darts_has_nothing_to_teach(browser: Browser, place: tuple[str, str, Path]) -> None:
    base, _, _ = place
    new = {"name": "Den", "game": "cricket", "source": str(sample_clip("cricket"))}
    board_id = ask(base, "POST", "/boards", new)["id"]
    with shown(browser, f"{base}/board/{board_id}/teach", PHONE) as page:
        expect(page.locator("h1")).to_have_text("Set the board up first")
