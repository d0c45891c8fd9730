"""Photograph every view of the page, on a phone and a laptop, light and dark: `make screenshots`.

What a camera saw is taken from the truth of the bundled recordings, with their pictures; nothing is watched, so
that the same pictures come out each time. With names of views, devices or schemes only those are taken:
`python docs/screenshots.py review story phone dark`.
"""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import segno
from playwright.sync_api import Browser, Page

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT)]

from support.boards_service import sample_clip, sample_setup  # noqa: E402
from support.learning import compared, evidence, learnt, truth  # noqa: E402
from support.networks import candidate  # noqa: E402
from support.page import LAPTOP, PHONE, chromium  # noqa: E402
from support.seen import Watched  # noqa: E402
from support.service import ask, free_port, opened, record, running  # noqa: E402

from service.fake_camera import FakeCamera  # noqa: E402
from service.matches import Matches  # noqa: E402
from vision import models  # noqa: E402
from vision.frames import Frame, open_frames  # noqa: E402

FOLDER = ROOT / "docs" / "screenshots"
QUALITY = 74
"""Of WebP: a photograph of a board loses nothing that is seen; all pictures together take a few MB."""

SHOTS: list[dict[str, Any]] = [
    {"pins": {"12": "fallen"}},
    {"pins": {"7": "fallen", "9": "fallen", "5": "fallen"}},
    {"pins": {"11": "fallen"}, "take": "defense", "placements": {"11": [62.0, 14.0]}},
    {"pins": {"8": "fallen", "6": "leaning"}},
    {"pins": {"10": "fallen", "3": "fallen", "4": "fallen", "1": "line"}},
    {"pins": {}},
    {"pins": {"9": "fallen", "2": "off_board"}},
    {"pins": {"11": "fallen"}},
    {"pins": {"5": "fallen"}, "take": "defense", "placements": {"5": [68.0, 33.0]}},
    {"pins": {"7": "fallen", "12": "fallen"}},
]
"""A match of Finn Billiards that is under way, with all that can befall a pin."""


