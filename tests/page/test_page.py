"""The page in a real Chromium: shown, corrected by touch and keys, live, after a restart, whatever names are."""

import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect
from support.page import CHECKS, DEVICES, DRAG, LAPTOP, PHONE, PHONE_FIRST, browser_marks, expect_scores, shown
from support.service import (
    amend,
    ask,
    free_port,
    opened,
    played,
    record,
    running,
    strike,
    throw,
)

LONG = "Maximiliane-Alexandra von Hohenstein"
EVIL = '<img src=x onerror="document.title=1"><script>alert(1)</script>'

RETURN_MS = 3000
"""After a restart, a sleep or a lost network the truth is shown within this time."""

STAGED = """
window.hold = false; window.held = [];
window.EventSource = class extends EventTarget { constructor() { super(); window.stream = this; } close() {} };
window.tell = (kind, data) => stream.dispatchEvent(new MessageEvent(kind, { data: JSON.stringify({ data }) }));
const asked = window.fetch;
window.fetch = (...what) => !hold ? asked(...what) : new Promise((take) =>
  held.push((match) => take(new Response(JSON.stringify(match)))));
"""
"""A stream that says what the test says, and, once `hold` is set, answers that come when the test gives them."""

pytestmark = browser_marks("match")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, dict[str, str]]]:
    """A running service and the matches in it by name."""
    folder = tmp_path_factory.mktemp("page")
    with opened(folder) as matches:
        ids = {
            "plain": played(matches, "T20 S20 S5", "T19 S19 S3", "T18 T18", doubt=3),
            "touch": played(matches, "T20 S20 S5", "T19 S19 S3", "T18 T18", doubt=3),
            "keys": played(matches, "T20 S20 S5", "T19 S19 S3", "T18 T18", doubt=3),
            "later": played(matches, "T20 S20 S5", "T19 S19 S3", "T18 T18", doubt=3),
            "live": played(matches, "T20 S20 S5"),
            "slept": played(matches, "T20 S20 S5"),
            "stops": played(matches, "T20 S20 S5", "T19 S19 S3", sides=(LONG, "B")),
            "evil": played(matches, "T20", sides=(EVIL, '"><svg onload=alert(2)>')),
            "hand": matches.create("cricket", ["Ann", "Ben"]),
            "finn": matches.create("finn", [EVIL, "Ben", "Cho"]),
        }
        matches.append(ids["stops"], 8, [(strike(2), None)])
        matches.append(ids["evil"], 1, [(amend(1, throw(0, "T19", 1000), EVIL), None)])
        finn = record({"kind": "shot", "side": 0, "t_ms": 1, "pins": {"7": "fallen"}})
        matches.append(ids["finn"], 0, [(finn, None)])
    with running("--data", str(folder), port=free_port()) as (_, base):
        yield base, ids


@DEVICES
def test_score_board_marks_and_reasons_are_shown(
    browser: Browser, place: tuple[str, dict[str, str]], device: dict[str, Any]
) -> None:
    base, ids = place
    with shown(browser, f"{base}/match/{ids['plain']}", device) as page:
        expect_scores(page, 74, 19)
        expect(page.locator(".panel.turn")).to_contain_text("Ann")
        expect(page.locator(".dart")).to_have_count(2)
        expect(page.locator(".turnitem")).to_have_count(3)
        expect(page.locator(".step", has_text="18 opened")).to_be_visible()
        row = page.locator(".marks tr", has=page.get_by_role("rowheader", name="20", exact=True))
        expect(row.locator("svg").first).to_have_attribute("aria-label", "open, scores")
        expect(page.locator(".bell")).to_have_attribute("aria-label", "1 dart to check")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_wrong_neighbour_takes_two_taps_on_a_phone(browser: Browser, place: tuple[str, dict[str, str]]) -> None:
    base, ids = place
    with shown(browser, f"{base}/match/{ids['touch']}", PHONE) as page:
        expect_scores(page, 74, 19)
        page.locator('.step[data-entry="3"]').tap()
        choice = page.locator('[data-choice="S20"]')
        expect(choice).to_contain_text("94 : 19")
        page.wait_for_timeout(400)
        choice.tap()
        expect_scores(page, 94, 19)
        expect(page.locator(".toast")).to_contain_text("S5 → S20. Ann 94, Ben 19")
        page.locator(".toast button").tap()
        expect_scores(page, 74, 19)
    entries = ask(base, "GET", f"/matches/{ids['touch']}")["entries"]
    assert [entry["entry"] for entry in entries[-2:]] == ["amend", "strike"]
    assert entries[-2]["by"] == "umpire:Home"


