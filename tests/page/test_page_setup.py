"""Setting a board up in a real Chromium: is the picture good enough, and combs and zones dragged into place."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from support.boards_service import sample_clip, sample_setup
from support.page import CHECKS, PHONE, PHONE_FIRST, SPENT, Finger, browser_marks, expect_quick, middle, shown
from support.service import ask, free_port, running

pytestmark = browser_marks("set up")


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a running service."""
    with running("--data", str(tmp_path_factory.mktemp("data")), port=free_port()) as (_, address):
        yield address


def board(base: str, game: str, **changed: object) -> str:
    """Make a board of a bundled recording whose corners are known; gives its id."""
    new = {"name": f"Board of {game}", "game": game, "source": str(sample_clip(game).resolve()), "pace": "fast"}
    board_id: str = ask(base, "POST", "/boards", new)["id"]
    setup = {**sample_setup(game), "lens": None, **changed}
    ask(base, "POST", f"/boards/{board_id}/setups", {"setup": setup})
    return board_id


def drag_by(page: Page, name: str, dx: float, dy: float) -> None:
    """Drag a handle by some pixels of the page."""
    x, y = middle(page, f'[data-name="{name}"] .ring')
    page.evaluate(SPENT)
    finger = Finger(page)
    finger.drag((x, y), (x + dx, y + dy), steps=12)
    expect(page.locator(".loupeglass")).to_be_visible()
    finger.up()
    expect_quick(page)
    expect(page.locator(".loupeglass")).to_be_hidden()


def saved(page: Page, base: str, board_id: str) -> dict[str, Any]:
    """Save, and give the setup that was kept."""
    page.get_by_role("button", name="It fits: save").tap()
    expect(page.get_by_role("dialog")).to_be_visible()
    version = ask(base, "GET", f"/boards/{board_id}")["setup_version"]
    setup: dict[str, Any] = ask(base, "GET", f"/boards/{board_id}/setups/{version}")["setup"]
    return setup


@PHONE_FIRST
@pytest.mark.long
def test_first_line_and_defense_zone_are_dragged_and_the_match_plays_by_them(
    browser: Browser, base: str, device: dict[str, Any]
) -> None:
    board_id = board(base, "finn")
    with shown(browser, f"{base}/board/{board_id}/setup", device) as page:
        expect(page.get_by_role("button", name="It fits: save")).to_be_enabled(timeout=120_000)
        for name in ("light", "glare", "focus", "size", "view", "fit", "frame_rate"):
            expect(page.locator(f'[data-check="{name}"]')).to_be_visible()
        expect(page.locator('[data-check="size"]')).to_contain_text("px/cm")
        expect(page.locator('[data-check="fit"]')).to_contain_text("mm")
        page.get_by_role("button", name="Line and zone").tap()
        expect(page.locator(".proof .spot")).to_have_count(12)
        before = page.locator(".proof .line").get_attribute("d")
        drag_by(page, "first line", 24, 0)
        assert page.locator(".proof .line").get_attribute("d") != before
        drag_by(page, "corner 1 of the defense zone", 20, -8)
        assert page.evaluate(CHECKS) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.get_by_role("button", name="Look again").tap()  # asks before it forgets what was dragged
        page.get_by_role("button", name="Cancel").tap()
        zones = saved(page, base, board_id)["zones_cm"]
        assert 26 < zones["first_line_x"] < 36
        (x, y), *others = zones["defense"]
        assert 55.5 < x < 70
        assert 0 < y < 8
        assert others == [[80, 0], [80, 49], [55, 49]]
        page.get_by_role("button", name="Start").tap()
        expect(page.locator(".panel").first).to_be_visible()
    match_id = ask(base, "GET", f"/boards/{board_id}")["watching"]["match"]
    assert ask(base, "GET", f"/matches/{match_id}")["config"]["defense_zone_cm"] == zones["defense"]


