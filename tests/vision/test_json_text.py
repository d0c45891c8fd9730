"""Whatever is wrong with JSON from outside is a ValueError, and a file that is none an OSError."""

from pathlib import Path

import pytest

from vision.json_text import parse_json, read_json


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "Expecting"),
        ("[" * 200_000, "nested too deep"),
        ('{"a":' * 200_000, "nested too deep"),
        ("1" + "0" * 400, "401 digits"),  # beyond what a float holds
        ("-1" + "0" * 5000, "digits"),  # beyond what Python turns into a number
        ("9223372036854775808", "19 digits"),
    ],
)
def test_what_cannot_be_read_says_why(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        parse_json(text)


def test_numbers_of_64_bits_and_floats_stay_exact() -> None:
    assert parse_json("[9223372036854775807, -9223372036854775807, 1.5, 1e3]") == [
        2**63 - 1,
        1 - 2**63,
        1.5,
        1000.0,
    ]


def test_a_byte_order_mark_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "windows.json"
    path.write_bytes(b'\xef\xbb\xbf{"a": "\xe2\x80\xa8"}')
    assert read_json(path) == {"a": "\u2028"}


@pytest.mark.parametrize("name", ["", ".", "missing", "x" * 300, "a\0b", "\ud800"])
def test_a_name_that_leads_nowhere_is_an_os_or_value_error(name: str, tmp_path: Path) -> None:
    with pytest.raises((OSError, ValueError)):
        read_json(tmp_path / name)