@pytest.mark.long
def test_any_segment_is_chosen_on_the_board_and_seen_before_it_is_saved(
    browser: Browser, place: tuple[str, dict[str, str]]
) -> None:
    base, ids = place
    with shown(browser, f"{base}/match/{ids['touch']}", PHONE) as page:
        expect_scores(page, 74, 19)
        page.locator(".slot").first.tap()
        expect(page.locator(".choice").first).to_be_visible()
        page.wait_for_timeout(400)
        box = page.locator("svg.board").bounding_box()
        assert box is not None
        page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] * (0.5 - 92 / 452))
        expect(page.locator(".draft .big")).to_have_text("T20")
        expect(page.locator(".change").first).to_contain_text("74 → 80")
        assert ask(base, "GET", f"/matches/{ids['touch']}")["result"]["scores"] == [74, 19]
        page.locator(".ring", has_text="D20").tap()
        expect(page.locator(".draft .big")).to_have_text("D20")
        page.get_by_role("button", name="Save D20").tap()
        expect_scores(page, 60, 19)
        page.locator(".toast button").tap()
        expect_scores(page, 74, 19)


@pytest.mark.long
def test_keys_alone_are_enough(browser: Browser, place: tuple[str, dict[str, str]]) -> None:
    base, ids = place
    with shown(browser, f"{base}/match/{ids['keys']}", LAPTOP) as page:
        expect_scores(page, 74, 19)
        page.keyboard.press("n")
        expect(page.locator(".sheet h2")).to_have_text("S5")
        expect(page.locator(".choice").nth(1)).to_be_visible()
        page.wait_for_timeout(400)
        page.keyboard.type("t20")
        page.keyboard.press("Enter")
        expect(page.locator(".draft .big")).to_have_text("T20")
        expect(page.get_by_role("button", name="Save T20")).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.locator(".toast")).to_contain_text("S5 → T20")
        expect_scores(page, 134, 19)
        page.keyboard.press("u")
        expect_scores(page, 74, 19)
        page.keyboard.press("n")
        expect(page.locator(".choice.right")).to_be_visible()
        page.wait_for_timeout(400)
        page.keyboard.press(" ")
        expect(page.locator(".bell")).to_be_hidden()
        expect(page.locator(".sheet")).to_be_hidden()
    view = ask(base, "GET", f"/matches/{ids['keys']}")
    assert view["history"][2]["decision"]["decision"] == "confirmed"


def test_a_later_conflict_is_shown_before_saving(browser: Browser, place: tuple[str, dict[str, str]]) -> None:
    base, ids = place
    with shown(browser, f"{base}/match/{ids['later']}", LAPTOP) as page:
        expect_scores(page, 74, 19)
        page.locator('.step[data-entry="2"]').click()
        page.locator(".reason summary").click()
        page.get_by_role("button", name="It was no dart").click()
        expect(page.get_by_role("alert")).to_contain_text("the turn ended before its third dart")
        page.locator("[data-key=instead-0]").click()
        expect(page.locator(".draft .big")).to_have_text("MISS")
        expect(page.locator(".draft [role=alert]")).to_have_count(0)
        assert ask(base, "GET", f"/matches/{ids['later']}")["seq"] == 10
        page.get_by_role("button", name="Back").click()
        page.keyboard.press("Escape")
        expect(page.locator(".sheet")).to_be_hidden()


@DEVICES
def test_a_score_that_stops_says_where_and_leads_there(
    browser: Browser, place: tuple[str, dict[str, str]], device: dict[str, Any]
) -> None:
    base, ids = place
    with shown(browser, f"{base}/match/{ids['stops']}", device) as page:
        note = page.get_by_role("button", name="The score stops at entry 4")
        expect(note).to_be_in_viewport(ratio=1)
        expect(page.locator(".turnitem").first).to_contain_text("Not counted")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        note.click()
        expect(page.locator(".sheet")).to_be_visible()


def test_changes_from_elsewhere_are_shown_as_they_come(
    browser: Browser, place: tuple[str, dict[str, str]]
) -> None:
    base, ids = place
    with shown(browser, f"{base}/match/{ids['live']}", LAPTOP) as page:
        expect_scores(page, 20, 0)
        for seq, segment in enumerate(("T19", "S19"), 4):
            body = {"expected_seq": seq, "entry": record(throw(1, segment, 9000 + seq))}
            ask(base, "POST", f"/matches/{ids['live']}/entries", body)
        expect_scores(page, 20, 19)
        expect(page.locator(".dart")).to_have_count(2)
        body = {"expected_seq": 6, "entry": amend(2, throw(0, "T20", 2000))}
        ask(base, "POST", f"/matches/{ids['live']}/entries", body)
        expect_scores(page, 60, 19)
        expect(page.locator("#say")).to_contain_text("Ann 60, Ben 19")


