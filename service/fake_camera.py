"""A camera that is none: plays a recording as an MJPEG stream on this machine, with faults to switch on.

    GET  /video      the stream
    GET  /switches   what is switched on, as JSON
    POST /switches   {"freeze": true, "light": 0.6, …} changes some; {} nothing

It is what live tests are run with, and lets anybody try a whole live set-up without a camera.
"""

import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

import cv2
import numpy as np

from vision.failure import Failure
from vision.frames import Frame, Picture

BOUNDARY: Final = "frame"
QUALITY: Final = 90
LARGEST_BODY: Final = 1 << 16
CACHED_BYTES: Final = 400 << 20
"""So much of a recording is kept as JPEG, so that its next round costs nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Switches:
    """Faults of a camera.

    Attributes
    ----------
    stall
        Nothing is sent, the connection stays.
    unplugged
        Connections end, new ones are refused.
    freeze
        The same picture again and again.
    drop
        Share of the pictures that are not sent.
    truncate
        Every picture breaks off in its middle.
    slow
        No more pictures a second than this; 0: as recorded.
    black
        Nothing is seen.
    resize
        Pictures come at half their size.
    light
        Factor on all brightness.
    bump
        (x, y) px by which the camera was moved.
    """

    stall: bool = False
    unplugged: bool = False
    freeze: bool = False
    drop: float = 0.0
    truncate: bool = False
    slow: float = 0.0
    black: bool = False
    resize: bool = False
    light: float = 1.0
    bump: tuple[float, float] = (0.0, 0.0)


def switched(now: Switches, values: object) -> Switches | Failure:
    """Change switches by their JSON; a Failure `BAD_SWITCH` names what is none."""
    if not isinstance(values, dict):
        return Failure("BAD_SWITCH", "switches are a JSON object")
    changed: dict[str, Any] = {}
    kinds = {field.name: getattr(Switches(), field.name) for field in fields(Switches)}
    for name, value in values.items():
        match kinds.get(name), value:
            case (bool(), bool()):
                changed[name] = value
            case (float(), int() | float()) if not isinstance(value, bool) and 0 <= value <= 1000:
                changed[name] = float(value)
            case (tuple(), [int() | float() as x, int() | float() as y]) if abs(x) + abs(y) <= 1000:
                changed[name] = (float(x), float(y))
            case _:
                return Failure("BAD_SWITCH", f"{name} = {json.dumps(value)}: takes one of {', '.join(kinds)}")
    return replace(now, **changed)


class FakeCamera:
    """Plays frames in their own time to whoever looks, from the moment that somebody first does.

    Parameters
    ----------
    frames
        Gives the frames, from the start, each time it is called.
    loop
        Whether to begin again at the end; otherwise the connection then ends.
    port
        On this machine; 0: any that is free.
    """

    def __init__(
        self, frames: Callable[[], Iterable[Frame | Failure]], *, loop: bool = True, port: int = 0
    ) -> None:
        self.switches = Switches()
        self._frames, self._loop = frames, loop
        self._turn = threading.Condition()
        self._shown: tuple[int, bytes] = (0, b"")
        self._over = False
        self._looked, self._stop = threading.Event(), threading.Event()
        self._cache: dict[int, bytes] = {}
        self._cached = 0
        self._server = _Server(self, port)
        self._threads = [
            threading.Thread(target=self._server.serve_forever, args=(0.05,), name="fake camera", daemon=True),
            threading.Thread(target=self._play, name="fake camera's film", daemon=True),
        ]

    def __enter__(self) -> "FakeCamera":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._looked.set()
        self._server.shutdown()
        self._server.server_close()
        for thread in self._threads:
            thread.join()

    @property
    def url(self) -> str:
        """Where its stream is."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/video"

    @property
    def over(self) -> bool:
        """Whether the last picture has been shown."""
        return self._over

    def wait(self) -> None:
        """Wait until the last picture has been shown, which is never if it loops."""
        while not self._over:
            self._stop.wait(0.2)

    def switch(self, **values: object) -> None:
        """Change switches; raises `ValueError` for what is none."""
        found = switched(
            self.switches, {name: list(v) if isinstance(v, tuple) else v for name, v in values.items()}
        )
        if isinstance(found, Failure):
            raise ValueError(found.message)
        self.switches = found

    def stream(self) -> Iterator[bytes]:
        """Give each JPEG from now on as it is to be sent; an empty one now and then while there is nothing new."""
        self._looked.set()
        number = self._shown[0]
        while not (self._stop.is_set() or self._over or self.switches.unplugged):
            with self._turn:
                self._turn.wait_for(lambda seen=number: self._shown[0] != seen or self._over, 0.1)  # type: ignore[misc]
                latest, jpeg = self._shown
            yield b"" if latest == number or self.switches.stall else jpeg
            number = latest

    def _play(self) -> None:
        self._looked.wait()
        begun, number = time.monotonic(), 0
        while not self._stop.is_set():
            last_ms = 0
            for frame in self._frames():
                if isinstance(frame, Failure) or self._stop.wait(
                    max(0.0, begun + frame.t_ms / 1000 - time.monotonic())
                ):
                    break
                last_ms, number = frame.t_ms, number + 1
                self._show(frame, number)
            begun += (last_ms + 33) / 1000
            if not self._loop:
                break
        with self._turn:
            self._over = True
            self._turn.notify_all()

    def _show(self, frame: Frame, number: int) -> None:
        now = self.switches
        left_out = now.drop > 0 and int(number * now.drop) != int((number - 1) * now.drop)
        if now.slow > 0:
            left_out |= int(frame.t_ms * now.slow / 1000) == int((frame.t_ms - 33) * now.slow / 1000)
        if now.stall or left_out or now.unplugged:
            return
        jpeg = self._shown[1] if now.freeze and self._shown[1] else self._jpeg(frame, now)
        with self._turn:
            self._shown = (number, jpeg[: len(jpeg) // 2] if now.truncate and not now.freeze else jpeg)
            self._turn.notify_all()

    def _jpeg(self, frame: Frame, now: Switches) -> bytes:
        plain = _changed(now) is None
        if plain and frame.index in self._cache:
            return self._cache[frame.index]
        jpeg = encoded(seen(frame.bgr(), now))
        if plain and self._cached + len(jpeg) <= CACHED_BYTES:
            self._cache[frame.index] = jpeg
            self._cached += len(jpeg)
        return jpeg


def seen(bgr: Picture, now: Switches) -> Picture:
    """Give the picture, (H, W, 3), that a camera with these faults would take."""
    height, width = bgr.shape[:2]
    if now.black:
        bgr = np.full_like(bgr, 2)
    if now.light != 1.0:
        bgr = np.asarray(cv2.convertScaleAbs(bgr, alpha=now.light), np.uint8)
    if now.bump != (0.0, 0.0):
        moved = np.array([[1, 0, now.bump[0]], [0, 1, now.bump[1]]], np.float64)
        bgr = np.asarray(cv2.warpAffine(bgr, moved, (width, height), borderMode=cv2.BORDER_REPLICATE), np.uint8)
    if now.resize:
        bgr = np.asarray(cv2.resize(bgr, (width // 2, height // 2), interpolation=cv2.INTER_AREA), np.uint8)
    return bgr


def encoded(bgr: Picture) -> bytes:
    """Give a picture as JPEG."""
    good, data = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    if not good:
        raise ValueError("a picture could not be encoded")
    return data.tobytes()


def _changed(now: Switches) -> Switches | None:
    """Give the switches if they change what is seen."""
    sent = replace(now, stall=False, unplugged=False, freeze=False, drop=0.0, truncate=False, slow=0.0)
    return None if sent == Switches() else sent


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, camera: FakeCamera, port: int) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.camera = camera


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        """Give the stream or the switches."""
        camera = self.server.camera
        if self.path == "/switches":
            self._answer(200, asdict(camera.switches))
        elif self.path != "/video":
            self._answer(404, {"error": "there is /video and /switches"})
        elif camera.switches.unplugged:
            self._answer(503, {"error": "unplugged"})
        else:
            self._stream(camera)

    def do_POST(self) -> None:
        """Change switches."""
        length = self.headers.get("Content-Length", "")
        found: Switches | Failure = Failure("BAD_SWITCH", "switches are a JSON object")
        if self.path == "/switches" and length.isdigit() and int(length) < LARGEST_BODY:
            with suppress(ValueError):
                found = switched(self.server.camera.switches, json.loads(self.rfile.read(int(length))))
        if isinstance(found, Failure):
            self._answer(400, {"error": found.message})
            return
        self.server.camera.switches = found
        self._answer(200, asdict(found))

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def _stream(self, camera: FakeCamera) -> None:
        self.send_response(200)
        self.send_header("Content-Type", f"multipart/x-mixed-replace; boundary={BOUNDARY}")
        self.end_headers()
        self.close_connection = True
        with suppress(OSError):
            for jpeg in camera.stream():
                if jpeg:
                    self.wfile.write(_part(jpeg))

    def _answer(self, status: int, value: object) -> None:
        text = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


def _part(jpeg: bytes) -> bytes:
    head = f"--{BOUNDARY}\r\nContent-Type: image/jpeg\r\nContent-Length: {len(jpeg)}\r\n\r\n"
    return head.encode() + jpeg + b"\r\n"
