"""The queue of doubts in a real Chromium: looked at picture by picture, put right by touch and by keys alone."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from support.page import (
    BYTES,
    CHECKS,
    DEVICES,
    LAPTOP,
    MOST_BYTES,
    PHONE,
    PHONE_FIRST,
    SPENT,
    Finger,
    browser_marks,
    expect_quick,
    middle,
    shown,
)
from support.seen import Watched
from support.service import ask, free_port, opened, record, running

from service.matches import Matches

pytestmark = browser_marks("set up")

CUT_MS = 120_000
"""A clip is cut by a process that a busy machine takes its time to begin."""
TAPS = "window.taps = 0; addEventListener('pointerdown', () => (taps += 1), true)"
WIDTH = "one => one.decode().then(() => one.naturalWidth)"


def dart(segment: str, xy_mm: list[float]) -> dict[str, Any]:
    """Give what is seen of a dart on a wire."""
    review = [{"code": "ON_A_WIRE"}]
    return {"segment": segment, "xy_mm": xy_mm, "confidence": 0.6, "alternatives": ["S1", "T5"], "review": review}


def pins(**states: str) -> dict[str, Any]:
    """Give a shot of pins of which the camera was not sure which they were."""
    action = {"kind": "shot", "side": 0, "t_ms": 3300, "pins": {name[3:]: how for name, how in states.items()}}
    review = [{"code": "WHICH_PIN", "pin": pin} for pin in action["pins"]]  # type: ignore[attr-defined]
    return {"action": action, "confidence": 0.55, "review": review, "pins": {}}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """A running service and the folder of its store."""
    folder = tmp_path_factory.mktemp("review")
    with opened(folder) as matches:
        for use in USES:
            IDS[use] = GAMES[use.split()[0]](matches, use)
    with running("--data", str(folder), port=free_port()) as (_, base):
        yield base, folder


def darts(matches: Matches, _use: str) -> str:
    """Give a match of cricket that waits for a person with three darts."""
    seen = (("T20", [2.0, 103.0]), ("S5", [-40.0, 125.0]), ("S20", [0.0, 140.0]))
    watched = Watched(matches, "cricket", ("Ann", "Ben"))
    for number, (segment, xy) in enumerate(seen, 1):
        watched.take("throw", 3000 * number, dart(segment, xy), watched.still(f"00060{number}"))
    watched.end()
    return watched.match_id


def table(matches: Matches, use: str) -> str:
    """Give a match of Finn Billiards that waits with a shot of which the number is not sure."""
    watched = Watched(matches, "finn", ("Cho", "Dee"), source="camera:99" if use.endswith("camera") else None)
    watched.take("shot", 3300, pins(pin7="fallen"), watched.still("000601"))
    watched.end()
    return watched.match_id


def balls(matches: Matches, use: str) -> str:
    """Give a match of Astrolabe with a shot of which a colour is not sure; it counts, marked."""
    watched = Watched(matches, "astrolabe", ("Eva", "Fay"), on_doubt="mark")
    played = [
        {"kind": "start_round", "t_ms": 0},
        {"kind": "shot", "side": 0, "t_ms": 1, "moves": [{"ball": 0, "from": "hand", "to": "grouped"}]},
        {"kind": "shot", "side": 1, "t_ms": 2, "moves": [{"ball": 1, "from": "hand", "to": "grouped"}]},
    ]
    matches.append(watched.match_id, 0, [(record(one, "player"), None) for one in played])
    moves = [{"ball": 0, "from": "hand", "to": [3, 1]}, {"ball": 0, "from": "grouped", "to": [2, 3]}]
    shot = {"action": {"kind": "shot", "side": 0, "t_ms": 3, "moves": moves}, "confidence": 0.6}
    still = "000602" if use.endswith("gone") else "000601"
    watched.take("shot", 4000, {**shot, "review": [{"code": "COLOUR_UNSURE"}]}, watched.still(still))
    watched.end()
    return watched.match_id


GAMES = {"darts": darts, "table": table, "balls": balls}
IDS: dict[str, str] = {}
USES = (
    *(
        "darts pictures",
        "darts drag phone",
        "darts drag laptop",
        "darts keys",
        "darts taps phone",
        "darts taps laptop",
    ),
    *(
        "table drag phone",
        "table drag laptop",
        "table taps phone",
        "table taps laptop",
        "table keep",
        "table camera",
    ),
    *("balls taps phone", "balls taps laptop", "balls drag", "balls gone"),
)


def thrown(base: str, match_id: str) -> list[str]:
    """Give the segments that count."""
    return [step["action"]["segment"] for step in ask(base, "GET", f"/matches/{match_id}")["history"]]


@contextmanager
def checked(browser: Browser, place: tuple[str, Path], use: str, device: dict[str, Any]) -> Iterator[Page]:
    """Show the queue of one match, as soon as a tap on what is first in it is meant."""
    with shown(browser, f"{place[0]}/review?match={IDS[use]}", device) as page:
        expect(page.locator(".choice.right")).to_be_visible()
        page.wait_for_timeout(400)
        yield page


def expect_next(page: Page, read: str) -> None:
    """Wait for what comes up next, until a tap on it is meant."""
    expect(page.locator("h1")).to_have_text(read)
    page.wait_for_timeout(400)


def of(device: dict[str, Any]) -> str:
    """Name a device."""
    return "phone" if device is PHONE else "laptop"


@PHONE_FIRST
@pytest.mark.long
def test_before_after_difference_and_the_clip_picture_by_picture(
    browser: Browser, place: tuple[str, Path], device: dict[str, Any]
) -> None:
    with checked(browser, place, "darts pictures", device) as page:
        for tab in ("Before", "Difference", "After"):
            page.get_by_role("button", name=tab, exact=True).tap()
            expect(page.locator(".look img")).to_have_count(2 if tab == "Difference" else 1)
            assert page.locator(".look img").first.evaluate(WIDTH) >= 800
        page.get_by_role("button", name="Clip").tap()
        told, picture = page.locator(".scrub .at"), page.locator(".look img")
        begun = re.compile(r"^\+0\.0[0-3] s$")  # the first picture in which it has begun
        expect(told).to_have_text(begun, timeout=CUT_MS)
        page.get_by_role("button", name="One picture on").tap()
        expect(told).to_have_text(re.compile(r"^\+0\.0[4-7] s$"))
        said = re.compile(r"^Picture \d+ of \d+, \+0\.0[4-7] s$")
        expect(page.get_by_role("slider")).to_have_attribute("aria-valuetext", said)
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowLeft")
        expect(told).to_have_text(re.compile(r"^−0\.0\d s$"))
        assert picture.evaluate(WIDTH) >= 800
        page.get_by_role("button", name="Play").tap()
        expect(told).not_to_have_text(re.compile(r"^−0\.0\d s$"))
        page.get_by_role("button", name="Pause").tap()
        assert page.evaluate(CHECKS) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@PHONE_FIRST
@pytest.mark.long
def test_a_dart_is_dragged_under_the_loupe_to_where_it_is(
    browser: Browser, place: tuple[str, Path], device: dict[str, Any]
) -> None:
    use = f"darts drag {of(device)}"
    with checked(browser, place, use, device) as page:
        x, y = middle(page, ".grip .ring")
        page.evaluate(SPENT)
        finger = Finger(page)
        finger.drag((x + 4, y + 6), (x + 66, y + 20), steps=20)
        expect(page.locator(".glass")).to_be_visible()
        segment = page.locator(".glass .named").text_content()
        assert segment not in ("T20", "", None)
        finger.up()
        expect_quick(page)
        expect(page.locator(".glass")).to_be_hidden()
        expect(page.locator(".draft .big")).to_have_text(str(segment))
        assert thrown(place[0], IDS[use]) == []
        page.get_by_role("button", name=f"Save {segment}").tap()
        expect_next(page, "Read as S5")
        assert thrown(place[0], IDS[use]) == [segment]


@pytest.mark.long
def test_a_missed_dart_is_added_and_a_false_one_deleted_by_keys_alone(
    browser: Browser, place: tuple[str, Path]
) -> None:
    base, match_id = place[0], IDS["darts keys"]
    with checked(browser, place, "darts keys", LAPTOP) as page:
        page.keyboard.press("m")
        page.keyboard.press("e")
        page.keyboard.type("d16")
        page.keyboard.press("Enter")
        expect(page.locator(".draft .drafthead")).to_contain_text("after T20")
        expect(page.get_by_role("button", name="Save D16")).to_be_focused()
        assert thrown(base, match_id) == []
        page.keyboard.press("Enter")
        expect_next(page, "Read as S5")
        assert thrown(base, match_id) == ["T20", "D16"]
        page.keyboard.press("?")
        expect(page.get_by_role("dialog")).to_contain_text("one is missing after it")
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_be_hidden()
        page.wait_for_timeout(400)  # a key that comes at once after another view has come is not meant for it
        page.keyboard.press("d")
        expect_next(page, "Read as S20")
        assert thrown(base, match_id) == ["T20", "D16"]
        page.locator("[data-key=grip]").focus()
        for _ in range(3):
            page.keyboard.press("Shift+ArrowLeft")
        expect(page.locator(".draft .big")).to_have_text("S5")
        page.keyboard.press("Escape")
        expect(page.locator(".draft")).to_have_count(0)
        page.keyboard.press("1")
        expect(page.locator("h1")).to_have_text("Nothing to check")
        assert len(thrown(base, match_id)) == 3


@PHONE_FIRST
@pytest.mark.long
def test_a_pin_dragged_onto_another_is_that_other_one(
    browser: Browser, place: tuple[str, Path], device: dict[str, Any]
) -> None:
    use = f"table drag {of(device)}"
    with checked(browser, place, use, device) as page:
        expect(page.locator(".why")).to_contain_text("Which pin it was is not sure (pin 7)")
        start = middle(page, '[data-pin="7"] .body')
        end = page.locator('[data-pin="11"] .body').bounding_box()
        assert end is not None
        page.evaluate(SPENT)
        finger = Finger(page)
        finger.drag(start, (end["x"] + end["width"] / 2, end["y"] + end["height"] / 2), steps=20)
        expect(page.locator(".dropword")).to_have_text("it was pin 11")
        finger.up()
        expect_quick(page)
        expect(page.locator(".draft .big")).to_have_text("11↓")
        expect(page.locator(".change").first).to_contain_text("0 → 11")
        page.locator("[data-key=drop]").tap()
        expect(page.locator(".choice.right")).to_be_visible()
        start = middle(page, '[data-pin="7"] .body')
        finger.drag(start, (start[0], start[1] + 600))
        expect(page.locator(".dropword")).to_have_text("short of the line")
        finger.up()
        page.get_by_role("button", name="Save 7_").tap()
        expect(page.locator("h1")).to_have_text("Nothing to check")
    (step,) = ask(place[0], "GET", f"/matches/{IDS[use]}")["history"]
    assert step["action"]["pins"] == {"7": "line"}


@DEVICES
@pytest.mark.long
def test_a_neighbour_a_number_or_a_colour_takes_one_tap_in_the_queue_and_two_in_the_match(
    browser: Browser, place: tuple[str, Path], device: dict[str, Any]
) -> None:
    base, name = place[0], of(device)
    for use, choice in ((f"darts taps {name}", "T5"), (f"table taps {name}", "9↓")):
        with checked(browser, place, use, device) as page:
            page.evaluate(TAPS)
            read = page.locator("h1").inner_text()
            page.locator(f'.choice[data-choice="{choice}"]').tap()
            expect(page.locator("h1")).not_to_have_text(read)
            assert page.evaluate("taps") == 1
    assert thrown(base, IDS[f"darts taps {name}"]) == ["T5"]
    with shown(browser, f"{base}/match/{IDS[f'table taps {name}']}", device) as page:
        expect_two_taps(page, '[data-choice="7↓"]')
        expect(page.locator('.panel[data-side="0"] .numeral')).to_have_attribute("aria-label", "7")
    with shown(browser, f"{base}/match/{IDS[f'balls taps {name}']}", device) as page:
        slot = page.locator('[data-slot="2.3"]')
        expect(slot).to_have_attribute("aria-label", "Position 2, slot 3: ball of Eva")
        expect_two_taps(page, ".choice:not(.right)")
        expect(slot).to_have_attribute("aria-label", "Position 2, slot 3: ball of Fay")


def expect_two_taps(page: Page, choice: str) -> None:
    """Correct the newest entry of a match: tap it, tap what it was."""
    page.evaluate(TAPS)
    page.locator(".step").first.tap()
    expect(page.locator(choice).first).to_be_visible()
    page.wait_for_timeout(400)
    page.locator(choice).first.tap()
    expect(page.locator(".sheet")).to_be_hidden()
    assert page.evaluate("taps") == 2


@pytest.mark.long
def test_a_ball_is_dragged_to_where_it_went(browser: Browser, place: tuple[str, Path]) -> None:
    with checked(browser, place, "balls drag", PHONE) as page:
        expect(page.locator("h1")).to_have_text("Read as →3.1 grouped→2.3")
        start = middle(page, '[data-slot="2.3"]')
        end = page.locator('[data-slot="2.5"]').bounding_box()
        assert end is not None
        finger = Finger(page)
        finger.drag(start, (end["x"] + 24, end["y"] + 24))
        expect(page.locator(".ghostball")).to_be_visible()
        finger.up()
        expect(page.locator(".ghostball")).to_have_count(0)
        expect(page.locator(".draft .big")).to_have_text("→3.1 grouped→2.5")
        page.locator("[data-key=save]").tap()
        expect(page.locator("h1")).to_have_text("Nothing to check")
    moves = ask(place[0], "GET", f"/matches/{IDS['balls drag']}")["history"][-1]["action"]["moves"]
    assert moves[1] == {"ball": 0, "from": "grouped", "to": [2, 5]}


@pytest.mark.long
def test_pictures_that_went_are_said_to_be_kept_no_longer(browser: Browser, place: tuple[str, Path]) -> None:
    base, folder = place
    history = ask(base, "GET", f"/matches/{IDS['balls gone']}")["history"]
    for name in history[-1]["seen"]["pictures"].values():
        (folder / "media" / name[:2] / f"{name}.jpg").unlink()
    with shown(browser, f"{base}/match/{IDS['balls gone']}", PHONE) as page:
        page.locator(".step").first.tap()
        expect(page.locator(".pictures .gone")).to_have_text(["no longer kept", "no longer kept"])
        expect(page.locator(".pictures img")).to_have_count(0)
        assert page.evaluate(CHECKS) == []
    with checked(browser, place, "balls gone", PHONE) as page:
        for tab in ("Before", "After"):
            page.get_by_role("button", name=tab, exact=True).tap()
            expect(page.locator(".look .gone")).to_have_text("no longer kept")
        assert page.evaluate(CHECKS) == []


@pytest.mark.long
def test_a_match_that_was_checked_is_kept_as_a_regression_test(browser: Browser, place: tuple[str, Path]) -> None:
    with checked(browser, place, "table keep", LAPTOP) as page:
        page.keyboard.press(" ")
        page.get_by_role("button", name="Keep as a regression test").click()
        expect(page.locator(".toast", has_text="tallycam check")).to_be_visible()
    (folder,) = (place[1] / "regression").iterdir()
    assert folder.name.startswith(IDS["table keep"])
    assert '"7": "fallen"' in (folder / "match.jsonl").read_text(encoding="utf-8")


def test_of_a_camera_without_a_session_it_is_said_what_to_switch_on(
    browser: Browser, place: tuple[str, Path]
) -> None:
    with shown(browser, f"{place[0]}/match/{IDS['table camera']}/story", PHONE) as page:
        page.get_by_role("button", name="Keep as a regression test").tap()
        expect(page.locator(".keep p")).to_contain_text("set sessions_gb under [media] in the settings file")
        assert page.evaluate(CHECKS) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize(
    ("device", "scheme"),
    [(PHONE, "light"), (LAPTOP, "dark")],
    ids=["phone", "laptop"],
)
@pytest.mark.long
def test_every_view_has_names_sizes_contrast_and_keeps_its_policy(
    browser: Browser, place: tuple[str, Path], device: dict[str, Any], scheme: str
) -> None:
    base = place[0]
    boards = ask(base, "GET", "/boards")["boards"]
    board = next(one["id"] for one in boards if one["game"] == "finn" and one["source"].endswith("clip.mp4"))
    paths = ["", "review", "boards", "labels", "shadow", "pair", "devices", "tv", "overlay"]
    paths += [f"board/{board}/setup", f"board/{board}/teach"]
    for use in ("darts pictures", "table keep", "balls drag"):
        paths += [f"match/{IDS[use]}", f"match/{IDS[use]}/story", f"match/{IDS[use]}/tv"]
    with shown(browser, f"{base}/{paths[0]}", {**device, "color_scheme": scheme}) as page:
        network = page.context.new_cdp_session(page)
        network.send("Network.enable")
        network.send("Network.setCacheDisabled", {"cacheDisabled": True})
        for path in paths:
            page.goto(f"{base}/{path}")
            expect(page.locator("main > *").first).to_be_visible()
            if path.endswith("setup"):
                expect(page.locator("[data-check=frame_rate]")).to_be_visible(timeout=120_000)
            page.wait_for_timeout(150)
            assert (path, page.evaluate(CHECKS)) == (path, [])
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
            assert 20_000 < page.evaluate(BYTES) <= MOST_BYTES, path
            assert page.evaluate("window.broken") == [], path
