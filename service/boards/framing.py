"""Messages between the service and its child processes: a line of JSON with parts of bytes behind it.

A message that breaks off, because its writer was killed, is none.
"""

import json
import os
import select
import struct
import time
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

LENGTH: Final = struct.Struct(">I")
LARGEST: Final = 256 * 1024 * 1024
"""Bytes of a message: two pictures of 8K without loss are less. More is no message of ours."""


class Said(NamedTuple):
    """A message: what it says, and its parts of bytes by name."""

    head: dict[str, Any]
    parts: dict[str, bytes]


class Ended(Exception):  # noqa: N818 - it says what is the case
    """The other end is gone."""


class TooSlow(Exception):  # noqa: N818
    """Nothing whole came within the time."""


def send(file: int, head: Mapping[str, Any], parts: Mapping[str, bytes] | None = None) -> None:
    """Write a message to a file descriptor; raises `Ended`."""
    bodies = dict(parts or {})
    text = json.dumps({"head": dict(head), "parts": {name: len(data) for name, data in bodies.items()}}).encode()
    whole = memoryview(LENGTH.pack(len(text)) + text + b"".join(bodies.values()))
    try:
        while whole:
            whole = whole[os.write(file, whole) :]
    except (BrokenPipeError, OSError) as error:
        raise Ended from error


def receive(file: int, within_s: float | None = None) -> Said:
    """Read the next message from a file descriptor; raises `Ended`, `TooSlow`."""
    until = None if within_s is None else time.monotonic() + within_s
    (length,) = LENGTH.unpack(_read(file, LENGTH.size, until))
    if length > LARGEST:
        raise Ended
    value = json.loads(_read(file, length, until))
    sizes: dict[str, int] = value["parts"]
    if sum(sizes.values()) > LARGEST:
        raise Ended
    return Said(value["head"], {name: _read(file, size, until) for name, size in sizes.items()})


def _comes(file: int, within_s: float) -> bool:
    """Wait for something to read, or the end; unlike `select`, whatever the descriptor's number."""
    waiting = select.poll()
    waiting.register(file, select.POLLIN)
    return bool(waiting.poll(max(0.0, 1000 * within_s)))


def _read(file: int, size: int, until: float | None) -> bytes:
    got = bytearray()
    while len(got) < size:
        if until is not None and not _comes(file, until - time.monotonic()):
            raise TooSlow
        try:
            data = os.read(file, min(size - len(got), 1 << 20))
        except OSError as error:
            raise Ended from error
        if not data:
            raise Ended
        got += data
    return bytes(got)
