"""What of the log that SQLite writes ahead (`-wal`) makes no whole change, seen before SQLite passes over it.

SQLite takes such a file up to its last whole change and drops the rest without a word. The form of the file is at
https://sqlite.org/fileformat2.html#the_write_ahead_log; nothing is changed here.
"""

import struct
from pathlib import Path
from typing import Final, NamedTuple

HEADER: Final = struct.Struct(">8I")
FRAME: Final = struct.Struct(">6I")
MAGIC: Final = {0x377F0682: "<", 0x377F0683: ">"}


class Torn(NamedTuple):
    """A log that breaks off: whole changes in it, and bytes behind them that belong to none."""

    changes: int
    dropped_bytes: int


def torn_log(path: Path) -> Torn | None:
    """Give what will be dropped of a log, or None where it ends with a whole change.

    What an earlier use of the same file left behind is no part of it; a log without a whole header holds nothing.
    """
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        return None
    if not raw:
        return None
    order = MAGIC.get(int.from_bytes(raw[:4], "big"))
    if order is None or len(raw) < HEADER.size:
        return Torn(0, len(raw))
    _, _, page, _, salt_1, salt_2, *said = HEADER.unpack_from(raw)
    sums = checksum(raw[:24], (0, 0), order)
    if list(sums) != said or not 512 <= page <= 65536:
        return Torn(0, len(raw))
    at, whole, changes = HEADER.size, HEADER.size, 0
    while at < len(raw):
        frame = raw[at : at + FRAME.size + page]
        if len(frame) < FRAME.size + page:
            break
        _, commits, *salts_and_sums = FRAME.unpack_from(frame)
        sums = checksum(frame[:8] + frame[FRAME.size :], sums, order)
        if salts_and_sums != [salt_1, salt_2, *sums]:
            break
        at += len(frame)
        if commits:
            whole, changes = at, changes + 1
    dropped = _written(raw, whole, FRAME.size + page, struct.pack(">2I", salt_1, salt_2))
    return Torn(changes, dropped) if dropped else None


def _written(raw: bytes, at: int, step: int, salts: bytes) -> int:
    """Give how many bytes from `at` on were written by this use of the file, not left by an earlier one."""
    begun = at
    while raw[at + 8 : at + 16] == salts:
        at = min(at + step, len(raw))
    return at - begun


def checksum(data: bytes, start: tuple[int, int], order: str) -> tuple[int, int]:
    """Give SQLite's running checksum of data whose length is a multiple of 8."""
    one, two = start
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for first, second in zip(words[::2], words[1::2], strict=True):
        one = (one + first + two) & 0xFFFFFFFF
        two = (two + second + one) & 0xFFFFFFFF
    return one, two
