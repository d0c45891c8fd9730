"""Finn Billiards and Astrolabe on the page in a real Chromium: shown, scored and corrected by touch."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, expect
from support.page import CHECKS, PHONE, PHONE_FIRST, browser_marks, expect_scores, shown
from support.service import amend, ask, free_port, opened, record, running

pytestmark = browser_marks("match")
RULED = ("ruled phone", "ruled laptop")


def shot(side: int, to: object, t_ms: int) -> dict[str, Any]:
    """Give a shot of Astrolabe that moved nothing else."""
    return {"kind": "shot", "side": side, "t_ms": t_ms, "moves": [{"ball": side, "from": "hand", "to": to}]}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, dict[str, str]]]:
    """A running service and the matches in it by name."""
    folder = tmp_path_factory.mktemp("data")
    with opened(folder) as matches:
        ids = {
            "finn": matches.create("finn", ["Ann", "Ben"]),
            "by hand": matches.create("finn", ["Ann", "Ben"], {"ride_the_rails": True}),
            "astrolabe": matches.create("astrolabe", ["Ann", "Ben"]),
            "balls": matches.create("astrolabe", ["Ann", "Ben"]),
            **{use: matches.create("astrolabe", ["Ann", "Ben"], {"ball_conversion": True}) for use in RULED},
            "many": matches.create("finn", ["Ann", "Ben"]),
            "refused": matches.create("astrolabe", ["Ann", "Ben"], {"balls": 1}),
            "unseen": matches.create("finn", ["Ann", "Ben"]),
        }
        shots: list[dict[str, Any]] = [
            {"pins": {"7": "fallen"}},
            {"pins": {"12": "fallen"}, "take": "defense", "placements": {"12": [60, 20]}},
            {"pins": {"1": "fallen", "2": "fallen", "4": "line"}},
        ]
        played = [{"kind": "shot", "side": number % 2, "t_ms": number, **one} for number, one in enumerate(shots)]
        matches.append(ids["finn"], 0, [(record(one, "player"), None) for one in played])
        balls = [{"kind": "start_round", "t_ms": 0}, shot(0, [3, 1], 1), shot(0, "gutter", 2), shot(1, [1, 3], 3)]
        matches.append(ids["balls"], 0, [(record(one, "player"), None) for one in balls])
        for use in RULED:
            matches.append(
                ids[use],
                0,
                [(record(one, "player"), None) for one in [*balls, shot(1, "grouped", 4), shot(0, "gutter", 5)]],
            )
        scattered = {str(pin): "fallen" for pin in range(2, 11)}
        corrected = amend(1, {"kind": "shot", "side": 0, "t_ms": 1, "pins": {**scattered, "9": "off_board"}})
        many = record({"kind": "shot", "side": 0, "t_ms": 1, "pins": scattered}, "player")
        one_ball = [{"kind": "start_round", "t_ms": 0}, shot(0, [1, 1], 1)]
        matches.append(ids["refused"], 0, [(record(one, "player"), None) for one in one_ball])
        seven = {"kind": "shot", "side": 0, "t_ms": 1, "pins": {"7": "fallen"}}
        matches.append(ids["unseen"], 0, [(record(seven), None)])
        matches.append(ids["many"], 0, [(many, None)])
        matches.append(ids["many"], 1, [(corrected, None)])
    with running("--data", str(folder), port=free_port()) as (_, base):
        yield base, ids


@PHONE_FIRST
@pytest.mark.long
def test_pins_are_shown_where_they_stand_with_what_the_last_shot_did(
    browser: Browser, place: tuple[str, dict[str, str]], device: dict[str, Any]
) -> None:
    base, ids = place
    with shown(browser, f"{base}/match/{ids['finn']}", device) as page:
        expect_scores(page, 9, 0)
        pins = page.locator(".pin")
        expect(pins).to_have_count(12)
        expect(page.locator('[data-pin="1"]')).to_have_attribute("aria-label", "Pin 1, fallen")
        expect(page.locator('[data-pin="4"]')).to_have_attribute("aria-label", "Pin 4, short of the line")
        where = {pin: page.locator(f'[data-pin="{pin}"] .body').bounding_box() for pin in ("7", "8", "12", "1")}
        assert all(where.values())
        x, y = ({pin: box[axis] for pin, box in where.items() if box} for axis in ("x", "y"))
        assert x["7"] < x["8"], "7 stands on the thrower's left"
        assert y["7"] < y["1"] < y["12"], "the far row is on top, a pin in defense nearest"
        expect(page.locator(".step", has_text="pins 2 and 1, pin 4 to the line: +2")).to_be_visible()
        assert page.evaluate(CHECKS) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.long
def test_a_shot_of_many_pins_and_what_it_stood_for_do_not_cover_each_other(
    browser: Browser, place: tuple[str, dict[str, str]]
) -> None:
    base, ids = place
    with shown(browser, f"{base}/match/{ids['many']}", PHONE) as page:
        row = page.locator(".step", has=page.locator(".badge s"))
        expect(row).to_be_visible()
        boxes = [row.locator(part).bounding_box() for part in ("> b", ".why", ".badge")]
        what, why, badge = (box for box in boxes if box)
        assert why["width"] > 100
        assert badge["y"] >= why["y"] + why["height"] or badge["x"] >= why["x"] + why["width"]
        assert what["x"] + what["width"] <= why["x"]
        assert badge["x"] + badge["width"] <= 390


@PHONE_FIRST
@pytest.mark.long
def test_shots_at_pins_are_scored_defended_and_corrected_by_touch(
    browser: Browser, place: tuple[str, dict[str, str]], device: dict[str, Any]
) -> None:
    base, _ = place
    made = {"game": "finn", "sides": ["Ann", "Ben"], "config": {"ride_the_rails": True}}
    match_id = ask(base, "POST", "/matches", made)["id"]
    with shown(browser, f"{base}/match/{match_id}", device) as page:
        page.get_by_role("button", name="Add a shot").tap()
        page.locator('[data-pin="9"]').tap()
        page.locator('[data-pin="5"]').tap()
        page.locator('[data-pin="5"]').tap()
        expect(page.locator('[data-pin="5"]')).to_have_attribute("aria-label", "Pin 5, leaning")
        page.get_by_role("button", name="One cushion more").tap()
        assert page.evaluate(CHECKS) == []
        page.get_by_role("button", name="Save the shot").tap()
        expect_scores(page, 10, 0)
        page.get_by_role("button", name="Add a shot").tap()
        page.locator('[data-pin="7"]').tap()
        page.get_by_role("button", name="Put in defense").tap()
        expect(page.get_by_role("button", name="Save the shot")).to_be_disabled()
        box = page.locator("svg.table").bounding_box()
        assert box is not None
        page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] * 0.72)
        page.get_by_role("button", name="Save the shot").tap()
        expect(page.locator(".step", has_text="defense, pin 7")).to_be_visible()
        expect_scores(page, 10, 0)
        page.get_by_role("button", name="Add a shot").tap()
        page.get_by_role("button", name="Save an air shot").tap()
        expect_scores(page, 5, 0)
        page.locator('.step[data-entry="1"]').tap()
        expect(page.locator(".choice").first).to_be_visible()
        page.wait_for_timeout(400)
        page.locator('[data-pin="11"]').tap()
        expect(page.locator(".draft .big")).to_have_text("5/ 9↓ 11↓ |1")
        expect(page.locator(".change").first).to_contain_text("5 → 0")
        page.get_by_role("button", name="Save 5/ 9↓ 11↓ |1").tap()
        expect_scores(page, 0, 0)
        page.locator(".toast button").tap()
        expect_scores(page, 5, 0)
    view = ask(base, "GET", f"/matches/{match_id}")
    assert view["entries"][0]["action"]["cushions"] == 1
    seven = view["result"]["state"]["defense"]["7"]
    assert 60 <= seven[0] <= 72
    assert 23 <= seven[1] <= 26


@PHONE_FIRST
def test_balls_are_shown_in_their_slots_and_where_else_they_are(
    browser: Browser, place: tuple[str, dict[str, str]], device: dict[str, Any]
) -> None:
    base, ids = place
    with shown(browser, f"{base}/match/{ids['balls']}", device) as page:
        expect_scores(page, 5, 1)
        expect(page.locator(".cell")).to_have_count(15)
        expect(page.locator('[data-slot="3.1"]')).to_have_attribute(
            "aria-label", "Position 3, slot 1: ball of Ann"
        )
        far, near = (page.locator(f'[data-slot="{slot}"]').bounding_box() for slot in ("3.1", "1.3"))
        assert far is not None
        assert near is not None
        assert far["y"] < near["y"], "the furthest position is on top"
        expect(page.locator(".place", has_text="in hand").locator("b").first).to_have_text("8")
        expect(page.locator(".step", has_text="in the gutter")).to_be_visible()
        assert page.evaluate(CHECKS) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.long
def test_a_round_is_scored_and_corrected_by_touch(browser: Browser, place: tuple[str, dict[str, str]]) -> None:
    base, ids = place
    with shown(browser, f"{base}/match/{ids['astrolabe']}", PHONE) as page:
        page.get_by_role("button", name="Start the Round").tap()
        for slot, scores in (("3.2", (5, 0)), ("3.3", (15, 0))):
            page.get_by_role("button", name="Add a shot").tap()
            page.locator(f'[data-slot="{slot}"]').tap()
            page.get_by_role("button", name="Save the shot").tap()
            expect_scores(page, *scores)
        page.get_by_role("button", name="Add a shot").tap()
        page.locator('[data-place="grouped"]').tap()
        page.get_by_role("button", name="Save the shot").tap()
        expect(page.locator(".panel.turn")).to_contain_text("Ben")
        page.get_by_role("button", name="Add a shot").tap()
        page.locator('[data-slot="3.1"]').tap()
        page.locator('[data-slot="3.2"]').tap()
        expect(page.get_by_role("status").filter(has_text="Tap where that ball went")).to_be_visible()
        page.locator('[data-place="gutter"]').tap()
        page.get_by_role("button", name="Save the shot").tap()
        expect_scores(page, 15, 5)
        moves = ask(base, "GET", f"/matches/{ids['astrolabe']}")["entries"][-1]["action"]["moves"]
        assert moves == [
            {"ball": 1, "from": "hand", "to": [3, 1]},
            {"ball": 0, "from": [3, 2], "to": "gutter"},
        ]
        page.locator('.step[data-entry="5"]').tap()
        expect(page.locator(".choice").first).to_be_visible()
        page.wait_for_timeout(400)
        page.locator('[data-slot="2.5"]').tap()
        expect(page.locator(".draft .big")).to_have_text("→2.5 3.2→gutter")
        page.get_by_role("button", name="Save →2.5").tap()
        expect_scores(page, 15, 2)


RULINGS: list[tuple[str, str, list[str], str, dict[str, Any]]] = [
    ("Warning to", "Ben", [], "Warning to Ben", {"ruling": "warning", "side": 1}),
    ("Time", "+30 s", [], "+30 s of time", {"ruling": "add_time", "ms": 30000}),
    ("Free shot for", "Ann", [], "Free shot for Ann", {"ruling": "free_shot", "side": 0}),
    (
        *("Balls", "Take one out", ['[data-slot="3.1"]'], "A ball of Ann out of slot 1 of position 3"),
        {"ruling": "remove_ball", "ball": 0, "from": [3, 1]},
    ),
    (
        *("Balls", "Change a colour", ['[data-slot="1.3"]'], "The ball in slot 3 of position 1 is Ann's"),
        {"ruling": "convert_ball", "ball": 0, "slot": [1, 3]},
    ),
    (
        *("Table moved by", "Ann", ['[data-slot="1.3"]', "[data-key=pick-grouped-1]"], "Ann moved the table"),
        {
            "kind": "table_moved",
            "side": 0,
            "moves": [{"ball": 0, "from": [1, 3], "to": "out"}, {"ball": 1, "from": "grouped", "to": "hand"}],
        },
    ),
]
"""Group, button, what is tapped on the table, the words of what is seen ahead, what is written."""


@PHONE_FIRST
@pytest.mark.long
def test_an_umpire_rules_in_words_and_sees_each_ruling_before_it_is_saved(
    browser: Browser, place: tuple[str, dict[str, str]], device: dict[str, Any]
) -> None:
    base, ids = place
    match_id = ids["ruled phone" if device is PHONE else "ruled laptop"]
    with shown(browser, f"{base}/match/{match_id}", device) as page:
        for group, button, taps, said, written in RULINGS:
            page.locator("[data-key=umpire]").tap()
            if group == "Warning to":
                assert page.evaluate(CHECKS) == []
                assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            page.locator(f'[data-key="{group} {button}"]').tap()
            for place_of in taps:
                page.locator(place_of).tap()
            if len(taps) > 1:
                page.locator("[data-key=done]").tap()
            expect(page.locator(".draft .big")).to_have_text(said)
            seq = ask(base, "GET", f"/matches/{match_id}")["seq"]
            page.locator("[data-key=save]").tap()
            expect(page.locator(".toast")).to_contain_text(f"{said}. Ann")
            entry = ask(base, "GET", f"/matches/{match_id}")["entries"][-1]
            assert (entry["id"], entry["by"]) == (seq + 1, "umpire:Home"), "nothing is written before it is saved"
            assert entry["action"] == {"kind": "umpire", "t_ms": 5, **written}
        page.locator("[data-key=umpire]").tap()
        page.locator('[data-key="Last shot, Ann Touched a moving ball"]').tap()
        page.locator("[data-key=save]").tap()
        expect(page.locator(".step", has_text="touched a moving ball, the shot is void")).to_be_visible()
        page.locator('[data-key="Time is up"]').tap()
        expect(page.locator(".drafthead")).to_contain_text("the Round ends")
        page.locator("[data-key=save]").tap()
        expect(page.get_by_role("button", name="Start the Round")).to_be_visible()
    view = ask(base, "GET", f"/matches/{match_id}")
    assert view["result"]["conflict"] is None
    assert view["entries"][-2]["action"]["foul"] == "touched_moving_ball"
    assert view["entries"][-1]["action"] == {"kind": "round_over", "t_ms": 390_000}


def test_a_ruling_that_the_rules_refuse_is_not_offered_to_be_saved(
    browser: Browser, place: tuple[str, dict[str, str]]
) -> None:
    base, ids = place
    with shown(browser, f"{base}/match/{ids['refused']}", PHONE) as page:
        page.get_by_role(
            "button", name="Umpire"
        ).tap()  # Ann has no ball left: Ben chooses, Bank or Final Sequence
        page.locator('[data-key="Free shot for Ann"]').tap()
        expect(page.get_by_role("alert")).to_have_text(
            "Free shot for Ann: Bank or Final Sequence has to be chosen first"
        )
        expect(page.locator("[data-key=save]")).to_have_count(0)
        page.locator("[data-key=back]").tap()
        page.locator("[data-key=umpire]").tap()
        page.get_by_role("button", name="Bank").tap()
        expect(page.locator(".change").nth(1)).to_contain_text("0 → 1")
        page.locator("[data-key=save]").tap()
        expect_scores(page, 1, 1)


@pytest.mark.long
def test_a_shot_that_nobody_saw_is_put_in_and_a_false_one_taken_out(
    browser: Browser, place: tuple[str, dict[str, str]]
) -> None:
    base, ids = place
    match_id = ids["unseen"]
    with shown(browser, f"{base}/match/{match_id}", PHONE) as page:
        page.locator(".step").first.tap()
        expect(page.locator(".choice").first).to_be_visible()
        page.locator(".reason summary").tap()
        page.locator("[name=reason]").fill("the camera was covered")
        page.get_by_role("button", name="A shot is missing after it").tap()
        expect(page.locator(".hint").first).to_contain_text("came after 7↓")
        page.wait_for_timeout(400)
        page.locator('[data-pin="12"]').tap()
        expect(page.locator(".change").nth(1)).to_contain_text("0 → 12")
        page.get_by_role("button", name="Save 12↓").tap()
        expect_scores(page, 7, 12)
        page.locator('.step[data-entry="1"]').tap()
        page.locator(".reason summary").tap()
        page.get_by_role("button", name="It was no shot").tap()
        expect(page.get_by_role("alert")).to_contain_text("the other side is on turn")
        page.get_by_role("button", name="Back").tap()
        added = ask(base, "GET", f"/matches/{match_id}")["entries"][-1]
    assert (added["entry"], added["after"], added["reason"]) == ("insert", 1, "the camera was covered")
    assert added["action"]["side"] == 1
