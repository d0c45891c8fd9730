"""Fixtures of the service's tests."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser
from support.page import chromium


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser for a module's tests."""
    with chromium() as started:
        yield started
