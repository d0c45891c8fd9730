"""A process that reads pictures for a comparison of networks: those in use, or (`TALLYCAM_SHADOW`) those beside.

It knows no match and no store, it can write to neither, and it gives way to whatever scores.

    asked:  {"task": a line of `tallycam read --batch`}
    said:   {"answer": what `tallycam read` prints}
"""

import json
import os
import resource
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

import cv2

from service.boards.framing import Ended, receive, send
from vision.reading import Reader

MEMORY: Final = 4 << 30
"""Bytes of address space."""
NICE: Final = 10


def main() -> None:
    """Answer until the service is gone."""
    out = os.dup(1)
    os.dup2(2, 1)  # whatever a library prints is no message
    os.nice(NICE)
    cv2.setNumThreads(1)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    reader = Reader()
    with suppress(Ended):
        while True:
            asked = receive(0).head
            send(out, {"answer": reader.read_line(json.dumps(asked["task"]), Path())})


if __name__ == "__main__":
    main()
    sys.exit(0)
