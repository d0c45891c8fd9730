"""Setting a board up, and the queue of doubts, in a real Chromium: by dragging, touch and keys."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from support.dart_scenes import Moment, frames, held
from support.page import CHECKS, DEVICES, LAPTOP, PHONE, PHONE_FIRST, browser_marks, shown
from support.service import ask, free_port, opened, running

from service.fake_camera import FakeCamera
from service.sightings import Sightings
from vision.assets import asset
from vision.events import Event

pytestmark = browser_marks("set up")

OPENED_MS = 120_000
"""A camera is opened in a process of its own, which a busy machine takes its time to begin."""


def drag(page: Page, number: int, to_px: tuple[float, float]) -> None:
    """Drag a handle to a pixel of the picture."""
    handle = page.locator(f'[data-key="handle-{number}"] .ring')
    box, stage = handle.bounding_box(), page.locator(".stage img").bounding_box()
    assert box is not None
    assert stage is not None
    scale = stage["width"] / page.evaluate("document.querySelector('.stage img').naturalWidth")
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(stage["x"] + to_px[0] * scale, stage["y"] + to_px[1] * scale, steps=4)
    expect(page.locator(".loupeglass")).to_be_visible()
    page.mouse.up()
    expect(page.locator(".loupeglass")).to_be_hidden()
    expect(page.locator(".stage.busy")).to_have_count(0)


@DEVICES
@pytest.mark.long
def test_a_board_is_set_up_from_a_recording_by_dragging_and_a_match_begun(
    browser: Browser, tmp_path: Path, device: dict[str, Any]
) -> None:
    truth = json.loads(asset("datasets/samples/finn/setup.json").read_text(encoding="utf-8"))["board_px"]
    with running("--data", str(tmp_path), port=free_port()) as (_, base), shown(browser, base, device) as page:
        page.get_by_role("link", name="Boards").click()
        expect(page.locator("h1")).to_have_text("Boards")
        page.get_by_label("Finn Billiards").check()
        page.get_by_label("Name", exact=True).fill('<img onerror="alert(1)">')
        page.get_by_label("Or an address, or a recording").fill(str(asset("datasets/samples/finn/clip.mp4")))
        page.get_by_role("button", name="Set it up").click()
        expect(page.locator(".handle")).to_have_count(4)
        expect(page.locator(".said")).to_be_visible()
        assert page.evaluate(CHECKS) == []
        for number, corner in enumerate(truth):
            drag(page, number, corner)
        page.locator('[data-key="handle-0"]').focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowLeft")
        save = page.get_by_role("button", name="It fits: save")
        expect(save).to_be_enabled()
        page.wait_for_timeout(600)
        expect(page.locator(".stage.busy")).to_have_count(0)
        save.click()
        page.get_by_label("Name of player 1").fill("Ann")
        page.get_by_role("button", name="Start").click()
        expect(page.locator(".panel .name").first).to_contain_text("Ann")
        board = ask(base, "GET", "/boards")["boards"][0]
        assert board["watching"]["setup_version"] == 1
        kept = ask(base, "GET", f"/boards/{board['id']}/setups/1")["setup"]["board_px"]
        size = page.evaluate("innerWidth")
        for found, wanted in zip(kept, truth, strict=True):
            # A finger places to a pixel of the page, which on a phone is several of the picture.
            assert abs(found[0] - wanted[0]) + abs(found[1] - wanted[1]) < 2 + 2 * 1280 / size
        page.goto(f"{base}/boards")
        expect(page.locator("li.board h2")).to_have_text('<img onerror="alert(1)">')
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert page.evaluate(CHECKS) == []
        expect(page.locator("li.board .quiet")).to_have_text("Finn Billiards, clip.mp4")
        page.get_by_role("link", name="Set up again").click()
        expect(page.get_by_role("button", name="It fits: save")).to_be_enabled()
        expect(page.locator(".proof .spot")).to_have_count(12)
        page.get_by_role("button", name="Corners").click()
        expect(page.locator('[data-key="handle-2"]')).to_have_attribute(
            "aria-valuetext", ", ".join(str(round(value)) for value in kept[2])
        )


@contextmanager
def camera(colour: tuple[int, int, int]) -> Iterator[FakeCamera]:
    """Give a camera that sees a dartboard under a card of a colour."""
    still = list(frames(held(Moment(), 1, 10), fps=10))
    for frame in still:
        frame.bgr()[:60] = colour
    with FakeCamera(lambda: still) as one:
        yield one


@PHONE_FIRST
@pytest.mark.long
def test_a_camera_is_picked_by_what_it_sees(browser: Browser, tmp_path: Path, device: dict[str, Any]) -> None:
    settings = tmp_path / "tallycam.toml"
    with camera((40, 40, 200)) as one, camera((200, 40, 40)) as other:
        named = {"Over the oche": one.url, "Window (046d:0825)": other.url, "Attic": "http://127.0.0.1:9/video"}
        entries = [f'[[cameras]]\nname = "{name}"\nsource = "{url}"\n' for name, url in named.items()]
        settings.write_text("".join(entries), encoding="utf-8")
        told = ("--data", str(tmp_path), "--config", str(settings))
        with running(*told, port=free_port()) as (_, base), shown(browser, f"{base}/boards", device) as page:
            window = page.locator(".camera", has_text="Window")
            for name in ("Window", "oche"):
                picture = page.locator(".camera", has_text=name).locator("img")
                expect(picture).to_be_visible(timeout=OPENED_MS)
            expect(page.locator(".camera", has_text="Attic")).to_contain_text(
                "It does not answer: is it switched on"
            )
            expect(window).not_to_contain_text("046d")
            first = window.locator("img").get_attribute("src")
            expect(window.locator("img")).not_to_have_attribute("src", first or "")
            assert page.evaluate(CHECKS) == []
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            window.tap()
            expect(window.get_by_role("radio")).to_be_checked()
            page.get_by_role("button", name="Set it up").tap()
            expect(page.locator(".title")).to_have_text("Set up Window")
            expect(page.locator(".stage img")).to_be_visible()
            (board,) = ask(base, "GET", "/boards")["boards"]
            assert board["source"] == other.url
            page.goto(f"{base}/boards")
            expect(page.locator(".camera")).to_have_count(0)  # no camera is opened before somebody asks
            page.get_by_role("button", name="Remove").tap()
            page.keyboard.press("Escape")
            assert len(ask(base, "GET", "/boards")["boards"]) == 1
            page.get_by_role("button", name="Remove").tap()
            assert page.evaluate(CHECKS) == []
            page.get_by_role("dialog").get_by_role("button", name="Remove").tap()
            expect(page.locator("li.board")).to_have_count(0)


@pytest.fixture(scope="module")
def doubts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, dict[str, str]]]:
    """A running service with matches that wait for a person to decide about their darts, by who decides."""
    folder = tmp_path_factory.mktemp("doubts")
    with opened(folder) as matches:
        ids = {use: matches.create("cricket", ["Ann", "Ben"], on_doubt="wait") for use in ("keys", "tap")}
        sightings = Sightings(matches)
        for match_id in ids.values():
            for number, segment in enumerate(("T20", "S5", "S20"), 1):
                data = {"segment": segment, "xy_mm": [1.0, 103.0], "confidence": 0.6, "alternatives": ["S1", "T5"]}
                data["review"] = [{"code": "ON_A_WIRE"}]
                event = Event(
                    kind="throw", t_ms=1000 * number, frame=25 * number, end_frame=25 * number + 5, data=data
                )
                assert sightings.take(match_id, number, event, {}) is not None
    with running("--data", str(folder), port=free_port()) as (_, base):
        yield base, ids


def darts(base: str, match_id: str) -> list[str]:
    """Give the segments that count."""
    return [step["action"]["segment"] for step in ask(base, "GET", f"/matches/{match_id}")["history"]]


@pytest.mark.long
def test_doubts_are_decided_by_keys_alone(browser: Browser, doubts: tuple[str, dict[str, str]]) -> None:
    base, match_id = doubts[0], doubts[1]["keys"]
    with shown(browser, base, LAPTOP) as page:
        page.locator("a.note", has_text=f"{len(ask(base, 'GET', '/reviews')['reviews'])} to check").focus()
        page.keyboard.press("Enter")
        expect(page.locator(".title")).to_contain_text("To check: 1 of")
        page.goto(f"{base}/review?match={match_id}")
        expect(page.locator("h1")).to_have_text("Read as T20")
        expect(page.locator(".title")).to_have_text("To check: 1 of 3")
        assert page.evaluate(CHECKS) == []
        page.wait_for_timeout(400)
        page.keyboard.press(" ")
        expect(page.locator("h1")).to_have_text("Read as S5")
        assert darts(base, match_id) == ["T20"]
        first = page.locator(".choice:not(.right)").first.get_attribute("data-choice")
        page.wait_for_timeout(400)
        page.keyboard.press("1")
        expect(page.locator("h1")).to_have_text("Read as S20")
        assert darts(base, match_id) == ["T20", first]
        page.wait_for_timeout(400)
        page.keyboard.press("d")
        expect(page.locator("h1")).to_have_text("Nothing to check")
        assert darts(base, match_id) == ["T20", first]


@pytest.mark.long
def test_a_doubt_takes_one_tap_on_a_phone(browser: Browser, doubts: tuple[str, dict[str, str]]) -> None:
    base, match_id = doubts[0], doubts[1]["tap"]
    with shown(browser, f"{base}/review?match={match_id}", PHONE) as page:
        expect(page.locator("h1")).to_have_text("Read as T20")
        page.wait_for_timeout(400)
        page.locator('.choice[data-choice="T5"]').tap()
        expect(page.locator("h1")).to_have_text("Read as S5")
        assert darts(base, match_id) == ["T5"]
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert page.evaluate(CHECKS) == []
