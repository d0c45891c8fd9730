"""What looks at single pictures: it may die, hang or be given bombs, and the service goes on."""

import os
import signal
import struct
import threading
import zlib
from collections.abc import Iterator

import pytest

from service.boards.child import Eyes, EyesFailed

BROKEN = {"ask": "picture"}, {"picture": b"no picture"}


@pytest.fixture
def eyes() -> Iterator[Eyes]:
    found = Eyes(within_s=20.0)
    yield found
    found.close()


def pid_of(eyes: Eyes) -> int:
    child = eyes._child
    assert child is not None
    return child.process.pid


def code(eyes: Eyes) -> str:
    """Give what is said of something that is no picture."""
    failure: dict[str, str] = eyes.ask(*BROKEN).head["failure"]
    return failure["code"]


def png(side: int) -> bytes:
    """Give a small file that claims to be a square picture of so many pixels a side."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    packer = zlib.compressobj(9)
    row = bytes(1 + side // 8)
    data = b"".join(packer.compress(row) for _ in range(side)) + packer.flush()
    head = struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def test_one_process_answers_until_it_is_closed(eyes: Eyes) -> None:
    assert code(eyes) == "NOT_A_PICTURE"
    first = pid_of(eyes)
    assert code(eyes) == "NOT_A_PICTURE"
    assert pid_of(eyes) == first
    eyes.close()
    with pytest.raises(EyesFailed, match="ending"):
        eyes.ask(*BROKEN)


def test_one_that_died_meanwhile_is_begun_again(eyes: Eyes) -> None:
    code(eyes)
    os.kill(pid_of(eyes), signal.SIGKILL)
    assert code(eyes) == "NOT_A_PICTURE"


def test_one_that_hangs_is_ended_and_said() -> None:
    eyes = Eyes(within_s=20.0)
    code(eyes)
    eyes._within_s = 0.3
    os.kill(pid_of(eyes), signal.SIGSTOP)
    with pytest.raises(EyesFailed, match="took more than"):
        eyes.ask(*BROKEN)
    eyes._within_s = 20.0
    assert code(eyes) == "NOT_A_PICTURE"
    eyes.close()


def test_closing_does_not_wait_for_an_answer() -> None:
    eyes = Eyes(within_s=20.0)
    code(eyes)
    os.kill(pid_of(eyes), signal.SIGSTOP)
    said: list[str] = []

    def ask() -> None:
        try:
            eyes.ask(*BROKEN)
        except EyesFailed as error:
            said.append(str(error))

    asking = threading.Thread(target=ask)
    asking.start()
    threading.Event().wait(0.2)
    eyes.close()
    asking.join(5)
    assert len(said) == 1


def test_a_small_file_of_a_huge_picture_is_none(eyes: Eyes) -> None:
    bomb = png(20_000)
    assert len(bomb) < 100_000
    failure = eyes.ask({"ask": "picture"}, {"picture": bomb}).head["failure"]
    assert failure["code"] in ("NOT_A_PICTURE", "BAD_SIZE", "TOO_LARGE")
    small = eyes.ask({"ask": "picture"}, {"picture": png(128)})
    assert small.head == {"size": [128, 128]}
    assert small.parts["picture"].startswith(b"\xff\xd8\xff")
