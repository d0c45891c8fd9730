"""Fixtures that every test may use."""

import os
from pathlib import Path

import pytest

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # programs that tests start need not compile everything each time

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The real pictures beside the checkout; the test is skipped where they are absent."""
    data = SHARED / "data"
    if not data.is_dir():
        pytest.skip("needs the real pictures in ../shared/data")
    return data


@pytest.fixture(scope="session")
def shared_rules() -> Path:
    """The worked examples of the rules beside the checkout; the test is skipped where they are absent."""
    rules = SHARED / "rules"
    if not rules.is_dir():
        pytest.skip("needs the worked examples in ../shared/rules")
    return rules
