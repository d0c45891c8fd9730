"""The club's wall in a real browser: every board, its scores, what is away; nothing on it changes anything."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import expect
from support.page import LAPTOP, PHONE, browser_marks, chromium, shown
from support.venue import PlayingBoard, needs_broker, needs_database

from service.bench.servers import Mosquitto, postgres, until
from service.serving import Server, address, bind
from service.venue.app import club_app
from service.venue.club import Club, open_club
from service.venue.link import Address

pytestmark = [*browser_marks("match"), needs_broker, needs_database]


@contextmanager
def served(club: Club) -> Iterator[str]:
    """Serve a club's pages."""
    taken = bind("127.0.0.1", 0)
    server = Server(club_app(club), lambda: None)
    thread = threading.Thread(target=server.run, args=([taken],), daemon=True)
    thread.start()
    yield address(taken)
    server.should_exit = True
    thread.join(10)
    taken.close()


@pytest.mark.long
def test_the_wall_shows_every_board_and_leads_to_matches_and_players(tmp_path: Path) -> None:
    with postgres() as server:
        broker = Mosquitto(tmp_path)
        boards = [PlayingBoard(tmp_path, name, broker.port) for name in ("bar", "den")]
        try:
            with open_club(server.url, Address(host="127.0.0.1", port=broker.port)) as club, served(club) as url:
                for board in boards:
                    board.play(11)
                until(lambda: [club.intake.have(board.name).number for board in boards] == [12, 12])
                with chromium() as browser:
                    with shown(browser, url, LAPTOP) as page:
                        den = page.locator("[data-key=den]")
                        expect(den).to_contain_text("Ben of den")
                        total, *_ = boards[1].totals().values()
                        for side, score in enumerate(total["scores"]):
                            expect(den.locator(f"[data-side='{side}'] b")).to_have_text(str(score))
                        assert page.locator("button, input, form").count() == 0
                        den.click()
                        expect(page.locator("h1")).to_contain_text("Ann – Ben of den")
                        page.goto(f"{url}/matches")
                        expect(page.locator("tbody tr")).to_have_count(2)
                    with shown(browser, url, PHONE) as page:
                        expect(page.locator(".wallboard")).to_have_count(2)
                        broker.end()
                        expect(page.locator(".clubnote")).to_contain_text("no MQTT broker")
                        wide = page.evaluate("document.documentElement.scrollWidth > innerWidth")
                        assert not wide
        finally:
            for board in boards:
                board.close()
            broker.end()