def test_what_the_camera_sees_is_never_put_back_by_a_look_asked_for_before(
    browser: Browser, place: tuple[str, dict[str, str]]
) -> None:
    """The answer to a request may be older than what the stream told while it was under way."""
    base, ids = place
    match = ask(base, "GET", f"/matches/{ids['plain']}")
    watched = {"source": "cam", "phase": "hand", "t_ms": 9000, "done": False}
    with shown(browser, base, PHONE) as page:
        page.add_init_script(STAGED)
        page.goto(f"{base}/match/{ids['plain']}")
        expect(page.locator(".panel")).to_have_count(2)
        page.evaluate("match => tell('snapshot', {version: '1', match})", match | {"live": watched})
        expect(page.locator(".pill")).to_have_text("hand at the board")
        page.evaluate("hold = true; tell('change', {change: 1e6})")
        page.wait_for_function("held.length === 1")
        page.evaluate("live => tell('status', live)", watched | {"done": True})
        expect(page.locator(".pill")).to_have_text("recording ended")
        page.evaluate("match => held[0](match)", match | {"live": watched, "change": match["change"] + 1})
        page.wait_for_timeout(200)
        expect(page.locator(".pill")).to_have_text("recording ended")


@pytest.mark.long
def test_a_change_that_is_shown_before_its_news_comes_is_said_all_the_same(
    browser: Browser, place: tuple[str, dict[str, str]]
) -> None:
    """The look that the first of two changes asks for may show both."""
    base, ids = place
    match = ask(base, "GET", f"/matches/{ids['plain']}")
    with shown(browser, base, PHONE) as page:
        page.add_init_script(STAGED)
        page.goto(f"{base}/match/{ids['plain']}")
        expect(page.locator(".panel")).to_have_count(2)
        page.evaluate(
            "number => { hold = true; tell('change', {change: number, say: 'One.'}); }", match["change"] + 1
        )
        page.wait_for_function("held.length === 1")
        page.evaluate("match => held[0](match)", match | {"change": match["change"] + 2})
        expect(page.locator("#say")).to_have_text("One.")
        page.evaluate("number => tell('change', {change: number, say: 'Two.'})", match["change"] + 2)
        expect(page.locator("#say")).to_have_text("Two.")


def test_names_and_reasons_are_text_and_nothing_else(browser: Browser, place: tuple[str, dict[str, str]]) -> None:
    base, ids = place
    for device in (PHONE, LAPTOP):
        with shown(browser, f"{base}/match/{ids['evil']}", device) as page:
            expect(page.locator(".panel .name").first).to_contain_text("<img src=x")
            page.locator(".corrections summary").click()
            expect(page.locator(".corrections li")).to_contain_text("<script>")
            page.locator(".slot").first.click()
            expect(page.locator(".known")).to_contain_text("<script>")
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            assert page.locator("img").count() == 0
        with shown(browser, f"{base}/match/{ids['finn']}", device) as page:
            expect(page.locator(".panel .name").first).to_contain_text("<img src=x")
    with shown(browser, base, LAPTOP) as page:
        expect(page.locator("a.match").first).to_be_visible()
        expect(page.get_by_text("<img src=x").first).to_be_visible()
        assert page.locator("img").count() == 0


def test_a_match_is_begun_and_scored_by_hand(browser: Browser, place: tuple[str, dict[str, str]]) -> None:
    base, _ = place
    with shown(browser, base, PHONE) as page:
        page.get_by_label("Name of player 1").fill("Åsa")
        page.get_by_role("button", name="Start").tap()
        expect(page.locator(".panel .name").first).to_contain_text("Åsa")
        page.get_by_role("button", name="Add a dart").tap()
        box = page.locator("svg.board").bounding_box()
        assert box is not None
        for count in (1, 2, 3):
            page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] * (0.5 - 92 / 452))
            expect(page.locator("button.slot")).to_have_count(count)
        expect_scores(page, 120, 0)
        page.get_by_role("button", name="End turn").tap()
        expect(page.locator(".panel.turn")).to_contain_text("Player 2")


