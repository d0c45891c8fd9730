"""Wall-clock times as RFC 3339 writes them. They are checked and kept, never used: no result depends on them."""

import re
from typing import Final

_MOMENT: Final = re.compile(
    r"(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)T(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)(?:\.\d+)?"
    r"(?:Z|[+-](?P<off_hour>\d\d):(?P<off_minute>\d\d))",
    re.ASCII | re.IGNORECASE,
)
_DAYS: Final = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def is_moment(text: str) -> bool:
    """Tell whether a text is a date and time with its offset: `2026-11-29T20:15:00.5+02:00` (RFC 3339, 5.6)."""
    found = _MOMENT.fullmatch(text)
    if found is None:
        return False
    part = {name: int(digits or 0) for name, digits in found.groupdict().items()}
    return (
        1 <= part["month"] <= 12
        and 1 <= part["day"] <= _days(part["year"], part["month"])
        and part["hour"] < 24
        and part["minute"] < 60
        and part["second"] <= 60  # a leap second
        and part["off_hour"] < 24
        and part["off_minute"] < 60
    )


def _days(year: int, month: int) -> int:
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return 29 if month == 2 and leap else _DAYS[month - 1]
