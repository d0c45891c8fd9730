"""The page in a real Chromium, on a phone and on a laptop."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Dialog, Page, expect, sync_playwright

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
    "device_scale_factor": 2,
}
LAPTOP: dict[str, Any] = {"viewport": {"width": 1440, "height": 900}, "has_touch": True}

NEEDS_CHROMIUM = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium: apt-get install chromium")


def browser_marks(group: str) -> list[pytest.MarkDecorator]:
    """Give the marks of a module's tests; those of one group share a process and follow each other."""
    return [pytest.mark.browser, NEEDS_CHROMIUM, pytest.mark.xdist_group(f"browser, {group}")]


DEVICES = pytest.mark.parametrize("device", [PHONE, LAPTOP], ids=["phone", "laptop"])
"""On both, wherever the page is asked to work on both."""
PHONE_FIRST = pytest.mark.parametrize(
    "device", [PHONE, pytest.param(LAPTOP, marks=pytest.mark.slow)], ids=["phone", "laptop"]
)
"""What a size hardly changes, while another test holds the view to its size: the laptop with `make test-all`."""

SCRIPTS = Path(__file__).resolve().parents[1] / "page"
CHECKS = (SCRIPTS / "checks.js").read_text(encoding="utf-8")
"""What a page must hold to: run in it, it lists what does not."""
DRAG = (SCRIPTS / "drag.js").read_text(encoding="utf-8")
"""Run in a page, it drags over the board and gives the median time of a move, ms."""
SPENT = (SCRIPTS / "spent.js").read_text(encoding="utf-8")
"""Run in a page, it measures each move of a finger; `spent()` then says how long they took."""
FRAME_MS = 16
BYTES = """performance.getEntriesByType('resource').filter(one => one.name.includes('/static/'))
    .reduce((sum, one) => sum + one.decodedBodySize, 0)"""
"""How much a page has loaded of the page's own files."""
MOST_BYTES = 150_000

# A machine that is busy with other things may take several seconds to paint; that is no fault of the page.
expect.set_options(timeout=20_000)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start a browser that talks to nobody but us."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser for a module's tests."""
    with chromium() as started:
        yield started


@contextmanager
def shown(browser: Browser, url: str, device: dict[str, Any]) -> Iterator[Page]:
    """Open a page; that it breaks its own policy, throws an error or asks in a dialog is a failure."""
    context = browser.new_context(**device, reduced_motion="reduce", locale="en-GB")
    page = context.new_page()
    faults: list[str] = []

    def refuse(dialog: Dialog) -> None:
        faults.append(dialog.message)
        dialog.dismiss()

    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda message: faults.append(message.text) if "Content Security" in message.text else None)
    page.on("dialog", refuse)
    page.add_init_script(
        "window.broken = []; addEventListener('securitypolicyviolation', e => broken.push(e.violatedDirective))"
    )
    page.goto(url)
    yield page
    assert page.evaluate("window.broken") == []
    context.close()
    assert faults == []


class Finger:
    """One finger on a page: what a touch screen tells, point by point."""

    def __init__(self, page: Page) -> None:
        self._page, self._told = page, page.context.new_cdp_session(page)

    def down(self, x: float, y: float) -> None:
        """Put it down."""
        self._tell("touchStart", x, y)

    def move(self, x: float, y: float) -> None:
        """Slide it to a point."""
        self._tell("touchMove", x, y)

    def up(self) -> None:
        """Lift it, and wait: a tap right after a swipe only stops what that set going."""
        self._told.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        self._page.wait_for_timeout(350)

    def drag(self, start: tuple[float, float], end: tuple[float, float], steps: int = 8) -> None:
        """Drag from one point to another, and rest there until the page has seen it."""
        self.down(*start)
        for step in range(1, steps + 1):
            self.move(*(a + (b - a) * step / steps for a, b in zip(start, end, strict=True)))
        self._page.wait_for_timeout(150)

    def _tell(self, kind: str, x: float, y: float) -> None:
        self._told.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]})


def expect_scores(page: Page, *wanted: int) -> None:
    """Wait until the score is this."""
    for place, points in enumerate(wanted):
        expect(page.locator(f'.panel[data-side="{place}"] .numeral')).to_have_attribute("aria-label", str(points))


def expect_quick(page: Page, moves: int = 6) -> None:
    """Hold the drag that was measured to a frame of the screen a move, in the quarter that nothing else slowed."""
    spent = page.evaluate("spent()")
    assert spent["moves"] >= moves
    assert spent["quarter"] < FRAME_MS, spent


def middle(page: Page, selector: str) -> tuple[float, float]:
    """Give the middle of what is shown, in pixels of the page."""
    locator = page.locator(selector).first
    locator.scroll_into_view_if_needed()
    box = locator.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