def darts(matches: Matches) -> str:
    """Play the match of the bundled recording up to its fifth visit; two of its darts are to be checked."""
    watched = Watched(matches, "cricket", ("Ann", "Ben"), on_doubt="mark")
    said = truth("cricket")
    doubts = {7: ("ON_A_WIRE", 0.71), 13: ("TIP_HIDDEN", 0.83)}
    for number, one in enumerate(said["throws"][:14]):
        code, sure = doubts.get(number, ("", 0.98))
        review = [{"code": code}] if code else []
        data = {"segment": one["segment"], "xy_mm": one["xy_mm"], "confidence": sure, "review": review}
        first, last = one["frame"], one["end_frame"]
        shown = evidence(watched, first, last, one["tip_px"]) if code else {}
        watched.take("throw", round(1000 * first / said["fps"]), data, shown)
        if number % 3 == 2:
            pulled = said["takeouts"][number // 3][0]
            watched.take("takeout", round(1000 * pulled / said["fps"]), {"darts": 3, "review": []}, {})
    watched.end()
    return watched.match_id


def pins(matches: Matches) -> str:
    """Play a match of Finn Billiards; its last shot, of the bundled recording, is to be checked."""
    watched = Watched(matches, "finn", ("Cho", "Dee"), on_doubt="mark")
    played = [{"kind": "shot", "side": at % 2, "t_ms": 1700 * (at + 1), **one} for at, one in enumerate(SHOTS)]
    matches.append(watched.match_id, 0, [(record(one), None) for one in played])
    said = truth("finn")
    shot = said["shots"][1]
    pins_then = {pin: {"xy_cm": place} for pin, place in shot["before"].items()}
    action = {"kind": "shot", "side": 0, "t_ms": 18100, "pins": {"2": "fallen", "8": "leaning"}}
    review = [{"code": "LEANING_UNSURE", "pin": "8"}]
    data = {"action": action, "confidence": 0.66, "review": review, "pins": pins_then}
    watched.take("shot", 18100, data, evidence(watched, shot["frame"], shot["end_frame"]))
    watched.end()
    return watched.match_id


def balls(matches: Matches) -> str:
    """Play a Round of Astrolabe up to the third shot of the bundled recording, which is to be checked."""
    watched = Watched(matches, "astrolabe", ("Eva", "Fay"), on_doubt="mark")
    said = truth("astrolabe")
    lying = {side: [] for side in (0, 1)}  # type: dict[int, list[list[int]]]
    for position, row in enumerate(said["start_slots"], 1):
        for slot, ball in enumerate(row, 1):
            if ball is not None:
                lying[ball].append([position, slot])
    rolls: list[tuple[int, Any]] = []
    for side in (0, 1):
        rolls += [(side, place) for place in lying[side]] + [(side, "gutter")]
    rolls += [(0, shot["moves"][0]["to"]) for shot in said["shots"][:2]]
    played: list[dict[str, Any]] = [{"kind": "start_round", "t_ms": 0}]
    for at, (side, place) in enumerate(rolls, 1):
        move = {"ball": side, "from": "hand", "to": place}
        played.append({"kind": "shot", "side": side, "t_ms": 900 * at, "moves": [move]})
    matches.append(watched.match_id, 0, [(record(one), None) for one in played])
    shot = said["shots"][2]
    t_ms = round(1000 * shot["frame"] / said["fps"])
    action = {"kind": "shot", "side": 0, "t_ms": t_ms, "moves": shot["moves"]}
    data = {"action": action, "confidence": 0.7, "review": [{"code": "SLOT_UNSURE"}]}
    watched.take("shot", t_ms, data, evidence(watched, shot["frame"], shot["end_frame"]))
    watched.end()
    return watched.match_id


def fill(folder: Path) -> dict[str, str]:
    """Play the matches; gives their ids."""
    with opened(folder) as matches:
        return {"balls": balls(matches), "pins": pins(matches), "darts": darts(matches)}


def boards(base: str) -> dict[str, str]:
    """Make a board of each bundled recording; gives their ids."""
    names = {"cricket": "Board in the den", "finn": "Finn table", "astrolabe": "Astrolabe, by the window"}
    found = {}
    for one in ask(base, "GET", "/boards")["boards"]:
        ask(base, "DELETE", f"/boards/{one['id']}")
    for game, name in names.items():
        new = {"name": name, "game": game, "source": str(sample_clip(game)), "pace": "real"}
        found[game] = ask(base, "POST", "/boards", new)["id"]
        setup = {key: value for key, value in sample_setup(game).items() if key != "colours"}
        ask(base, "POST", f"/boards/{found[game]}/setups", {"setup": setup})
    return found


# What is done on a page before it is photographed.


def _open(selector: str) -> Any:  # noqa: ANN401
    def done(page: Page) -> None:
        page.locator(selector).first.click()
        page.wait_for_timeout(700)

    return done


def _read(title: str) -> Any:  # noqa: ANN401
    def done(page: Page) -> None:
        page.locator(".choice.right").wait_for()
        for _ in range(6):
            if page.locator("h1").inner_text().startswith(f"Read as {title}"):
                break
            said = page.locator("h1").inner_text()
            page.keyboard.press("n")
            page.wait_for_function("said => document.querySelector('h1')?.innerText !== said", arg=said)

    return done


def _then(*steps: Any) -> Any:  # noqa: ANN401
    def done(page: Page) -> None:
        for step in steps:
            step(page)

    return done


def _drag(page: Page) -> None:
    """Hold a dart in mid-drag, the loupe over it."""
    page.locator(".onboard").scroll_into_view_if_needed()
    box = page.locator(".grip .ring").bounding_box()
    assert box is not None
    page.wait_for_timeout(500)
    page.mouse.move(box["x"] + 14, box["y"] + 14)
    page.mouse.down()
    page.mouse.move(box["x"] + 34, box["y"] + 4, steps=4)


def _clip(page: Page) -> None:
    page.locator("[data-key=tab-clip]").click()
    page.locator(".scrub .at", has_text="s").wait_for()
    for _ in range(14):
        page.locator("[data-key=frame-on]").click()
    page.wait_for_timeout(500)


def _found(page: Page) -> None:
    page.locator("[data-check=frame_rate]").wait_for(timeout=240_000)
    page.wait_for_timeout(300)


def _loaded(page: Page) -> None:
    shown = "[...document.querySelectorAll('li.board img')].every(one => one.naturalWidth)"
    for _ in range(240):
        if page.evaluate(shown):
            return
        page.wait_for_timeout(500)


def _offered(page: Page) -> None:
    page.locator(".choice:not(.right)").first.wait_for()
    page.wait_for_timeout(400)


def _to_form(page: Page) -> None:
    page.locator("#new").evaluate("one => one.scrollIntoView()")


def _to_rulings(page: Page) -> None:
    page.locator(".rulings").evaluate("one => one.scrollIntoView({ block: 'end' })")
    page.wait_for_timeout(300)


def _known_only(page: Page) -> None:
    """Take away the boards that were named for a picture of setting one up."""
    for card in page.locator("li.board", has_text="Board in the hall").all():
        card.get_by_role("button", name="Remove").click()
        page.get_by_role("dialog").get_by_role("button", name="Remove").click()
        page.wait_for_timeout(500)
    page.evaluate("scrollTo(0, 0)")
    page.mouse.move(0, 0)


def _new_board(page: Page) -> None:
    """Name a board that nobody has set up yet."""
    page.get_by_label("Name", exact=True).fill("Board in the hall")
    page.get_by_label("Or an address, or a recording").fill(str(sample_clip("cricket")))
    page.get_by_role("button", name="Set it up").click()


def _over_a_stream(page: Page) -> None:
    """Lay what a stream shows beneath the overlay."""
    name = page.evaluate(
        """fetch('/api/v1/matches/' + location.pathname.split('/')[2]).then(reply => reply.json())
        .then(match => match.history.find(one => one.seen?.pictures?.after_whole).seen.pictures.after_whole)"""
    )
    page.evaluate(f"document.documentElement.style.background = 'center / cover url(/api/v1/media/{name})'")
    page.wait_for_timeout(700)


def _cameras(page: Page) -> None:
    """Look at every camera, and choose one."""
    page.get_by_role("button", name="Show the cameras").click()
    page.locator(".camera", has_text="It does not answer").wait_for(timeout=240_000)
    for one in page.locator(".camera img").all()[:3]:
        one.wait_for(timeout=240_000)
    page.locator(".camera", has_text="oche").click()
    page.locator(".camera", has_text="oche").locator("img").wait_for(timeout=240_000)
    page.locator("form.new").evaluate("one => one.scrollIntoView({ block: 'end' })")
    page.wait_for_timeout(500)


def _asked(page: Page) -> None:
    page.get_by_role("button", name="Remove").first.click()
    page.wait_for_timeout(300)


def _taught(page: Page) -> None:
    """Take the first picture, and say what lies in it."""
    page.get_by_role("button", name="Take the picture").click()
    for position, row in enumerate(truth("astrolabe")["start_slots"], 1):
        for slot, ball in enumerate(row, 1):
            for _ in range(0 if ball is None else ball + 1):
                page.locator(f'[data-slot="{position}.{slot}"]').click()
    page.mouse.move(0, 0)
    page.wait_for_timeout(500)


def _with_pictures(page: Page) -> None:
    page.locator(".example img").first.wait_for()
    page.wait_for_timeout(500)


def _differing(page: Page) -> None:
    page.locator(".difference").first.wait_for()


SHOWN_AT = "192.168.1.20:8180"
"""The address that an invitation shows: this machine's own is nobody's business."""
KEYS = [("Tablet by the board", "umpire", 30), ("Ann's phone", "scorer", 29), ("TV in the bar", "display", 30)]


def _invited(page: Page) -> None:
    """Invite an umpire, as it looks where the service answers to other machines, which this one does not."""
    code = "K7QM4XTA"
    drawn = segno.make_qr(f"http://{SHOWN_AT}/pair#{code}").matrix
    squares = ["".join("#" if dark else "." for dark in line) for line in drawn]
    answers = {
        "me": {"gate": True, "role": "admin", "name": "Laptop"},
        "keys": {
            "keys": [
                {"id": f"key{day}{role}", "name": name, "role": role, "used_at": f"2026-11-{day}T19:00:00Z"}
                for name, role, day in KEYS
            ]
        },
        "codes": {"code": code, "role": "umpire", "good_s": 600, "at": f"{SHOWN_AT}/pair", "qr": squares},
    }
    page.route(
        "**/api/v1/access/*", lambda route: route.fulfill(json=answers[route.request.url.rsplit("/", 1)[1]])
    )
    page.reload()
    page.locator("[data-role=umpire]").click()
    page.locator(".qr").wait_for()
    page.wait_for_timeout(300)


def views(ids: dict[str, str], made: dict[str, str]) -> dict[str, tuple[str, Any]]:
    """Give each view by name: its path, and what is done there."""
    match, setup = "/match/{}".format, "/board/{}/setup".format
    rules = _then(_open(".game:nth-of-type(2)"), _open(".rules summary"), _to_form)
    return {
        "list": ("/", None),
        "new-match": ("/", rules),
        "match-darts": (match(ids["darts"]), None),
        "match-pins": (match(ids["pins"]), None),
        "match-balls": (match(ids["balls"]), None),
        "rulings": (match(ids["balls"]), _then(_open("[data-key=umpire]"), _to_rulings)),
        "correct-dart": (match(ids["darts"]), _then(_open(".step.doubt"), _offered)),
        "correct-pin": (match(ids["pins"]), _then(_open(".step"), _offered)),
        "story-darts": (match(ids["darts"]) + "/story", None),
        "story-pins": (match(ids["pins"]) + "/story", None),
        "tv-darts": (match(ids["darts"]) + "/tv", None),
        "tv-balls": (match(ids["balls"]) + "/tv", None),
        "overlay": (match(ids["darts"]) + "/overlay", _over_a_stream),
        "review-dart": ("/review", _then(_read("T18"), _drag)),
        "review-clip": ("/review", _then(_read("T18"), _clip)),
        "review-pins": ("/review", _read("2↓")),
        "review-balls": ("/review", _read("→2.5")),
        "boards": ("/boards", _then(_known_only, _loaded)),
        "setup-darts": ("/boards", _then(_new_board, _found)),
        "setup-pins": (setup(made["finn"]), _then(_found, _open("[data-key=place]"))),
        "setup-balls": (setup(made["astrolabe"]), _then(_found, _open("[data-key=place]"))),
        "remove": ("/boards", _then(_known_only, _loaded, _asked)),
        "teach": ("/board/{}/teach".format(made["astrolabe"]), _taught),
        "cameras": ("/boards", _then(_known_only, _loaded, _cameras)),
        "pair": ("/pair#K7QM-4XTA", None),
        "devices": ("/devices", _invited),
    }


LEARNING: dict[str, tuple[str, Any]] = {"labels": ("/labels", _with_pictures), "shadow": ("/shadow", _differing)}
"""Views of what boards learn from, by name."""


def still(game: str, number: int) -> list[Frame]:
    """Give a picture of a bundled recording, as a camera that sees nothing move."""
    source = open_frames(sample_clip(game))
    assert source
    for frame in source:
        if isinstance(frame, Frame) and frame.index == number:
            frame.index = frame.t_ms = 0  # or the camera waits for its time, again and again
            return [frame]
    raise ValueError(number)


@contextmanager
def service() -> Iterator[tuple[str, dict[str, str], dict[str, str]]]:
    """Run a service with all of that in it."""
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        ids = fill(Path(folder))
        named = [("Over the oche", "cricket", 120), ("Pool room", "finn", 0), ("Window", "astrolabe", 0)]
        seen = [(name, still(game, number)) for name, game, number in named]
        urls = [(name, stack.enter_context(FakeCamera(lambda frames=frames: frames)).url) for name, frames in seen]
        told = [f'[[cameras]]\nname = "{name}"\nsource = "{url}"\n' for name, url in [*urls, ("Attic", GONE)]]
        settings = Path(folder) / "tallycam.toml"
        settings.write_text("".join(told), encoding="utf-8")
        serving = running("--data", folder, "--config", str(settings), port=free_port())
        _, base = stack.enter_context(serving)
        yield base, ids, boards(base)


GONE = "http://127.0.0.1:9/video"
"""Of a camera that is switched off."""


@contextmanager
def learning() -> Iterator[str]:
    """Run a service that keeps what people put right, a candidate beside a network in use."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with opened(folder / "data") as matches:
            match_id, sightings = learnt(matches, pictures=True)
        beside = models.read_model(candidate(folder / "candidate"), "finn-pins")
        compared(folder / "data", match_id, sightings, {beside.name: beside.sha256})
        settings = folder / "tallycam.toml"
        settings.write_text('[labels]\nkeep = "reviewed"\n', encoding="utf-8")
        os.environ[models.FOLDER] = str(folder / "networks")
        models.shadow(beside)
        with running("--data", str(folder / "data"), "--config", str(settings), port=free_port()) as (_, base):
            yield base


def photograph(browser: Browser, base: str, taken: dict[str, tuple[str, Any]], device: str, scheme: str) -> None:
    """Take each view on one device in one scheme."""
    kind = {**(PHONE if device == "phone" else LAPTOP), "color_scheme": scheme}
    context = browser.new_context(**kind, reduced_motion="reduce", locale="en-GB", timezone_id="UTC")
    for name, (path, done) in taken.items():
        page = context.new_page()
        page.goto(base + path)
        page.locator("main").wait_for()
        page.wait_for_load_state("load")
        page.wait_for_timeout(900)
        if done is not None:
            done(page)
        shot = cv2.imdecode(np.frombuffer(page.screenshot(), np.uint8), cv2.IMREAD_COLOR)
        file = FOLDER / f"{name}-{device}-{scheme}.webp"
        cv2.imwrite(str(file), shot, [cv2.IMWRITE_WEBP_QUALITY, QUALITY])
        sys.stdout.write(f"{file.name}\n")
        page.close()
    context.close()


def main() -> None:
    """Take what is asked for, or all."""
    FOLDER.mkdir(exist_ok=True)
    kinds = {"phone", "laptop", "light", "dark"}
    wanted = [word for word in sys.argv[1:] if word not in kinds]
    only = kinds & set(sys.argv) or kinds
    devices = only & {"phone", "laptop"} or {"phone", "laptop"}
    schemes = only & {"light", "dark"} or {"light", "dark"}

    def taken(browser: Browser, base: str, every: dict[str, tuple[str, Any]]) -> None:
        chosen = {name: view for name, view in every.items() if not wanted or name.startswith(tuple(wanted))}
        for device in sorted(devices):
            for scheme in sorted(schemes):
                photograph(browser, base, chosen, device, scheme)

    with chromium() as browser:
        with service() as (base, ids, made):
            taken(browser, base, views(ids, made))
        with learning() as base:
            taken(browser, base, LEARNING)


if __name__ == "__main__":
    main()
