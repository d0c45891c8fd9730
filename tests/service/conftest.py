"""Fixtures of the tests in this folder."""

from support.page import browser

__all__ = ["browser"]