@pytest.mark.long
def test_the_page_finds_the_truth_by_itself_after_a_restart(browser: Browser, tmp_path: Path) -> None:
    port = free_port()
    with opened(tmp_path) as matches:
        match_id = played(matches, "T20 S20 S5")
    with running("--data", str(tmp_path), port=port) as (service, base):
        context = browser.new_context(**LAPTOP)
        page = context.new_page()
        page.goto(f"{base}/match/{match_id}")
        expect_scores(page, 20, 0)
        service.end(signal.SIGKILL)
        expect(page.locator(".pill")).to_have_text("connecting…")
    with opened(tmp_path) as matches:
        matches.append(match_id, 4, [(amend(2, throw(0, "T20", 2000)), None)])
    with running("--data", str(tmp_path), port=port):
        expect(page.locator(".panel .numeral").first).to_have_attribute("aria-label", "60", timeout=RETURN_MS)
        expect(page.locator(".pill")).not_to_have_text("connecting…")
        context.close()


def test_a_page_that_slept_or_was_cut_off_shows_the_truth_within_three_seconds(
    browser: Browser, place: tuple[str, dict[str, str]]
) -> None:
    base, ids = place
    match_id = ids["slept"]
    with shown(browser, f"{base}/match/{match_id}", PHONE) as page:
        expect_scores(page, 20, 0)
        life = page.context.new_cdp_session(page)
        life.send("Page.setWebLifecycleState", {"state": "frozen"})
        correction = amend(2, throw(0, "T20", 2000))
        ask(base, "POST", f"/matches/{match_id}/entries", {"expected_seq": 4, "entry": correction})
        life.send("Page.setWebLifecycleState", {"state": "active"})
        expect(page.locator(".panel .numeral").first).to_have_attribute("aria-label", "60", timeout=RETURN_MS)
        page.context.set_offline(True)
        ask(base, "POST", f"/matches/{match_id}/entries", {"expected_seq": 5, "entry": strike(5)})
        page.wait_for_timeout(1000)
        page.context.set_offline(False)
        expect(page.locator(".panel .numeral").first).to_have_attribute("aria-label", "20", timeout=RETURN_MS)


def test_no_such_match_is_said(browser: Browser, place: tuple[str, dict[str, str]]) -> None:
    with shown(browser, f"{place[0]}/match/nosuch", PHONE) as page:
        expect(page.get_by_text("No such match")).to_be_visible()
        expect(page.locator(".pill, .bar [download]")).to_have_count(0)


def test_nothing_is_kept_for_learning_without_consent_and_how_to_give_it_is_said(
    browser: Browser, place: tuple[str, dict[str, str]]
) -> None:
    base, _ = place
    with shown(browser, f"{base}/labels", LAPTOP) as page:
        expect(page.locator(".consent")).to_contain_text("Nothing is kept for learning")
        expect(page.locator(".consent pre")).to_contain_text('keep = "corrected"')
        expect(page.locator(".example")).to_have_count(0)
        expect(page.locator(".filters")).to_be_hidden()
        page.get_by_role("link", name="Networks, and candidates beside them").click()
        expect(page.get_by_text("No candidate runs beside the networks in use")).to_be_visible()
        assert page.evaluate(CHECKS) == []


def test_devices_are_not_offered_where_no_other_machine_is_answered(
    browser: Browser, place: tuple[str, dict[str, str]]
) -> None:
    with shown(browser, f"{place[0]}/devices", PHONE) as page:
        expect(page.get_by_text("tallycam serve --lan")).to_be_visible()
        expect(page.locator(".role, .toast")).to_have_count(0)


@pytest.mark.parametrize(
    ("device", "scheme"),
    [
        (PHONE, "dark"),
        (LAPTOP, "light"),
        pytest.param(PHONE, "light", marks=pytest.mark.slow),
        pytest.param(LAPTOP, "dark", marks=pytest.mark.slow),
    ],
    ids=["phone, dark", "laptop, light", "phone, light", "laptop, dark"],
)
def test_everything_has_a_name_a_size_for_fingers_and_contrast(
    browser: Browser, place: tuple[str, dict[str, str]], device: dict[str, Any], scheme: str
) -> None:
    base, ids = place
    with shown(browser, f"{base}/match/{ids['plain']}", {**device, "color_scheme": scheme}) as page:
        expect_scores(page, 74, 19)
        assert page.evaluate(CHECKS) == []
        page.locator(".slot").first.click()
        expect(page.locator(".choice").first).to_be_visible()
        assert page.evaluate(CHECKS) == []
        page.goto(base)
        expect(page.locator("a.match").first).to_be_visible()
        assert page.evaluate(CHECKS) == []


def test_dragging_over_the_board_answers_within_a_frame(
    browser: Browser, place: tuple[str, dict[str, str]]
) -> None:
    base, ids = place
    with shown(browser, f"{base}/match/{ids['plain']}", LAPTOP) as page:
        page.locator(".slot").first.click()
        expect(page.locator(".choice").first).to_be_visible()
        spent = page.evaluate(DRAG)
        assert spent < 16


