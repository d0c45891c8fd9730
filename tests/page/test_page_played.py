"""The bundled match of each game before the page: begun on a board by touch, watched to its end, put right."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from support.boards_service import cut, sample_clip, sample_setup
from support.page import LAPTOP, PHONE, browser_marks, expect_scores, shown
from support.service import ask, free_port, running

pytestmark = browser_marks("set up")
WATCHED_MS = 400_000
"""A recording is watched faster than it was played; on a machine that does much else it takes minutes."""
BEGINS_MS = {"cricket": 7000, "finn": 5000, "astrolabe": 7500}
"""Three darts, a shot: `make test` watches so much, `make test-all` all of it."""


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a running service."""
    with running("--data", str(tmp_path_factory.mktemp("played")), port=free_port()) as (_, address):
        yield address


@pytest.mark.parametrize(
    "whole", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["its beginning", "all"]
)
@pytest.mark.parametrize("game", list(BEGINS_MS))
@pytest.mark.long
def test_the_bundled_match_is_played_watched_and_put_right_on_a_phone_and_a_laptop(
    browser: Browser, base: str, tmp_path: Path, game: str, whole: bool
) -> None:
    source = sample_clip(game) if whole else cut(game, BEGINS_MS[game], tmp_path)
    new = {"name": f"Board of {game}", "game": game, "source": str(source.resolve()), "pace": "fast"}
    board_id = ask(base, "POST", "/boards", new)["id"]
    ask(base, "POST", f"/boards/{board_id}/setups", {"setup": sample_setup(game)})
    with shown(browser, f"{base}/boards", PHONE) as phone:
        phone.locator(f"[data-key=begin-{board_id}]").tap()
        phone.get_by_label("Name of player 1").fill("Ann")
        phone.get_by_role("button", name="Start").tap()
        expect(phone.locator(".pill")).to_have_text("recording ended", timeout=WATCHED_MS)
        match_id = phone.url.rsplit("/", 1)[1]
        match = ask(base, "GET", f"/matches/{match_id}")
        pieces = [step for step in match["history"] if step["action"]["kind"] in ("throw", "shot")]
        assert pieces
        expect_scores(phone, *match["result"]["scores"])
        expect(phone.locator(".step")).to_have_count(len(match["history"]))
        assert match["result"]["conflict"] is None
        expect(phone.locator(".panel .name").first).to_contain_text("Ann")
    for device, piece in ((PHONE, pieces[0]), (LAPTOP, pieces[-1])):
        with shown(browser, f"{base}/match/{match_id}", device) as page:
            expect_scores(page, *ask(base, "GET", f"/matches/{match_id}")["result"]["scores"])
            page.locator(f'.step[data-entry="{piece["id"]}"]').tap()
            choice = page.locator(".choice:not(.right, .bad)").first
            expect(choice).to_be_visible()
            page.wait_for_timeout(400)
            scores = [int(part) for part in choice.locator("small").inner_text().split(" : ")]
            choice.tap()
            expect_scores(page, *scores)
            expect(page.locator(".corrections summary")).to_be_visible()