@PHONE_FIRST
@pytest.mark.long
def test_combs_play_line_and_gutters_are_dragged(browser: Browser, base: str, device: dict[str, Any]) -> None:
    board_id = board(base, "astrolabe", gutters_cm=[], colours={})
    with shown(browser, f"{base}/board/{board_id}/setup", device) as page:
        expect(page.get_by_role("button", name="It fits: save")).to_be_enabled(timeout=120_000)
        page.get_by_role("button", name="Combs and lines").tap()
        expect(page.locator(".proof .spot")).to_have_count(15)
        for name, across in (("last slot of position 3", 12), ("Play Line", 15), ("gutters", 3)):
            drag_by(page, name, across, 6)
        page.get_by_role("button", name="One slot more in position 1").tap()
        expect(page.locator(".proof .spot")).to_have_count(16)
        assert page.evaluate(CHECKS) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        setup = saved(page, base, board_id)
        first, second, third = setup["positions"]
        assert (first["slots"], first["pitch"]) == (6, 3.6)
        assert second == {"y": 80.0, "x0": 21.0, "pitch": 4.5, "slots": 5}
        assert third["pitch"] != 4.5
        assert setup["play_line_y"] > 20.5
        assert len(setup["gutters_cm"]) == 2
        expect(page.locator(".rules summary")).to_be_visible()
        page.locator(".rules summary").tap()
        expect(page.get_by_text("slots 6, 5, 5, as the board is set up")).to_be_visible()
        page.get_by_role("button", name="Start").tap()
        expect(page.locator(".panel").first).to_be_visible()
        expect(page.locator("[data-key=umpire]")).to_be_visible()
    match_id = ask(base, "GET", f"/boards/{board_id}")["watching"]["match"]
    assert ask(base, "GET", f"/matches/{match_id}")["config"]["slots"] == [6, 5, 5]


@PHONE_FIRST
@pytest.mark.long
def test_a_match_begins_in_three_taps_by_rules_that_are_shown(
    browser: Browser, base: str, device: dict[str, Any]
) -> None:
    with shown(browser, base, device) as page:
        page.evaluate("window.taps = 0; addEventListener('pointerdown', () => (taps += 1), true)")
        if device is PHONE:
            page.get_by_role("button", name="New match").tap()
        page.locator(".game", has_text="Finn Billiards").tap()
        expect(page.locator(".rules summary")).to_have_text("Rules: as written")
        page.get_by_role("button", name="Start").tap()
        expect(page.locator(".panel")).to_have_count(2)
        assert page.evaluate("taps") <= 3
        page.go_back()
        page.locator(".game", has_text="Finn Billiards").tap()
        page.locator(".rules summary").tap()
        expect(page.locator(".rule", has_text="Points to win")).to_contain_text("Usually 70.")
        page.locator(".rule", has_text="Ride the Rails").tap()
        page.get_by_label("Points to win").fill("35")
        page.get_by_role("button", name="+ Player").tap()
        page.get_by_label("Name of player 3").fill("Cho")
        expect(page.locator(".rules summary")).to_have_text("Rules: Ride the Rails, to 35")
        assert page.evaluate(CHECKS) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.get_by_role("button", name="Start").tap()
        expect(page.locator(".panel")).to_have_count(3)
        match_id = page.url.split("/")[-1]
        view = ask(base, "GET", f"/matches/{match_id}")
        assert view["config"] == {"ride_the_rails": True, "target": 35}
        assert view["sides"][2] == "Cho"
        page.go_back()
        page.locator(".game", has_text="Astrolabe").tap()
        page.locator(".rules summary").tap()
        page.get_by_label("A Round, minutes", exact=True).fill("4.5")
        page.get_by_label("Dead slots").fill("3.1, 3.5")
        page.get_by_label("Slots, position 1", exact=True).fill("6")
        page.get_by_role("button", name="Start").tap()
        expect(page.locator(".cell")).to_have_count(16)
        config = ask(base, "GET", f"/matches/{page.url.split('/')[-1]}")["config"]
        assert config == {"slots": [6, 5, 5], "round_ms": 270000, "dead_slots": [[3, 1], [3, 5]]}