@PHONE_FIRST
def test_a_match_is_told_again_under_a_slider_with_chart_figures_and_heat_map(
    browser: Browser, place: tuple[str, dict[str, str]], device: dict[str, Any]
) -> None:
    base, ids = place
    with shown(browser, f"{base}/match/{ids['plain']}/story", device) as page:
        expect_scores(page, 74, 19)
        slider = page.get_by_role("slider")
        expect(slider).to_have_attribute("aria-valuetext", "10 of 10, turn 3: Ann T18, +54")
        page.get_by_role("button", name="Step back").click()
        page.get_by_role("button", name="Step back").click()
        expect_scores(page, 20, 19)
        slider.fill("1")
        expect_scores(page, 20, 0)
        expect(page.locator(".dart")).to_have_count(2)
        expect(page.locator(".scorechart .run")).to_have_count(2)
        row = page.locator(".figures tr", has=page.get_by_role("rowheader", name="Darts"))
        expect(row.locator("td")).to_have_text(["5", "3"])
        expect(page.locator(".heatmap .spot")).to_have_count(8)
        assert page.evaluate(CHECKS) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_tv_and_overlay_follow_whatever_is_played(browser: Browser, place: tuple[str, dict[str, str]]) -> None:
    base, _ = place

    def begun(*sides: str) -> str:
        made: str = ask(base, "POST", "/matches", {"game": "cricket", "sides": sides})["id"]
        entry = record(throw(0, "T17"))
        ask(base, "POST", f"/matches/{made}/entries", {"expected_seq": 0, "entry": entry})
        return made

    begun("Ann", "Ben")
    with shown(browser, f"{base}/tv", LAPTOP) as tv, shown(browser, f"{base}/overlay", LAPTOP) as overlay:
        for page in (tv, overlay):
            expect(page.locator(".name").first).to_have_text("Ann")
        made = begun(EVIL, "Ben")
        for page in (tv, overlay):
            expect(page.locator(".name").first).to_contain_text("<img src=x")
        expect(tv.locator(".tvsteps li")).to_have_text(["T1717 opened"])
        expect(overlay.locator(".last")).to_have_text("T17")
        for entry in (throw(0, "S17", 1), throw(0, "S3", 2)):
            seq = ask(base, "GET", f"/matches/{made}")["seq"]
            ask(base, "POST", f"/matches/{made}/entries", {"expected_seq": seq, "entry": record(entry)})
        expect(tv.locator(".tvpanel .numeral").first).to_have_attribute("aria-label", "17")
        expect(overlay.locator(".points").first).to_have_text("17")
        assert overlay.evaluate("getComputedStyle(document.body).backgroundColor") == "rgba(0, 0, 0, 0)"
        assert tv.evaluate(CHECKS) == []


@pytest.mark.long
def test_a_phone_is_paired_by_code_and_put_out_again(browser: Browser, tmp_path: Path) -> None:
    with opened(tmp_path) as matches:
        played(matches, "T20 S20 S5")
    with running("--lan", "--data", str(tmp_path), port=free_port()) as (service, base):
        assert service.process.stdout is not None
        link = service.process.stdout.readline().split(": ", 1)[1].strip()
        code = link.split("#")[1]
        with shown(browser, f"{base}/pair#{code}", LAPTOP) as laptop:
            expect(laptop).not_to_have_url(re.compile(code))
            laptop.get_by_label("Name of this device").fill("Laptop")
            laptop.get_by_role("button", name="Pair").click()
            laptop.get_by_role("link", name="Devices").click()
            laptop.locator('[data-role="display"]').click()
            shared = laptop.locator(".code").inner_text()
            assert laptop.evaluate(CHECKS) == []
            with shown(browser, base, PHONE) as phone:
                expect(phone).to_have_url(f"{base}/pair")
                phone.get_by_label("Code").fill(shared)
                phone.get_by_label("Name of this device").fill(EVIL)
                phone.get_by_role("button", name="Pair").tap()
                phone.get_by_role("link", name="Boards").tap()
                expect(phone.get_by_text("No board yet")).to_be_visible()
                expect(phone.get_by_text("Another board")).to_be_hidden()  # a display sets nothing up
                phone.get_by_role("link", name="All matches").tap()
                phone.locator("a.match").first.tap()
                expect_scores(phone, 20, 0)
                laptop.get_by_role("button", name="Take the key of <img").click()
                laptop.get_by_role("dialog").get_by_role("button", name="Put out").click()
                expect(phone).to_have_url(f"{base}/pair")
