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

BROWSER_MARKS = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium: apt-get install chromium"),
    pytest.mark.xdist_group("browser"),
]

SCRIPTS = Path(__file__).resolve().parents[1] / "page"
CHECKS = (SCRIPTS / "checks.js").read_text(encoding="utf-8")
"""What a page must hold to: run in it, it lists what does not."""

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
