"""A child process as the service holds it: begun on demand, talked to in messages, killed when it is stuck."""

import os
import subprocess
import sys
import threading
import weakref
from collections.abc import Mapping
from typing import Any, Final

from service.boards.framing import Ended, Said, TooSlow, receive, send
from vision.models import SHADOWED

ENVIRONMENT: Final = {"OMP_NUM_THREADS": "1", "OPENCV_IO_MAX_IMAGE_PIXELS": "64000000", SHADOWED: ""}
"""One thread a process, for there may be as many boards as cores; no picture larger than any camera's; and what
scores never reads by a network in shadow."""

ASK_S: Final = 40.0
"""Finding a board takes a second, on a small and busy machine ten; after this it is stuck."""


class Child:
    """A process that runs `main` of a module of ours, with `more` in its environment.

    It ends by itself when the service is gone.
    """

    def __init__(self, module: str, more: Mapping[str, str] | None = None) -> None:
        begin = "from service.memory import keep_freed_memory; keep_freed_memory()"
        command = [sys.executable, "-c", f"{begin}; from {module} import main; main()"]
        environment = {**os.environ, **ENVIRONMENT, **(more or {})}
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._to, self._from = self.process.stdin, self.process.stdout
        self._turn = threading.Lock()
        self._forgotten = weakref.finalize(self, _end, self.process)  # nobody leaves a process behind

    def send(self, head: Mapping[str, Any], parts: Mapping[str, bytes] | None = None) -> None:
        """Tell it something; raises `Ended`."""
        with self._turn:
            if self._to.closed:
                raise Ended
            send(self._to.fileno(), head, parts)

    def receive(self, within_s: float | None = None) -> Said:
        """Give its next message; raises `Ended`, `TooSlow`."""
        return receive(self._from.fileno(), within_s)

    def kill(self) -> None:
        """End it, whatever it does, and let go of everything."""
        self.process.kill()
        with self._turn:
            self._forgotten()


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()


class EyesFailed(Exception):  # noqa: N818 - it says what is the case
    """What looks at pictures died or did not answer in time; the text is one sentence."""


class Eyes:
    """What looks at single pictures: one process for the whole service, there only while it is needed."""

    def __init__(self, within_s: float = ASK_S) -> None:
        self._within_s = within_s
        self._turn = threading.Lock()
        self._child: Child | None = None
        self._closed = False

    def ask(self, head: Mapping[str, Any], parts: Mapping[str, bytes] | None = None) -> Said:
        """Ask something and wait for the answer; raises `EyesFailed`."""
        with self._turn:
            for last in (False, True):
                if self._closed:
                    raise EyesFailed("the service is ending")
                fresh = self._child is None
                self._child = self._child or Child("service.boards.eyes")
                try:
                    self._child.send(head, parts)
                    return self._child.receive(self._within_s)
                except TooSlow as error:
                    self._drop()
                    raise EyesFailed(f"looking at it took more than {self._within_s:.0f} s") from error
                except Ended as error:
                    self._drop()
                    if (
                        fresh or last
                    ):  # one that had ended of idleness is begun again, one that died of this is not
                        raise EyesFailed("looking at it made the reader break down") from error
            raise AssertionError

    def close(self) -> None:
        """End the process, also while it is asked something."""
        self._closed = True
        child = self._child
        if child is not None:
            child.process.kill()
        with self._turn:
            self._drop()

    def _drop(self) -> None:
        if self._child is not None:
            self._child.kill()
            self._child = None
